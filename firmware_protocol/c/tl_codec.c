/* Bytes to bodies and back: CRC, COBS, and which bodies are messages. Keeps no more than one frame (TL-006). */
#include "tablelink.h"

enum { EVENT_HEAD = 11 /* id, boot low, number, clock */ };

uint16_t tl_get16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | (uint16_t)((uint16_t)bytes[1] << 8));
}

uint32_t tl_get32(const uint8_t *bytes)
{
    return tl_get16(bytes) | (uint32_t)tl_get16(bytes + 2) << 16;
}

void tl_put16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)(value & 0xFF);
    bytes[1] = (uint8_t)(value >> 8);
}

void tl_put32(uint8_t *bytes, uint32_t value)
{
    tl_put16(bytes, (uint16_t)(value & 0xFFFF));
    tl_put16(bytes + 2, (uint16_t)(value >> 16));
}

/* Bit by bit: a table would cost 512 bytes to save 0.2 ms a frame on an 8-bit controller. */
uint16_t tl_crc(const uint8_t *bytes, uint8_t size)
{
    uint16_t crc = 0xFFFF;
    for (uint8_t i = 0; i < size; i++) {
        crc = (uint16_t)(crc ^ (uint16_t)((uint16_t)bytes[i] << 8));
        for (uint8_t bit = 0; bit < 8; bit++) {
            bool carry = (crc & 0x8000) != 0;
            crc = (uint16_t)((crc & 0x7FFF) << 1);
            if (carry) {
                crc = crc ^ 0x1021;
            }
        }
    }
    return crc;
}

uint8_t tl_frame(const uint8_t *body, uint8_t size, uint8_t frame[TL_FRAME_MAX])
{
    if (size < 1 || size > TL_BODY_MAX) {
        return 0;
    }
    uint8_t crc[2];
    tl_put16(crc, tl_crc(body, size));
    uint8_t code_at = 0; /* where the distance to the next zero goes */
    uint8_t end = 1;
    for (uint8_t i = 0; i < size + 2; i++) {
        uint8_t byte = i < size ? body[i] : crc[i - size];
        if (byte != 0) {
            frame[end++] = byte;
        } else {
            frame[code_at] = (uint8_t)(end - code_at);
            code_at = end++;
        }
    }
    frame[code_at] = (uint8_t)(end - code_at); /* at most 67: COBS's long form of 255 can't occur */
    frame[end++] = 0;
    return end;
}

/* In place, which is safe because COBS never gives more than it takes. Returns 0 for what is not COBS. */
static uint8_t cobs_decode(uint8_t *bytes, uint8_t size)
{
    uint8_t from = 0;
    uint8_t to = 0;
    while (from < size) {
        uint8_t code = bytes[from++];
        if (code == 0 || code - 1 > size - from) {
            return 0;
        }
        for (; code > 1; code--) {
            bytes[to++] = bytes[from++];
        }
        if (from < size) {
            bytes[to++] = 0;
        }
    }
    return to;
}

uint8_t tl_receiver_take(tl_receiver *receiver, uint8_t byte, bool *bad)
{
    *bad = false;
    if (byte != 0) {
        if (receiver->too_long) {
            return 0;
        }
        if (receiver->size == TL_ENCODED_MAX) {
            receiver->too_long = true;
            *bad = true;
            return 0;
        }
        receiver->bytes[receiver->size++] = byte;
        return 0;
    }
    uint8_t size = receiver->too_long ? 0 : receiver->size;
    receiver->size = 0;
    receiver->too_long = false;
    if (size == 0) {
        return 0; /* an empty frame, or the end of one that was counted when it became too long */
    }
    size = cobs_decode(receiver->bytes, size);
    if (size < 3 || tl_crc(receiver->bytes, (uint8_t)(size - 2)) != tl_get16(receiver->bytes + size - 2)) {
        *bad = true;
        return 0;
    }
    return (uint8_t)(size - 2);
}

bool tl_is_card(uint8_t code)
{
    uint8_t rank = code & 0x0F;
    bool suit_fits = code < TL_CARD_NO_SUIT || (code & 0xF0) == TL_CARD_NO_SUIT;
    return code == TL_CARD_UNREAD || (suit_fits && rank >= 1 && rank <= 13);
}

int8_t tl_event_values(uint8_t kind)
{
    switch (kind) {
    case TL_CARD:
    case TL_KEY:
        return 2;
    case TL_MISREAD:
    case TL_LID:
    case TL_JAM:
    case TL_TAMPER:
    case TL_POWER:
    case TL_SELF_TEST:
        return 1;
    case TL_CUT_CARD:
    case TL_EMPTY:
    case TL_BACKFEED:
        return 0;
    default:
        return -1;
    }
}

uint8_t tl_event_body(uint8_t body[TL_BODY_MAX], const tl_event *event, uint32_t boot_id, uint32_t number)
{
    body[0] = event->kind;
    tl_put16(body + 1, (uint16_t)(boot_id & 0xFFFF));
    tl_put32(body + 3, number);
    tl_put32(body + 7, event->clock_ms);
    body[EVENT_HEAD] = event->values[0];
    body[EVENT_HEAD + 1] = event->values[1];
    return (uint8_t)(EVENT_HEAD + tl_event_values(event->kind));
}

static bool sized(uint8_t size, uint8_t least, uint8_t most)
{
    return size >= least && size <= most;
}

static bool is_serial(const uint8_t *letters, uint8_t size)
{
    for (uint8_t i = 0; i < size; i++) {
        if (letters[i] <= ' ' || letters[i] > '~') {
            return false;
        }
    }
    return true;
}

static bool is_identity(const uint8_t *body, uint8_t size)
{
    if (!sized(size, TL_IDENTITY_HEAD + 1, TL_IDENTITY_HEAD + TL_SERIAL_MAX)) {
        return false;
    }
    uint32_t next = tl_get32(body + 9);
    uint32_t oldest = tl_get32(body + 13);
    return oldest >= 1 && oldest <= next && is_serial(body + TL_IDENTITY_HEAD, (uint8_t)(size - TL_IDENTITY_HEAD));
}

static bool is_event(const uint8_t *body, uint8_t size, uint8_t values)
{
    return size == EVENT_HEAD + values && tl_get32(body + 3) >= 1 &&
           (body[0] != TL_CARD || tl_is_card(body[EVENT_HEAD]));
}

/* A switch and not a table: an AVR keeps a constant table in RAM. Sizes are of the body, its id counted. */
tl_verdict tl_check(const uint8_t *body, uint8_t size)
{
    bool good;
    int8_t values;
    switch (size > 0 ? body[0] : TL_NO_SESSION) {
    case TL_HELLO:
    case TL_RESUME:
        good = sized(size, 11, 11);
        break;
    case TL_IDENTITY:
        good = is_identity(body, size);
        break;
    case TL_READY:
        good = sized(size, 11, 11) && tl_get32(body + 7) >= 1;
        break;
    case TL_REFUSED:
    case TL_SHOWN:
        good = sized(size, 4, 4);
        break;
    case TL_NO_SESSION:
        good = sized(size, 1, 1);
        break;
    case TL_PING:
    case TL_PONG:
        good = sized(size, 3, 3);
        break;
    case TL_ACK:
        good = sized(size, 7, 7);
        break;
    case TL_SHOW:
        good = sized(size, 4, 4 + TL_CONTENT_MAX);
        break;
    default:
        values = tl_event_values(body[0]);
        if (values < 0) {
            return TL_MESSAGE_UNKNOWN;
        }
        good = is_event(body, size, (uint8_t)values);
        break;
    }
    return good ? TL_MESSAGE_GOOD : TL_MESSAGE_BAD;
}
