/* Lines, their words, and the orders that every device has. */
#include "stimulus.h"

#include "board.h"

#include <string.h>

enum { LINE_MAX_SIZE = 40, SENT_MS = 500 /* long enough for any answer on its way; then the reset comes all the same */ };

static char line[LINE_MAX_SIZE + 2]; /* a CR and the end */
static uint8_t size;
static bool too_long;

void stimulus_start(void)
{
    size = 0;
    too_long = false;
}

static void say(const char *words)
{
    while (*words != '\0') {
        board_bench_send((uint8_t)*words++);
    }
}

void stimulus_answer(const char *words)
{
    say(words);
    board_bench_send('\n');
}

static int8_t digit(char of)
{
    if (of >= '0' && of <= '9') {
        return (int8_t)(of - '0');
    }
    char low = (char)(of | 0x20);
    return (int8_t)(low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1);
}

static void answer_slot(const char *what)
{
    uint8_t content[TL_CONTENT_MAX];
    if (strlen(what) != 2 || digit(what[0]) < 0 || digit(what[1]) < 0) {
        stimulus_answer("no: two digits, as in slot 40");
        return;
    }
    uint8_t slot = (uint8_t)(digit(what[0]) << 4 | digit(what[1]));
    uint8_t place = 0;
    while (place < role.slot_count && role.slots[place] != slot) {
        place++;
    }
    if (place == role.slot_count) {
        stimulus_answer("no: unknown");
        return;
    }
    int8_t shown = role_shows(slot, content);
    say("ok ");
    for (int8_t i = 0; i < shown; i++) {
        board_bench_send((uint8_t)"0123456789abcdef"[content[i] >> 4]);
        board_bench_send((uint8_t)"0123456789abcdef"[content[i] & 0x0F]);
    }
    stimulus_answer(shown <= 0 ? "-" : "");
}

static void restart(void)
{
    stimulus_answer("ok");
    uint32_t since = board_millis();
    while (!board_bench_is_sent() && board_millis() - since < SENT_MS) {
        board_idle();
    }
    board_restart();
}

/* Whether a whole line, not empty, is in `line`. */
static bool line_is_there(void)
{
    uint8_t byte;
    while (board_bench_received(&byte)) {
        if (byte == '\n') {
            bool was_too_long = too_long || (size > LINE_MAX_SIZE && line[size - 1] != '\r');
            size = (uint8_t)(size > 0 && line[size - 1] == '\r' ? size - 1 : size);
            line[size] = '\0';
            bool empty = size == 0;
            stimulus_start();
            if (was_too_long) {
                stimulus_answer("no: too long");
            } else if (!empty) {
                return true;
            }
        } else if (size == LINE_MAX_SIZE + 1) {
            too_long = true;
        } else {
            line[size++] = (char)byte;
        }
    }
    return false;
}

bool stimulus_take(const char **verb, const char **what)
{
    if (!line_is_there()) {
        return false;
    }
    char *space = strchr(line, ' ');
    *verb = line;
    *what = "";
    if (space != NULL) {
        *space = '\0';
        *what = space + 1;
    }
    bool alone = space == NULL;
    if (strcmp(line, "hello") == 0 && alone) {
        say("ok ");
        stimulus_answer(role.name);
    } else if (strcmp(line, "reset") == 0 && alone) {
        restart();
    } else if (strcmp(line, "slot") == 0) {
        answer_slot(*what);
    } else {
        return true;
    }
    return false;
}
