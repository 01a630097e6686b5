/* The hands at the device: orders on standard input, one a line, each answered by `ok` or `no: why` on standard output.
 *
 *   unplug      the link's cable is pulled: its pty hangs up, its link is gone; the device runs on
 *   plug        it is put back in
 *   reset       the reset pin
 *   power off   nothing runs, and what is in RAM is lost
 *   power on
 *   pins        ok motor=stopped lamp=off; of the ATmega328P also spare=190, bytes that its stack never reached
 *   quit        also where standard input ends
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>

typedef enum {
    CONTROL_NOTHING,
    CONTROL_UNPLUG,
    CONTROL_PLUG,
    CONTROL_RESET,
    CONTROL_POWER_OFF,
    CONTROL_POWER_ON,
    CONTROL_PINS,
    CONTROL_QUIT
} control_order;

/* Two paths for the lines and one for the memory, from `--link PATH --stimulus PATH --eeprom FILE [rest]`. */
typedef struct {
    const char *link, *stimulus, *eeprom, *rest;
} control_options;

/* Ends the program with its usage where something is missing or unknown. `rest`: the name of what must follow, or NULL. */
control_options control_read_options(int count, char **words, const char *rest);

/* Never waits. Every order but QUIT must be answered. */
control_order control_take(void);

void control_answer(bool done, const char *words);

#endif
