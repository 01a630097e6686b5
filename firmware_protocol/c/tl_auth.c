/* Authentication (section 9): a session key from both nonces, then a counter and a tag on every frame. */
#include "tablelink.h"

#if TL_AUTH
#include "blake2s.h"

#include <string.h>

void tl_session_key(uint8_t session[TL_SESSION_KEY_SIZE], const uint8_t *key, uint8_t key_size,
                    const uint8_t nonces[2 * TL_NONCE_SIZE])
{
    uint32_t state[8];
    uint8_t block[TL_BLAKE2S_BLOCK] = {'T', 'L', '1'};
    memcpy(block + 3, nonces, 2 * TL_NONCE_SIZE);
    tl_blake2s_key(state, TL_SESSION_KEY_SIZE, key, key_size);
    tl_blake2s_digest(state, true, block, 3 + 2 * TL_NONCE_SIZE, session, TL_SESSION_KEY_SIZE);
}

void tl_seal_start(tl_seal *seal, const uint8_t session[TL_SESSION_KEY_SIZE])
{
    memset(seal, 0, sizeof *seal);
    tl_blake2s_key(seal->keyed, TL_TAG_SIZE, session, TL_SESSION_KEY_SIZE);
}

/* The tag of id, payload and counter: at most 56 bytes, so that one block holds them with their direction. */
static void tag_of(const tl_seal *seal, uint8_t direction, const uint8_t *marked, uint8_t size, uint8_t tag[TL_TAG_SIZE])
{
    uint8_t block[TL_BLAKE2S_BLOCK] = {0};
    block[0] = direction;
    memcpy(block + 1, marked, size);
    tl_blake2s_digest(seal->keyed, true, block, (uint8_t)(size + 1), tag, TL_TAG_SIZE);
}

uint8_t tl_seal_close(tl_seal *seal, uint8_t direction, uint8_t body[TL_BODY_MAX], uint8_t size)
{
    /* A counter never comes back to 0: the device ends the session long before; this is the last guard. */
    if (size < 1 || size > TL_BODY_MAX - TL_SEAL_SIZE || seal->sent == UINT32_MAX) {
        return 0;
    }
    body[0] |= TL_AUTHENTICATED;
    tl_put32(body + size, seal->sent++);
    size = (uint8_t)(size + TL_COUNTER_SIZE);
    tag_of(seal, direction, body, size, body + size);
    return (uint8_t)(size + TL_TAG_SIZE);
}

uint8_t tl_seal_open(tl_seal *seal, uint8_t direction, uint8_t *body, uint8_t size)
{
    if (size < 1 + TL_SEAL_SIZE || size > TL_BODY_MAX || !(body[0] & TL_AUTHENTICATED)) {
        return 0;
    }
    uint8_t tag[TL_TAG_SIZE];
    uint8_t marked = (uint8_t)(size - TL_TAG_SIZE);
    tag_of(seal, direction, body, marked, tag);
    uint8_t differs = 0; /* every byte is compared: the time must not tell how many were right */
    for (uint8_t i = 0; i < TL_TAG_SIZE; i++) {
        differs = (uint8_t)(differs | (tag[i] ^ body[marked + i]));
    }
    uint32_t counter = tl_get32(body + marked - TL_COUNTER_SIZE);
    if (differs || (seal->any && counter <= seal->last)) {
        return 0;
    }
    seal->any = true;
    seal->last = counter;
    body[0] &= (uint8_t)(TL_AUTHENTICATED - 1);
    return (uint8_t)(size - TL_SEAL_SIZE);
}
#else
typedef int tl_auth_is_left_out; /* C99 wants a declaration in every file */
#endif
