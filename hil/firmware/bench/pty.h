/* A line to other programs: a pty with a symbolic link that always leads to it, which can be unplugged and plugged in
 * again. What is written while nobody listens is lost, as on a cable that leads nowhere.
 */
#ifndef PTY_H
#define PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTY_KEEPS = 1024 };

typedef struct {
    const char *link; /* where programs find it */
    int master;       /* -1 while unplugged */
    uint8_t kept[PTY_KEEPS]; /* written, and the kernel had no room yet */
    size_t kept_size;
} pty_line;

/* Both end the program with words where the machine refuses. */
void pty_plug(pty_line *line, const char *link);
void pty_unplug(pty_line *line);

/* Whether a program has it open. */
bool pty_is_open(const pty_line *line);

/* Never waits; 0 where there is nothing. */
size_t pty_read(pty_line *line, uint8_t *bytes, size_t most);

/* Never waits. What does not fit is lost. */
void pty_write(pty_line *line, const uint8_t *bytes, size_t size);

/* Until one of the lines or the standard input has something to say, or the time is over. */
void pty_wait(pty_line *const lines[], size_t count, int milliseconds);

#endif
