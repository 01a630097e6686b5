/* The device's link: handshake, numbered events kept until they are safe, slots, liveness. Behaves as
 * tablelink/device.py does; tests/firmware_protocol/c run both on the same bytes.
 *
 * What is to be sent is worked out when it is asked for, so a stalled line makes nothing grow.
 */
#include "tl_internal.h"

#include <string.h>

enum { REFUSED_VERSION = 1, REFUSED_KEY = 2 };
enum { SHOW_HEAD = 4 /* id, slot, revision */ };

#define COMMIT_US UINT32_C(200000)      /* TL-070: for the host's commit */
#define WINDOW_BITS UINT32_C(9280)      /* TL-070: 32 sealed CARD frames of 29 bytes of 10 bits */
#define MAX_RESEND_US UINT32_C(4000000) /* TL-071 */

/* C99 has no static assertion; a negative size does not compile. */
typedef char tl_queue_fits_its_counters[TL_QUEUE >= TL_RESERVE + 2 && TL_QUEUE <= 255 ? 1 : -1];
typedef char tl_slots_fit_their_counters[TL_SLOTS >= 1 && TL_SLOTS <= 200 ? 1 : -1];
typedef char tl_device_is_small[TL_QUEUE > 32 || TL_SLOTS > 64 || sizeof(tl_device) <= 1536 ? 1 : -1];

static void count(uint16_t *counter)
{
    if (*counter < UINT16_MAX) {
        (*counter)++;
    }
}

/* Around the wrap of the clock; a time that lies ahead has not passed. */
static bool has_passed(uint32_t since_ms, uint32_t span_ms, uint32_t now_ms)
{
    uint32_t elapsed = now_ms - since_ms;
    return elapsed >= span_ms && elapsed < UINT32_C(0x80000000);
}

/* In two steps, because bits times a million don't fit 32 bits; tl_start keeps `baud` where the rest does. */
static uint32_t first_resend_us(uint32_t baud)
{
    uint32_t window_ms = WINDOW_BITS * 1000 / baud;
    uint32_t rest = WINDOW_BITS * 1000 % baud;
    return COMMIT_US + window_ms * 1000 + (rest * 1000 + baud - 1) / baud;
}

bool tl_start(tl_device *device, const tl_config *config, uint32_t boot_id)
{
    memset(device, 0, sizeof *device);
    device->config = config;
    device->boot_id = boot_id;
    device->next_number = 1;
    uint8_t size = 0;
    while (size <= TL_SERIAL_MAX && config->serial[size] > ' ' && config->serial[size] <= '~') {
        size++;
    }
    if (size < 1 || size > TL_SERIAL_MAX || config->serial[size] != '\0' || config->slot_count > TL_SLOTS ||
        config->fresh_nonce == NULL || config->baud < 2400 || config->baud > UINT32_C(4000000)) {
        return false;
    }
#if TL_AUTH
    if (config->key != NULL && (config->key_size < 16 || config->key_size > 32)) {
        return false;
    }
#endif
    return true;
}

/* ---- Answers ---- */

/* Remember an answer; a newer one of the same kind (and slot) takes its place, behind the others. */
static void answer(tl_device *device, uint8_t what)
{
    tl_withdraw(device, what);
    device->due[device->due_count++] = what;
}

/* Answers within a session die with it; offers and refusals belong to none. */
static void withdraw_session_answers(tl_device *device)
{
    for (uint8_t i = device->due_count; i > 0; i--) {
        uint8_t what = device->due[i - 1];
        if (what != IDENTITY && what != REFUSED && what != NO_SESSION) {
            tl_withdraw(device, what);
        }
    }
}

static void refuse(tl_device *device, uint8_t reason)
{
    device->refused_reason = reason;
    answer(device, REFUSED);
}

/* TL-027: what belongs in a session is answered where there is none, so that the host begins anew. */
static void without_session(tl_device *device, uint8_t id)
{
    if (!device->open && (id == TL_PING || id == TL_ACK || id == TL_SHOW)) {
        answer(device, NO_SESSION);
    }
}

/* ---- Events ---- */

bool tl_must_stop(const tl_device *device)
{
    return device->queued >= TL_QUEUE - TL_RESERVE;
}

uint32_t tl_add(tl_device *device, uint8_t kind, uint32_t clock_ms, uint8_t value, uint8_t second_value)
{
    if (device->queued >= TL_QUEUE || device->next_number == UINT32_MAX || tl_event_values(kind) < 0 ||
        (kind == TL_CARD && !tl_is_card(value))) {
        return 0;
    }
    tl_event *event = &device->queue[(device->first + device->queued) % TL_QUEUE];
    event->kind = kind;
    event->clock_ms = clock_ms;
    event->values[0] = value;
    event->values[1] = second_value;
    device->queued++;
    return device->next_number++;
}

/* Drop what is acknowledged; a number that was never given is nobody's to acknowledge. */
static bool forget(tl_device *device, uint32_t upto)
{
    if (upto >= device->next_number) {
        count(&device->counts.unexpected);
        return false;
    }
    if (upto < tl_oldest(device)) {
        return false;
    }
    uint8_t dropped = (uint8_t)(upto - tl_oldest(device) + 1); /* at most `queued`, since upto < next_number */
    device->first = (uint8_t)((device->first + dropped) % TL_QUEUE);
    device->queued = (uint8_t)(device->queued - dropped);
    device->sent = (uint8_t)(device->sent > dropped ? device->sent - dropped : 0);
    return true;
}

static void send_again(tl_device *device)
{
    device->sent = 0;
    device->resend_armed = false;
}

static void acknowledge(tl_device *device, uint32_t upto, uint32_t now_ms)
{
    if (!forget(device, upto)) {
        return;
    }
    device->resend_us = first_resend_us(device->config->baud);
    device->resend_armed = false;
    if (device->sent > 0) {
        tl_arm_resend(device, now_ms);
    }
}

/* ---- Receiving ---- */

/* Offer a session. The open one goes on until the offer is taken up, so a stray HELLO harms nothing (TL-024). */
static void hello(tl_device *device, const uint8_t *body)
{
    if (body[1] > TL_VERSION || body[2] < TL_VERSION) {
        refuse(device, REFUSED_VERSION);
        return;
    }
    memcpy(device->identity_nonces, body + 3, TL_NONCE_SIZE);
    device->config->fresh_nonce(device->config->context, device->identity_nonces + TL_NONCE_SIZE);
    device->identity_next = device->next_number;
    device->identity_oldest = tl_oldest(device);
#if TL_AUTH
    if (tl_has_key(device)) {
        uint8_t session[TL_SESSION_KEY_SIZE];
        tl_session_key(session, device->config->key, device->config->key_size, device->identity_nonces);
        tl_seal_start(&device->offered, session);
        device->has_offer = true;
    }
#endif
    answer(device, IDENTITY);
}

/* Open the session: forget what is safe, send all the rest again, expect every slot anew (TL-025, TL-063). */
static tl_output resume(tl_device *device, const uint8_t *body, bool takes_offer, uint32_t now_ms)
{
    if (tl_get32(body + 3) != device->boot_id) {
        answer(device, NO_SESSION);
        return TL_NOTHING;
    }
#if TL_AUTH
    if (takes_offer) {
        device->due_count = 0; /* answers of the session before, whose seal is gone */
        device->session = device->offered;
        device->has_offer = false;
    }
#else
    (void)takes_offer;
#endif
    (void)forget(device, tl_get32(body + 7));
    tl_output output = device->told_open ? TL_NOTHING : TL_HOST_CONNECTED;
    device->open = true;
    device->told_open = true;
    device->heard_ms = now_ms;
    memset(device->revision_known, 0, sizeof device->revision_known);
    device->resend_us = first_resend_us(device->config->baud);
    send_again(device);
    device->ready_token = tl_get16(body + 1);
    device->ready_first = tl_oldest(device);
    answer(device, READY);
    return output;
}

/* The newest revision wins; revisions are compared around the circle of 65,536 (TL-062). */
static tl_output show(tl_device *device, const uint8_t *body, uint8_t size)
{
    uint16_t revision = tl_get16(body + 2);
    uint8_t place = 0;
    while (place < device->config->slot_count && device->config->slots[place] != body[1]) {
        place++;
    }
    if (place == device->config->slot_count) { /* TL-064: the host must not ask for ever */
        count(&device->counts.unknown_slots);
        device->strange_slot = body[1];
        device->strange_revision = revision;
        answer(device, SHOWN_STRANGE);
        return TL_NOTHING;
    }
    uint16_t ahead = (uint16_t)(revision - device->revisions[place]);
    answer(device, (uint8_t)(SHOWN + place)); /* with the revision on show, also where that is not this one */
    if (device->revision_known[place] && (ahead == 0 || ahead >= 0x8000)) {
        count(&device->counts.duplicates);
        return TL_NOTHING;
    }
    device->revision_known[place] = true;
    device->revisions[place] = revision;
    device->slot = body[1];
    device->content = body + SHOW_HEAD;
    device->content_size = (uint8_t)(size - SHOW_HEAD);
    return TL_SLOT_CHANGED;
}

/* A message that has passed all checks. `offered`: under the seal of the session that is only offered yet. */
static tl_output obey(tl_device *device, const uint8_t *body, uint8_t size, bool offered, uint32_t now_ms)
{
    if (body[0] == TL_RESUME) {
        return resume(device, body, offered, now_ms);
    }
    if (!device->open || offered) {
        count(&device->counts.unexpected);
        without_session(device, body[0]);
        return TL_NOTHING;
    }
    if (body[0] == TL_ACK || body[0] == TL_PING || body[0] == TL_SHOW) {
        device->heard_ms = now_ms; /* an echo of our own frames is no sign of life */
    }
    if (body[0] == TL_ACK && tl_get16(body + 1) == (device->boot_id & 0xFFFF)) {
        acknowledge(device, tl_get32(body + 3), now_ms);
    } else if (body[0] == TL_PING) {
        device->pong_token = tl_get16(body + 1);
        answer(device, PONG);
    } else if (body[0] == TL_SHOW) {
        return show(device, body, size);
    } else {
        count(&device->counts.unexpected);
    }
    return TL_NOTHING;
}

static bool is_message(tl_device *device, const uint8_t *body, uint8_t size)
{
    switch (tl_check(body, size)) {
    case TL_MESSAGE_GOOD:
        return true;
    case TL_MESSAGE_UNKNOWN:
        count(&device->counts.unknown);
        return false;
    default:
        count(&device->counts.bad_messages);
        return false;
    }
}

static tl_output take_sealed(tl_device *device, uint8_t *body, uint8_t size, uint32_t now_ms)
{
    uint8_t plain_size = 0;
    bool offered = false;
#if TL_AUTH
    if (tl_has_key(device) && device->open) {
        plain_size = tl_seal_open(&device->session, TL_FROM_HOST, body, size);
    }
    if (plain_size == 0 && device->has_offer) {
        plain_size = tl_seal_open(&device->offered, TL_FROM_HOST, body, size);
        offered = true;
    }
#else
    (void)size;
#endif
    if (plain_size == 0) {
        count(&device->counts.forged);
        without_session(device, body[0] & (TL_AUTHENTICATED - 1)); /* after a restart no tag can be checked */
        return TL_NOTHING;
    }
    return is_message(device, body, plain_size) ? obey(device, body, plain_size, offered, now_ms) : TL_NOTHING;
}

tl_output tl_receive(tl_device *device, uint8_t byte, uint32_t now_ms)
{
    bool bad;
    uint8_t *body = device->receiver.bytes;
    uint8_t size = tl_receiver_take(&device->receiver, byte, &bad);
    if (bad) {
        count(&device->counts.bad_frames);
    }
    if (size == 0) {
        return TL_NOTHING;
    }
    if (body[0] & TL_AUTHENTICATED) {
        return take_sealed(device, body, size, now_ms);
    }
    if (!is_message(device, body, size)) {
        return TL_NOTHING;
    }
    if (body[0] == TL_HELLO) {
        hello(device, body);
        return TL_NOTHING;
    }
    if (tl_has_key(device)) { /* TL-084 */
        count(&device->counts.unsealed);
        if (body[0] == TL_RESUME) {
            refuse(device, REFUSED_KEY);
        }
        return TL_NOTHING;
    }
    return obey(device, body, size, false, now_ms);
}

/* ---- Time ---- */

void tl_end_session(tl_device *device)
{
    device->open = false;
    withdraw_session_answers(device);
    send_again(device);
}

static tl_output tell_lost(tl_device *device)
{
    tl_output output = device->told_open ? TL_HOST_LOST : TL_NOTHING;
    device->told_open = false;
    return output;
}

tl_output tl_unplugged(tl_device *device)
{
    device->receiver.size = 0; /* half a frame of the old connection is worth nothing */
    device->receiver.too_long = false;
    tl_end_session(device);
    device->due_count = 0;
    return tell_lost(device);
}

tl_output tl_poll(tl_device *device, uint32_t now_ms)
{
    if (device->open && has_passed(device->heard_ms, TL_LOST_MS, now_ms)) {
        tl_end_session(device);
    }
    if (!device->open) {
        return tell_lost(device);
    }
    if (device->resend_armed && has_passed(device->resend_from_ms, (device->resend_us + 999) / 1000, now_ms)) {
        device->resend_us = device->resend_us < MAX_RESEND_US / 2 ? device->resend_us * 2 : MAX_RESEND_US;
        send_again(device);
    }
    return TL_NOTHING;
}
