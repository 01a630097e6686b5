/* The bench's line of hil/stimulus.py at the device: orders in, one answer each. Only the stubs use it. */
#ifndef STIMULUS_H
#define STIMULUS_H

#include "app.h"

void stimulus_start(void);

/* The next order that is the stub's own affair, its words apart (`what` is "" where there is one word); false: none now.
 * It must be answered before the next is asked for. `hello`, `slot` and `reset` are answered here. */
bool stimulus_take(const char **verb, const char **what);

/* "ok", or "no: " and why. */
void stimulus_answer(const char *words);

#endif
