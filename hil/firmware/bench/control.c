#define _XOPEN_SOURCE 700
#include "control.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 80 };

static char line[MOST];
static size_t size;
static bool ended;
static volatile sig_atomic_t told_to_end;
static FILE *answers;

static void end(int number)
{
    (void)number;
    told_to_end = 1;
}

control_options control_read_options(int count, char **words, const char *rest)
{
    control_options options = {NULL, NULL, NULL, NULL};
    int at = 1;
    for (; at + 1 < count && words[at][0] == '-'; at += 2) {
        const char **to = strcmp(words[at], "--link") == 0       ? &options.link
                          : strcmp(words[at], "--stimulus") == 0 ? &options.stimulus
                          : strcmp(words[at], "--eeprom") == 0   ? &options.eeprom
                                                                 : NULL;
        if (to == NULL) {
            break;
        }
        *to = words[at + 1];
    }
    if (rest != NULL && at < count) {
        options.rest = words[at++];
    }
    if (at != count || !options.link || !options.stimulus || !options.eeprom || (rest != NULL && !options.rest)) {
        fprintf(stderr, "usage: %s --link PATH --stimulus PATH --eeprom FILE%s%s\n", words[0], rest ? " " : "",
                rest ? rest : "");
        exit(2);
    }
    answers = fdopen(dup(STDOUT_FILENO), "w"); /* what a library prints on standard output is no answer */
    if (answers == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        perror("standard output");
        exit(2);
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    return options;
}

static control_order understand(void)
{
    static const char *const words[] = {"unplug", "plug", "reset", "power off", "power on", "pins", "quit"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(line, words[i]) == 0) {
            return (control_order)(CONTROL_UNPLUG + (int)i);
        }
    }
    control_answer(false, "orders are unplug, plug, reset, power off, power on, pins, quit");
    return CONTROL_NOTHING;
}

control_order control_take(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    while (!ended && !told_to_end && poll(&in, 1, 0) > 0) {
        char byte;
        ended = read(STDIN_FILENO, &byte, 1) != 1;
        if (!ended && byte != '\n') {
            size += size < MOST - 1;
            line[size - 1] = byte;
        } else if (!ended) {
            line[size] = '\0';
            size = 0;
            control_order order = understand();
            if (order != CONTROL_NOTHING) {
                return order;
            }
        }
    }
    return ended || told_to_end ? CONTROL_QUIT : CONTROL_NOTHING;
}

void control_answer(bool done, const char *words)
{
    fprintf(answers, "%s%s%s\n", done ? "ok" : "no: ", done && words[0] != '\0' ? " " : "", words);
    fflush(answers);
}
