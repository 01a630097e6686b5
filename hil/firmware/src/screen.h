/* What a sign shows its texts on. screen_stub.c is the bench's, which can be asked what it shows; put yours in a file of
 * your own (make SCREEN=src/my_screen.c).
 */
#ifndef SCREEN_H
#define SCREEN_H

#include "tablelink.h"

enum { SCREEN_SLOTS = 4 }; /* 0 limits, 1 rules, 2 result, 3 message */

void screen_start(void);

/* TL_CAN_TEXT where it has letters, 0 where it has digits only; TL_SIMULATED where nobody can see it. */
uint16_t screen_capabilities(void);

/* Show a text of at most TL_CONTENT_MAX bytes of UTF-8, or nothing where it is empty. The bytes are lent. */
void screen_show(uint8_t slot, const uint8_t *text, uint8_t size);

/* What stands there in a slot, for the bench; its size. */
int8_t screen_shows(uint8_t slot, uint8_t text[TL_CONTENT_MAX]);

/* Asked in every turn; must not wait. */
void screen_turn(uint32_t now_ms);

#endif
