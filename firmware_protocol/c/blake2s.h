/* BLAKE2s (RFC 7693) as far as TableLink needs it: messages of one block, keyed or not. */
#ifndef TL_BLAKE2S_H
#define TL_BLAKE2S_H

#include <stdbool.h>
#include <stdint.h>

enum { TL_BLAKE2S_BLOCK = 64, TL_BLAKE2S_MOST = 32 };

/* The state after the key block, which is the same for every message under one key and digest size.
 * digest_size is 1 to 32, key_size 0 (no key) to 32. */
void tl_blake2s_key(uint32_t state[8], uint8_t digest_size, const uint8_t *key, uint8_t key_size);

/* The digest of a message of 1 to 64 bytes, padded with zeros to a block by the caller. `state` is left as it was.
 * An empty message is not served: with a key, the key block would have to be the last one. */
void tl_blake2s_digest(const uint32_t state[8], bool keyed, const uint8_t block[TL_BLAKE2S_BLOCK], uint8_t size,
                       uint8_t *digest, uint8_t digest_size);

#endif
