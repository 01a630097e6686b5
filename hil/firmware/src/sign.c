/* The sign: shows what it is told, each text in its slot, until it is told otherwise; also while no table is there, so
 * that a pulled cable does not blank it. It says nothing by itself.
 */
#include "app.h"
#include "screen.h"

static const uint8_t slots[SCREEN_SLOTS] = {0, 1, 2, 3};

const app_role role = {"sign", slots, sizeof slots, TL_ROLE_SIGN};

uint16_t role_capabilities(void)
{
    return screen_capabilities();
}

void role_start(void)
{
    screen_start();
}

void role_turn(uint32_t now_ms)
{
    screen_turn(now_ms);
}

void role_slot_changed(uint8_t slot, const uint8_t *content, uint8_t size)
{
    screen_show(slot, content, size);
}

int8_t role_shows(uint8_t slot, uint8_t content[TL_CONTENT_MAX])
{
    return slot < SCREEN_SLOTS ? screen_shows(slot, content) : -1;
}
