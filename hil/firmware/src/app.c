/* The loop around the link: bytes in, the role's turn, frames out. Without a boot id of its own it never speaks. */
#include "app.h"

#include "board.h"
#include "memory.h"

#include <string.h>

tl_device app_link;
static bool halted;
static uint32_t boot_id, nonces_used;
static tl_config config;
#if TL_AUTH
static uint8_t key[MEMORY_KEY_MAX];
#endif

/* Never repeats, without a random source: the start, then a count within it (TL-086). */
static void fresh_nonce(void *context, uint8_t nonce[TL_NONCE_SIZE])
{
    (void)context;
    tl_put32(nonce, boot_id);
    tl_put32(nonce + 4, nonces_used++);
}

void app_halt(void)
{
    halted = true;
    board_stop_motor(true);
    board_table_lamp(false);
}

bool app_is_halted(void)
{
    return halted;
}

void app_start(void)
{
    halted = false;
    nonces_used = 0;
    board_stop_motor(true); /* until the first turn says otherwise */
    board_table_lamp(false);
    memset(&config, 0, sizeof config);
    config.serial = APP_SERIAL;
    config.baud = APP_BAUD;
    config.roles = role.roles;
    config.capabilities = role_capabilities();
    config.firmware[0] = 1;
    config.slots = role.slots;
    config.slot_count = role.slot_count;
    config.fresh_nonce = fresh_nonce;
#if TL_AUTH
    config.key_size = memory_key(key);
    config.key = config.key_size > 0 ? key : NULL;
#endif
    role_start();
    bool numbered = memory_new_boot(&boot_id);
    if (!tl_start(&app_link, &config, boot_id) || !numbered) {
        app_halt();
    }
}

static void heard(tl_output output)
{
    if (output == TL_HOST_CONNECTED || output == TL_HOST_LOST) {
        board_table_lamp(output == TL_HOST_CONNECTED);
    } else if (output == TL_SLOT_CHANGED) {
        role_slot_changed(app_link.slot, app_link.content, app_link.content_size);
    }
}

/* Not inlined: its frame must not lie on the stack below the hashes of a handshake. */
static void __attribute__((noinline)) send_due(uint32_t now)
{
    uint8_t frame[TL_FRAME_MAX];
    uint8_t size = board_line_is_free() ? tl_next_frame(&app_link, now, frame) : 0;
    if (size > 0) {
        board_send(frame, size);
    }
}

void app_turn(void)
{
    uint32_t now = board_millis();
    uint8_t byte;
    while (board_received(&byte)) {
        if (!halted) {
            heard(tl_receive(&app_link, byte, now));
        }
    }
    role_turn(now);
    if (halted) {
        return;
    }
    heard(tl_poll(&app_link, now));
    send_due(now);
}
