/* What the device sends: answers first, oldest first, then the events that are not on their way yet. */
#include "tl_internal.h"

#include <string.h>

#if TL_AUTH
#define SPARE_COUNTERS UINT32_C(1024) /* left when a session is replaced */
#endif

uint32_t tl_oldest(const tl_device *device)
{
    return device->next_number - device->queued;
}

bool tl_has_key(const tl_device *device)
{
#if TL_AUTH
    return device->config->key != NULL;
#else
    (void)device;
    return false;
#endif
}

void tl_withdraw(tl_device *device, uint8_t answer)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < device->due_count; i++) {
        if (device->due[i] != answer) {
            device->due[kept++] = device->due[i];
        }
    }
    device->due_count = kept;
}

void tl_arm_resend(tl_device *device, uint32_t now_ms)
{
    device->resend_armed = true;
    device->resend_from_ms = now_ms;
}

static uint8_t identity_body(const tl_device *device, uint8_t body[TL_BODY_MAX])
{
    const tl_config *config = device->config;
    body[0] = TL_IDENTITY;
    body[1] = TL_VERSION;
    body[2] = config->roles;
    tl_put16(body + 3, (uint16_t)(config->capabilities | (tl_has_key(device) ? TL_WANTS_KEY : 0)));
    tl_put32(body + 5, device->boot_id);
    tl_put32(body + 9, device->identity_next);
    tl_put32(body + 13, device->identity_oldest);
    memcpy(body + 17, device->identity_nonces, 2 * TL_NONCE_SIZE);
    memcpy(body + 33, config->firmware, 3);
    uint8_t size = TL_IDENTITY_HEAD;
    for (const char *letter = config->serial; *letter != '\0'; letter++) {
        body[size++] = (uint8_t)*letter;
    }
    return size;
}

static uint8_t shown_body(uint8_t *body, uint8_t slot, uint16_t revision)
{
    body[0] = TL_SHOWN;
    body[1] = slot;
    tl_put16(body + 2, revision);
    return 4;
}

static uint8_t answer_body(const tl_device *device, uint8_t what, uint8_t body[TL_BODY_MAX])
{
    switch (what) {
    case IDENTITY:
        return identity_body(device, body);
    case READY:
        body[0] = TL_READY;
        tl_put16(body + 1, device->ready_token);
        tl_put32(body + 3, device->boot_id);
        tl_put32(body + 7, device->ready_first);
        return 11;
    case REFUSED:
        body[0] = TL_REFUSED;
        body[1] = device->refused_reason;
        body[2] = body[3] = TL_VERSION;
        return 4;
    case NO_SESSION:
        body[0] = TL_NO_SESSION;
        return 1;
    case PONG:
        body[0] = TL_PONG;
        tl_put16(body + 1, device->pong_token);
        return 3;
    case SHOWN_STRANGE:
        return shown_body(body, device->strange_slot, device->strange_revision);
    default:
        return shown_body(body, device->config->slots[what - SHOWN], device->revisions[what - SHOWN]);
    }
}

/* The frame of a body, sealed where there is a key; 0 if the session's counter is used up. */
static uint8_t sealed_frame(tl_device *device, bool for_offer, uint8_t *body, uint8_t size, uint8_t *frame)
{
#if TL_AUTH
    if (tl_has_key(device)) {
        tl_seal *seal = for_offer && device->has_offer ? &device->offered : &device->session;
        size = tl_seal_close(seal, TL_FROM_DEVICE, body, size);
    }
#else
    (void)device;
    (void)for_offer;
#endif
    return tl_frame(body, size, frame);
}

uint8_t tl_next_frame(tl_device *device, uint32_t now_ms, uint8_t frame[TL_FRAME_MAX])
{
    uint8_t body[TL_BODY_MAX];
#if TL_AUTH
    if (device->open && tl_has_key(device) && device->session.sent > UINT32_MAX - SPARE_COUNTERS) {
        tl_end_session(device); /* a counter must not come back to 0; the next PING brings a new session about */
    }
#endif
    while (device->due_count > 0) {
        uint8_t what = device->due[0];
        tl_withdraw(device, what);
        uint8_t size = answer_body(device, what, body);
        bool plain = what == REFUSED || what == NO_SESSION; /* TL-083 */
        size = plain ? tl_frame(body, size, frame) : sealed_frame(device, what == IDENTITY, body, size, frame);
        if (size > 0) {
            return size;
        }
    }
    uint8_t window = device->queued < TL_WINDOW ? device->queued : TL_WINDOW;
    if (!device->open || device->sent >= window) {
        return 0;
    }
    const tl_event *event = &device->queue[(device->first + device->sent) % TL_QUEUE];
    uint8_t size = tl_event_body(body, event, device->boot_id, tl_oldest(device) + device->sent);
    size = sealed_frame(device, false, body, size, frame);
    if (size > 0) {
        device->sent++;
        if (!device->resend_armed) {
            tl_arm_resend(device, now_ms);
        }
    }
    return size;
}
