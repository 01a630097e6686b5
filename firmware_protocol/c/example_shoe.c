/* The whole loop of a shoe around the link. The board's functions are yours; their names say what they do.
 * The build compiles this file for the ATmega328P and for the PC, so that it stays true. */
#include "tablelink.h"

#include <string.h>

uint32_t board_start_count(void); /* from EEPROM, one higher at every start: boot id, and half of each nonce */
uint32_t board_millis(void);
bool board_received(uint8_t *byte);
bool board_line_is_free(void);
void board_send(const uint8_t *bytes, uint8_t size); /* copies; returns at once */
bool board_card_passed(uint8_t *card_code);          /* TL_CARD_UNREAD if it could not be read */
void board_lock(bool locked);
void board_table_lamp(bool on);
void board_stop_motor(bool stopped);

static uint32_t starts;
static tl_device shoe;

/* Never repeats, without a random source: the start, then a count within it (TL-086). */
static void fresh_nonce(void *context, uint8_t nonce[TL_NONCE_SIZE])
{
    uint32_t *used = context;
    tl_put32(nonce, starts);
    tl_put32(nonce + 4, (*used)++);
}

static void show(tl_output output)
{
    if (output == TL_HOST_CONNECTED || output == TL_HOST_LOST) {
        board_table_lamp(output == TL_HOST_CONNECTED);
    } else if (output == TL_SLOT_CHANGED && shoe.slot == TL_SLOT_LOCK && shoe.content_size == 1) {
        board_lock(shoe.content[0] == 1);
    }
}

int main(void)
{
    static uint32_t nonces_used;
    static const uint8_t slots[] = {TL_SLOT_LOCK};
    static tl_config config;
    config.serial = "SHOE-0042";
    config.baud = 115200;
    config.roles = TL_ROLE_SHOE;
    config.capabilities = TL_CAN_SUITS | TL_CAN_LOCK;
    config.firmware[0] = 1;
    config.slots = slots;
    config.slot_count = sizeof slots;
    config.fresh_nonce = fresh_nonce;
    config.context = &nonces_used;
#if TL_AUTH
    static const uint8_t key[16] = "replace this key"; /* set over a programming header, never in the source */
    config.key = key;
    config.key_size = sizeof key;
#endif
    starts = board_start_count();
    if (!tl_start(&shoe, &config, starts)) {
        board_stop_motor(true);
        return 1;
    }
    for (;;) {
        uint32_t now = board_millis();
        uint8_t byte, card, frame[TL_FRAME_MAX];
        while (board_received(&byte)) {
            show(tl_receive(&shoe, byte, now));
        }
        bool lost_one = board_card_passed(&card) && tl_add(&shoe, TL_CARD, now, card, 0) == 0;
        if (lost_one) { /* the motor did not stop in time: better no shoe than one that forgets a card */
            board_stop_motor(true);
            return 1;
        }
        board_stop_motor(tl_must_stop(&shoe));
        show(tl_poll(&shoe, now));
        if (board_line_is_free()) {
            uint8_t size = tl_next_frame(&shoe, now, frame);
            if (size > 0) {
                board_send(frame, size);
            }
        }
    }
}
