/* A device and its codec on stdin and stdout, for tests: one command a line, hexadecimal bytes, no clock of its own.
 * After the answers to each command comes a line with a dot. Trusts its caller: this is a test tool, not firmware.
 *
 * Device:  I boot baud roles capabilities major minor patch serial key|- slots|-    start anew; "no" if refused
 *          W nonce         the next nonce; the first four bytes count up from it
 *          T ms            the time is now      P   poll
 *          R bytes         receive              E kind clock value value   add an event: "N number"
 *          D               send all frames due: "S frame" each            D1  only one
 *          U               unplugged            Q   state and counts       N number   pretend that many events
 *          outputs: "connected", "lost", "slot NN content"
 * Codec:   F bytes   frames in them: "body …", "bad"     G body   its frame     M body   good, bad or unknown
 *          V kind boot number clock value value   an event's body          C bytes   CRC          A code   1 if a card
 *          Z         sizes in bytes
 * TL_AUTH: K key nonces   session key          X session direction counter body   sealed
 *          Y session direction sealed sealed …    opened one after another: "body" or "-"
 *          B digest-size key|- message           BLAKE2s        H number   pretend that many frames were sent
 */
#include "tablelink.h"
#if TL_AUTH
#include "blake2s.h"
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 65536, MOST_WORDS = 16 };

static tl_device device;
static tl_config config;
static char serial[64];
static uint8_t slots[256], key[64], bytes[MOST_BYTES], nonce[TL_NONCE_SIZE];
static uint32_t now_ms;
static char *words[MOST_WORDS];
static int word_count;

static uint32_t number(int word)
{
    return word < word_count ? (uint32_t)strtoul(words[word], NULL, 0) : 0;
}

static uint8_t small(int word)
{
    return (uint8_t)number(word);
}

static size_t unhex(int word, uint8_t *to, size_t most)
{
    size_t size = 0;
    const char *text = word < word_count && strcmp(words[word], "-") != 0 ? words[word] : "";
    for (; text[0] != '\0' && text[1] != '\0' && size < most; text += 2) {
        char pair[3] = {text[0], text[1], '\0'};
        to[size++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return size;
}

static void say(const char *before, const uint8_t *from, size_t size)
{
    fputs(before, stdout);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", from[i]);
    }
    putchar('\n');
}

static void counting_nonce(void *context, uint8_t to[TL_NONCE_SIZE])
{
    uint8_t *next = context;
    memcpy(to, next, TL_NONCE_SIZE);
    tl_put32(next, tl_get32(next) + 1);
}

static void tell(tl_output output)
{
    if (output == TL_HOST_CONNECTED) {
        puts("connected");
    } else if (output == TL_HOST_LOST) {
        puts("lost");
    } else if (output == TL_SLOT_CHANGED) {
        printf("slot %02x ", device.slot);
        say("", device.content, device.content_size);
    }
}

static void start(void)
{
    memset(&config, 0, sizeof config);
    config.baud = number(2);
    config.roles = small(3);
    config.capabilities = (uint16_t)number(4);
    for (int i = 0; i < 3; i++) {
        config.firmware[i] = small(5 + i);
    }
    serial[unhex(8, (uint8_t *)serial, sizeof serial - 1)] = '\0';
    config.serial = serial;
    size_t key_size = unhex(9, key, sizeof key);
    config.slot_count = (uint8_t)unhex(10, slots, 255);
    config.slots = slots;
    config.fresh_nonce = counting_nonce;
    config.context = nonce;
    bool possible = true;
#if TL_AUTH
    config.key = key_size > 0 ? key : NULL;
    config.key_size = (uint8_t)key_size;
#else
    possible = key_size == 0;
#endif
    puts(tl_start(&device, &config, number(1)) && possible ? "yes" : "no");
}

static void send_due(int most)
{
    uint8_t frame[TL_FRAME_MAX], size;
    while (most-- != 0 && (size = tl_next_frame(&device, now_ms, frame)) > 0) {
        say("S ", frame, size);
    }
}

static void tell_state(void)
{
    const tl_counts *counts = &device.counts;
    printf("Q %d %u %d %" PRIu32 " %u %u %u %u %u %u %u %u\n", device.open, device.queued, tl_must_stop(&device),
           device.next_number, counts->bad_frames, counts->bad_messages, counts->unknown, counts->forged,
           counts->unsealed, counts->duplicates, counts->unexpected, counts->unknown_slots);
}

static void find_frames(size_t size)
{
    static tl_receiver receiver; /* kept between commands: bytes may be cut anywhere */
    for (size_t i = 0; i < size; i++) {
        bool bad;
        uint8_t body_size = tl_receiver_take(&receiver, bytes[i], &bad);
        if (body_size > 0) {
            say("body ", receiver.bytes, body_size);
        } else if (bad) {
            puts("bad");
        }
    }
}

#if TL_AUTH
static void authenticate(void)
{
    uint8_t session[TL_BLAKE2S_BLOCK] = {0};
    size_t size = unhex(words[0][0] == 'B' ? 2 : 1, session, sizeof session);
    if (words[0][0] == 'K') {
        uint8_t nonces[2 * TL_NONCE_SIZE], result[TL_SESSION_KEY_SIZE];
        unhex(2, nonces, sizeof nonces);
        tl_session_key(result, session, (uint8_t)size, nonces);
        say("", result, sizeof result);
    } else if (words[0][0] == 'B') {
        uint32_t state[8];
        uint8_t block[TL_BLAKE2S_BLOCK] = {0}, digest[TL_BLAKE2S_MOST];
        uint8_t message_size = (uint8_t)unhex(3, block, sizeof block);
        tl_blake2s_key(state, small(1), session, (uint8_t)size);
        tl_blake2s_digest(state, size > 0, block, message_size, digest, small(1));
        say("", digest, small(1));
    } else {
        tl_seal seal;
        tl_seal_start(&seal, session);
        seal.sent = number(3);
        for (int word = words[0][0] == 'X' ? 4 : 3; word < word_count; word++) {
            uint8_t body_size = (uint8_t)unhex(word, bytes, TL_BODY_MAX);
            body_size = words[0][0] == 'X' ? tl_seal_close(&seal, small(2), bytes, body_size)
                                           : tl_seal_open(&seal, small(2), bytes, body_size);
            say(body_size > 0 ? "" : "-", bytes, body_size);
        }
    }
}
#endif

static void obey(void)
{
    uint8_t frame[TL_FRAME_MAX], body[TL_BODY_MAX];
    size_t size = unhex(1, bytes, sizeof bytes);
    switch (words[0][0]) {
    case 'I': start(); break;
    case 'W': unhex(1, nonce, sizeof nonce); break;
    case 'T': now_ms = number(1); break;
    case 'P': tell(tl_poll(&device, now_ms)); break;
    case 'R':
        for (size_t i = 0; i < size; i++) {
            tell(tl_receive(&device, bytes[i], now_ms));
        }
        break;
    case 'E': printf("N %" PRIu32 "\n", tl_add(&device, small(1), number(2), small(3), small(4))); break;
    case 'D': send_due(words[0][1] == '1' ? 1 : -1); break;
    case 'U': tell(tl_unplugged(&device)); break;
    case 'Q': tell_state(); break;
    case 'N': device.next_number = number(1); break;
    case 'F': find_frames(size); break;
    case 'G': say("", frame, tl_frame(bytes, (uint8_t)size, frame)); break;
    case 'M': puts((const char *const[]){"good", "bad", "unknown"}[tl_check(bytes, (uint8_t)size)]); break;
    case 'V': {
        tl_event event = {number(4), small(1), {small(5), small(6)}};
        say("", body, tl_event_body(body, &event, number(2), number(3)));
        break;
    }
    case 'C': printf("%04X\n", tl_crc(bytes, (uint8_t)size)); break;
    case 'A': puts(tl_is_card(small(1)) ? "1" : "0"); break;
    case 'Z': printf("Z %u %u %u\n", (unsigned)sizeof device, (unsigned)sizeof(tl_event), TL_AUTH); break;
#if TL_AUTH
    case 'H': device.session.sent = number(1); break;
    case 'K':
    case 'X':
    case 'Y':
    case 'B': authenticate(); break;
#endif
    default: puts("what?"); break;
    }
}

int main(void)
{
    static char line[2 * MOST_BYTES + 256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        word_count = 0;
        for (char *word = strtok(line, " \n"); word != NULL && word_count < MOST_WORDS; word = strtok(NULL, " \n")) {
            words[word_count++] = word;
        }
        if (word_count > 0) {
            obey();
            puts(".");
        }
        fflush(stdout);
    }
    return 0;
}
