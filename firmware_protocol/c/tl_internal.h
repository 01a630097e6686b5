/* Shared by tl_device.c (what is received, and time) and tl_send.c (what is sent). Not for applications. */
#ifndef TL_INTERNAL_H
#define TL_INTERNAL_H

#include "tablelink.h"

/* Answers due, as they stand in device->due. From SHOWN on, a number stands for a place in config->slots. */
enum { IDENTITY, READY, REFUSED, NO_SESSION, PONG, SHOWN, SHOWN_STRANGE = SHOWN + TL_SLOTS };

uint32_t tl_oldest(const tl_device *device); /* the oldest event kept; the next one to come if there is none */
bool tl_has_key(const tl_device *device);
void tl_withdraw(tl_device *device, uint8_t what); /* an answer, if it is due */
void tl_arm_resend(tl_device *device, uint32_t now_ms);
void tl_end_session(tl_device *device); /* tl_poll tells the application */

#endif
