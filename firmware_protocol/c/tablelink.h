/* TableLink version 1, the device end in C99: the one public header. PROTOCOL.md is the text; TL-xxx are its rules.
 *
 * Pure: no clock, no port, no heap. The application hands in received bytes and the time, takes frames out when its
 * line has room, and reads what happened from the return values. Not for interrupts: call all of it from one loop.
 */
#ifndef TABLELINK_H
#define TABLELINK_H

#include <stdbool.h>
#include <stdint.h>

#ifndef TL_AUTH
#define TL_AUTH 0 /* 1: section 9, authentication; costs flash and about 100 bytes of RAM */
#endif
#ifndef TL_QUEUE
#define TL_QUEUE 32 /* events kept until the host has them safe: 4 to 255, 8 bytes each */
#endif
#ifndef TL_SLOTS
#define TL_SLOTS 16 /* most slots a device can have: 1 to 200, 4 bytes each */
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TL_VERSION = 1,
    TL_BODY_MAX = 64,
    TL_ENCODED_MAX = 67, /* body, CRC and COBS's byte; the ending zero is not counted */
    TL_FRAME_MAX = 68,
    TL_NONCE_SIZE = 8,
    TL_SERIAL_MAX = 15,
    TL_IDENTITY_HEAD = 36, /* IDENTITY's body without its serial */
    TL_CONTENT_MAX = 48,
    TL_WINDOW = 32,    /* TL-038 */
    TL_RESERVE = 2,    /* TL-032: a card may be in the throat when the shoe is stopped */
    TL_LOST_MS = 3000, /* TL-073 */
    TL_AUTHENTICATED = 0x80
};

/* Message ids (section 3). */
enum {
    TL_HELLO = 0x01,
    TL_IDENTITY = 0x02,
    TL_RESUME = 0x03,
    TL_READY = 0x04,
    TL_REFUSED = 0x05,
    TL_NO_SESSION = 0x06,
    TL_PING = 0x08,
    TL_PONG = 0x09,
    TL_ACK = 0x10,
    TL_SHOW = 0x18,
    TL_SHOWN = 0x19,
    TL_CARD = 0x20,
    TL_MISREAD = 0x21,
    TL_CUT_CARD = 0x22,
    TL_LID = 0x23,
    TL_EMPTY = 0x24,
    TL_JAM = 0x25,
    TL_BACKFEED = 0x26,
    TL_KEY = 0x27,
    TL_TAMPER = 0x28,
    TL_POWER = 0x29,
    TL_SELF_TEST = 0x2A
};

enum { TL_ROLE_SHOE = 1, TL_ROLE_SIGN = 2, TL_ROLE_PANEL = 4 }; /* TL-013 */
enum {                                                          /* TL-014 */
    TL_CAN_SUITS = 0x0001,
    TL_CAN_CUT_CARD = 0x0002,
    TL_CAN_LOCK = 0x0004,
    TL_CAN_LAMPS = 0x0008,
    TL_CAN_TEXT = 0x0010,
    TL_CAN_KEYS = 0x0020,
    TL_CAN_SELF_TEST = 0x0040,
    TL_WANTS_KEY = 0x0080, /* set by the link itself where there is a key */
    TL_SIMULATED = 0x0200
};
enum { TL_SLOT_LOCK = 0x80, TL_CARD_UNREAD = 0x7F, TL_CARD_NO_SUIT = 0x40 };

/* ---- The device ---- */

/* What a device is. Must outlive the link, which keeps a pointer to it. */
typedef struct {
    const char *serial; /* 1 to 15 characters, printable ASCII without spaces (TL-015) */
    uint32_t baud;      /* for the re-send time; 115200 is right for USB and TCP */
    uint16_t capabilities;
    uint8_t roles;
    uint8_t firmware[3];  /* major, minor, patch */
    const uint8_t *slots; /* the slots this device has, slot_count of them; others are answered and counted (TL-064) */
    uint8_t slot_count;
    /* Writes a nonce this device has never used, over all its starts (TL-086). Called once for each HELLO. */
    void (*fresh_nonce)(void *context, uint8_t nonce[TL_NONCE_SIZE]);
    void *context; /* handed to fresh_nonce */
#if TL_AUTH
    const uint8_t *key; /* 16 to 32 bytes, or NULL for none */
    uint8_t key_size;
#endif
} tl_config;

/* What was received and not used (section 11). Each stops at 65535. */
typedef struct {
    uint16_t bad_frames, bad_messages, unknown, forged, unsealed, duplicates, unexpected, unknown_slots;
} tl_counts;

/* What a call has brought about. One byte received can cause one of these at most. */
typedef enum {
    TL_NOTHING,
    TL_HOST_CONNECTED, /* a session is open */
    TL_HOST_LOST,      /* keep working, keep events; show that there is no table */
    TL_SLOT_CHANGED    /* show device.content in device.slot; the bytes last until the next call of tl_receive */
} tl_output;

typedef struct {
    uint32_t clock_ms;
    uint8_t kind;
    uint8_t values[2];
} tl_event; /* its number is not stored: it follows from its place */

typedef struct {
    uint8_t bytes[TL_ENCODED_MAX];
    uint8_t size;
    bool too_long; /* inside a run that can't be a frame any more */
} tl_receiver;

#if TL_AUTH
/* One session's authentication. The state after the key block takes the place of the session key: as many bytes, and
 * half the work for each tag. */
typedef struct {
    uint32_t keyed[8];
    uint32_t sent; /* counter of the next frame we send */
    uint32_t last; /* counter of the last frame accepted */
    bool any;      /* whether one was accepted */
} tl_seal;
#endif

/* All fields are the link's own; read slot, content, content_size and counts, change nothing. */
typedef struct {
    const tl_config *config;
    const uint8_t *content; /* of the last TL_SLOT_CHANGED */
    uint8_t slot;
    uint8_t content_size;
    tl_counts counts;

    uint32_t boot_id;
    uint32_t next_number;
    uint32_t heard_ms;
    uint32_t resend_from_ms;
    uint32_t resend_us; /* microseconds: doubled milliseconds would drift from the exact time (TL-070) */
    tl_event queue[TL_QUEUE];
    uint8_t first;  /* place of the oldest event in the ring */
    uint8_t queued; /* how many events are kept */
    uint8_t sent;   /* how many of them are on their way */
    bool open;
    bool told_open; /* whether the application was last told that a host is there */
    bool resend_armed;

    /* Answers due, oldest first, and what they will say. At most one of a kind and slot. */
    uint8_t due[5 + TL_SLOTS + 1];
    uint8_t due_count;
    uint8_t refused_reason;
    uint16_t pong_token;
    uint16_t ready_token;
    uint32_t ready_first;
    uint32_t identity_next;
    uint32_t identity_oldest;
    uint8_t identity_nonces[2 * TL_NONCE_SIZE]; /* host's, then ours */
    uint8_t strange_slot;                       /* the last slot asked for that we don't have */
    uint16_t strange_revision;

    uint16_t revisions[TL_SLOTS]; /* in the order of config->slots */
    bool revision_known[TL_SLOTS];
#if TL_AUTH
    tl_seal session; /* of the open session */
    tl_seal offered; /* of the session an IDENTITY offered, until a RESUME takes it up (TL-087) */
    bool has_offer;
#endif
    tl_receiver receiver;
} tl_device;

/* Begin one boot with a boot id never used before (TL-021). False: the config breaks a rule, and nothing will work. */
bool tl_start(tl_device *device, const tl_config *config, uint32_t boot_id);

/* One byte from the line. `now_ms` may wrap; it must come from one clock that never runs backwards. */
tl_output tl_receive(tl_device *device, uint8_t byte, uint32_t now_ms);

/* Notice what time has done; call it in every turn of the loop. TL_HOST_LOST or TL_NOTHING. */
tl_output tl_poll(tl_device *device, uint32_t now_ms);

/* The next frame to send, ending zero included; 0 if nothing is due. Take one only when it can be sent now. */
uint8_t tl_next_frame(tl_device *device, uint32_t now_ms, uint8_t frame[TL_FRAME_MAX]);

/* Number an event and keep it until the host has it safe. Values a kind does not have are not looked at.
 * Returns the number; 0 if it could NOT be kept (queue full, no such kind, no such card): stop the shoe, tell it again. */
uint32_t tl_add(tl_device *device, uint8_t kind, uint32_t clock_ms, uint8_t value, uint8_t second_value);

/* Whether the shoe must be stopped until the host has caught up (TL-032). Ask after tl_add and in every turn. */
bool tl_must_stop(const tl_device *device);

/* The cable is out, as far as the device can tell (USB's DTR fell). TL_HOST_LOST or TL_NOTHING. */
tl_output tl_unplugged(tl_device *device);

/* ---- The codec, for other uses and for tests ---- */

typedef enum { TL_MESSAGE_GOOD, TL_MESSAGE_BAD, TL_MESSAGE_UNKNOWN } tl_verdict;

uint16_t tl_crc(const uint8_t *bytes, uint8_t size);

/* The frame of a body of 1 to 64 bytes; returns its size, or 0 for a body of another size. */
uint8_t tl_frame(const uint8_t *body, uint8_t size, uint8_t frame[TL_FRAME_MAX]);

/* One byte in. Returns the size of the body that is now at the start of `bytes`, or 0; sets *bad for a frame dropped. */
uint8_t tl_receiver_take(tl_receiver *receiver, uint8_t byte, bool *bad);

/* Whether a plain body of either direction is a message of this version (TL-011, TL-012). */
tl_verdict tl_check(const uint8_t *body, uint8_t size);

bool tl_is_card(uint8_t code);

/* How many values an event of this kind carries; -1 if there is no such kind. */
int8_t tl_event_values(uint8_t kind);

/* The body of an event; returns its size. The kind must exist. */
uint8_t tl_event_body(uint8_t body[TL_BODY_MAX], const tl_event *event, uint32_t boot_id, uint32_t number);

uint16_t tl_get16(const uint8_t *bytes);
uint32_t tl_get32(const uint8_t *bytes);
void tl_put16(uint8_t *bytes, uint16_t value);
void tl_put32(uint8_t *bytes, uint32_t value);

#if TL_AUTH
enum { TL_SESSION_KEY_SIZE = 32, TL_COUNTER_SIZE = 4, TL_TAG_SIZE = 8, TL_SEAL_SIZE = 12 };
enum { TL_FROM_HOST = 0x48, TL_FROM_DEVICE = 0x44 };

void tl_session_key(uint8_t session[TL_SESSION_KEY_SIZE], const uint8_t *key, uint8_t key_size,
                    const uint8_t nonces[2 * TL_NONCE_SIZE]);
void tl_seal_start(tl_seal *seal, const uint8_t session[TL_SESSION_KEY_SIZE]);

/* Seal a body in place; returns the new size, or 0 if it would be too long or the counter is used up. */
uint8_t tl_seal_close(tl_seal *seal, uint8_t direction, uint8_t body[TL_BODY_MAX], uint8_t size);

/* Check and unseal a body in place; returns the plain size. 0: forged, cut, replayed or reordered; nothing changed. */
uint8_t tl_seal_open(tl_seal *seal, uint8_t direction, uint8_t *body, uint8_t size);
#endif

#ifdef __cplusplus
}
#endif
#endif
