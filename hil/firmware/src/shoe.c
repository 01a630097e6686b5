/* The shoe: what the sensor sees becomes numbered events, and the motor stands while there is no room for more, while
 * the table has locked it, or once it has halted. Never drops a card and goes on.
 */
#include "app.h"
#include "board.h"
#include "sensor.h"

static const uint8_t slots[] = {TL_SLOT_LOCK};
static int8_t lock; /* 1 locked, 0 not, -1 never told */

const app_role role = {"shoe", slots, sizeof slots, TL_ROLE_SHOE};

uint16_t role_capabilities(void)
{
    return TL_CAN_LOCK | sensor_capabilities();
}

void role_start(void)
{
    lock = -1;
    sensor_start();
}

static bool stopped(void)
{
    return app_is_halted() || lock == 1 || tl_must_stop(&app_link);
}

/* The last two places are for cards in the throat (TL-032). All else can wait at the sensor until there is room. */
static bool keep(const sensor_event *event, bool is_card, uint32_t now_ms)
{
    return (is_card || !tl_must_stop(&app_link)) &&
           tl_add(&app_link, event->kind, now_ms, event->value, event->second_value) != 0;
}

void role_turn(uint32_t now_ms)
{
    sensor_event event;
    if (sensor_take(&event, stopped())) {
        bool is_card = event.kind == TL_CARD || event.kind == TL_MISREAD;
        bool kept = !app_is_halted() && keep(&event, is_card, now_ms);
        if (is_card && !kept) {
            app_halt();
        }
        sensor_told(kept);
    }
    board_stop_motor(stopped());
}

void role_slot_changed(uint8_t slot, const uint8_t *content, uint8_t size)
{
    (void)slot; /* it has but one */
    lock = size == 1 && content[0] == 1;
}

int8_t role_shows(uint8_t slot, uint8_t content[TL_CONTENT_MAX])
{
    if (slot != TL_SLOT_LOCK || lock < 0) {
        return -1;
    }
    content[0] = (uint8_t)lock;
    return 1;
}
