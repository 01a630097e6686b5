/* A screen that nobody sees: it keeps what it would show, and the bench asks for it (hil/stimulus.py, `slot 00`). */
#include "screen.h"
#include "stimulus.h"

#include <string.h>

static uint8_t texts[SCREEN_SLOTS][TL_CONTENT_MAX], sizes[SCREEN_SLOTS];

void screen_start(void)
{
    memset(sizes, 0, sizeof sizes);
    stimulus_start();
}

uint16_t screen_capabilities(void)
{
    return TL_CAN_TEXT | TL_SIMULATED;
}

void screen_show(uint8_t slot, const uint8_t *text, uint8_t size)
{
    memcpy(texts[slot], text, size);
    sizes[slot] = size;
}

int8_t screen_shows(uint8_t slot, uint8_t text[TL_CONTENT_MAX])
{
    memcpy(text, texts[slot], sizes[slot]);
    return (int8_t)sizes[slot];
}

void screen_turn(uint32_t now_ms)
{
    const char *verb, *what;
    (void)now_ms;
    if (stimulus_take(&verb, &what)) {
        stimulus_answer("no: unknown");
    }
}
