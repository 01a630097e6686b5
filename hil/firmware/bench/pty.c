#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { MOST_LINES = 4 };

static void give_up(const char *what, const char *name)
{
    fprintf(stderr, "%s %s: %s\n", what, name, strerror(errno));
    exit(2);
}

/* Raw from the first byte on: a line that echoed would answer a host's HELLO with itself. */
static void make_raw(const char *name)
{
    struct termios settings;
    int slave = open(name, O_RDWR | O_NOCTTY);
    if (slave < 0 || tcgetattr(slave, &settings) != 0) {
        give_up("this pty cannot be opened:", name);
    }
    cfmakeraw(&settings);
    if (tcsetattr(slave, TCSANOW, &settings) != 0) {
        give_up("this pty cannot be set:", name);
    }
    close(slave);
}

void pty_plug(pty_line *line, const char *link)
{
    line->link = link;
    line->kept_size = 0;
    line->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (line->master < 0 || grantpt(line->master) != 0 || unlockpt(line->master) != 0) {
        give_up("no pty for", link);
    }
    const char *name = ptsname(line->master);
    make_raw(name);
    char before[2];
    if (readlink(link, before, sizeof before) >= 0) { /* only a link is taken away, never a file */
        unlink(link);
    }
    if (symlink(name, link) != 0) {
        give_up("this link cannot be made:", link);
    }
}

void pty_unplug(pty_line *line)
{
    if (line->master >= 0) {
        unlink(line->link);
        close(line->master);
    }
    line->master = -1;
}

static short look(const pty_line *line, short wanted)
{
    struct pollfd at = {.fd = line->master, .events = wanted, .revents = 0};
    return line->master >= 0 && poll(&at, 1, 0) > 0 ? at.revents : 0;
}

bool pty_is_open(const pty_line *line)
{
    return line->master >= 0 && (look(line, 0) & POLLHUP) == 0;
}

static void flush(pty_line *line)
{
    ssize_t written = line->kept_size > 0 ? write(line->master, line->kept, line->kept_size) : 0;
    if (written > 0) {
        line->kept_size -= (size_t)written;
        memmove(line->kept, line->kept + written, line->kept_size);
    }
}

size_t pty_read(pty_line *line, uint8_t *bytes, size_t most)
{
    if (line->master < 0) {
        return 0;
    }
    flush(line);
    ssize_t size = read(line->master, bytes, most);
    return size > 0 ? (size_t)size : 0;
}

void pty_write(pty_line *line, const uint8_t *bytes, size_t size)
{
    if (!pty_is_open(line)) {
        line->kept_size = 0;
        return;
    }
    size_t room = PTY_KEEPS - line->kept_size;
    size = size < room ? size : room;
    memcpy(line->kept + line->kept_size, bytes, size);
    line->kept_size += size;
    flush(line);
}

void pty_wait(pty_line *const lines[], size_t count, int milliseconds)
{
    struct pollfd at[MOST_LINES + 1];
    at[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    for (size_t i = 0; i < count; i++) { /* one that nobody has open would end every wait at once */
        int fd = pty_is_open(lines[i]) ? lines[i]->master : -1;
        at[i + 1] = (struct pollfd){.fd = fd, .events = POLLIN, .revents = 0};
    }
    (void)poll(at, count + 1, milliseconds);
}
