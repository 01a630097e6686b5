/* What a shoe and a sign have in common: the link, its line and its memory. shoe.c and sign.c are the roles; a program
 * has one of them.
 */
#ifndef APP_H
#define APP_H

#include "tablelink.h"

#ifndef APP_BAUD
#define APP_BAUD 115200
#endif
#ifndef APP_SERIAL
#error "Give the device a serial of its own: -DAPP_SERIAL='\"SHOE-0042\"' (make SERIAL=SHOE-0042)"
#endif

typedef struct {
    const char *name; /* shoe or sign: what the bench is told */
    const uint8_t *slots;
    uint8_t slot_count;
    uint8_t roles;
} app_role;

extern const app_role role;
extern tl_device app_link;

/* Once at every start, and as often as wanted: it begins from nothing. */
void app_start(void);

/* One turn of the loop. */
void app_turn(void);

/* Be silent until the next start: something happened that can't be told any more, and a shoe that says nothing is
 * better than one that says it told everything. The next start has a new boot id, so the host knows. */
void app_halt(void);
bool app_is_halted(void);

/* ---- The role's part ---- */

void role_start(void);
uint16_t role_capabilities(void);
void role_turn(uint32_t now_ms);
void role_slot_changed(uint8_t slot, const uint8_t *content, uint8_t size);

/* What a slot shows now, for the bench; -1 for nothing. At most TL_CONTENT_MAX bytes. */
int8_t role_shows(uint8_t slot, uint8_t content[TL_CONTENT_MAX]);

#endif
