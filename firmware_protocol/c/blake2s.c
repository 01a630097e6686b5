/* BLAKE2s, written from RFC 7693 (its section numbers are in the comments). Small before fast: 8-bit controllers. */
#include "blake2s.h"

#ifdef __AVR__ /* constants would be copied into RAM otherwise */
#include <avr/pgmspace.h>
#define IN_FLASH PROGMEM
#define FLASH_BYTE(address) pgm_read_byte(address)
#define FLASH_WORD(address) pgm_read_dword(address)
#else
#define IN_FLASH
#define FLASH_BYTE(address) (*(address))
#define FLASH_WORD(address) (*(address))
#endif

/* 2.6: the initial vector, the same as SHA-256's. */
static const uint32_t initial[8] IN_FLASH = {0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au,
                                             0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u};

/* 2.7: the message schedule, two word numbers in a byte (first use in the high half). */
static const uint8_t schedule[10][8] IN_FLASH = {
    {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF}, {0xEA, 0x48, 0x9F, 0xD6, 0x1C, 0x02, 0xB7, 0x53},
    {0xB8, 0xC0, 0x52, 0xFD, 0xAE, 0x36, 0x71, 0x94}, {0x79, 0x31, 0xDC, 0xBE, 0x26, 0x5A, 0x40, 0xF8},
    {0x90, 0x57, 0x24, 0xAF, 0xE1, 0xBC, 0x68, 0x3D}, {0x2C, 0x6A, 0x0B, 0x83, 0x4D, 0x75, 0xFE, 0x19},
    {0xC5, 0x1F, 0xED, 0x4A, 0x07, 0x63, 0x92, 0x8B}, {0xDB, 0x7E, 0xC1, 0x39, 0x50, 0xF4, 0x86, 0x2A},
    {0x6F, 0xE9, 0xB3, 0x08, 0xC2, 0xD7, 0x14, 0xA5}, {0xA2, 0x84, 0x76, 0x15, 0xFB, 0x9E, 0x3C, 0xD0}};

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t turned(uint32_t word, uint8_t right)
{
    return word >> right | word << (32 - right);
}

/* 3.1: mix two message words into four words of the work vector. */
static void mix(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d, uint32_t x, uint32_t y)
{
    *a += *b + x;
    *d = turned(*d ^ *a, 16);
    *c += *d;
    *b = turned(*b ^ *c, 12);
    *a += *b + y;
    *d = turned(*d ^ *a, 8);
    *c += *d;
    *b = turned(*b ^ *c, 7);
}

/* 3.2: take one block into the state. Offsets above 255 can't occur: at most a key block and one message block. */
static void compress(uint32_t state[8], const uint8_t block[TL_BLAKE2S_BLOCK], uint8_t offset, bool last)
{
    uint32_t v[16];
    for (uint8_t i = 0; i < 8; i++) {
        v[i] = state[i];
        v[i + 8] = FLASH_WORD(&initial[i]);
    }
    v[12] ^= offset;
    if (last) {
        v[14] = ~v[14];
    }
    for (uint8_t round = 0; round < 10; round++) {
        for (uint8_t i = 0; i < 8; i++) {
            uint8_t words = FLASH_BYTE(&schedule[round][i]);
            uint8_t column = i & 3;
            uint8_t slant = i < 4 ? 0 : 1; /* first the four columns, then the four diagonals */
            mix(&v[column], &v[4 + ((column + slant) & 3)], &v[8 + ((column + 2 * slant) & 3)],
                &v[12 + ((column + 3 * slant) & 3)], word_at(block + 4 * (words >> 4)),
                word_at(block + 4 * (words & 15)));
        }
    }
    for (uint8_t i = 0; i < 8; i++) {
        state[i] ^= v[i] ^ v[i + 8];
    }
}

void tl_blake2s_key(uint32_t state[8], uint8_t digest_size, const uint8_t *key, uint8_t key_size)
{
    for (uint8_t i = 0; i < 8; i++) {
        state[i] = FLASH_WORD(&initial[i]);
    }
    state[0] ^= 0x01010000u ^ (uint32_t)key_size << 8 ^ digest_size; /* 2.5: sequential mode */
    if (key_size > 0) {
        uint8_t block[TL_BLAKE2S_BLOCK];
        for (uint8_t i = 0; i < TL_BLAKE2S_BLOCK; i++) {
            block[i] = i < key_size ? key[i] : 0;
        }
        compress(state, block, TL_BLAKE2S_BLOCK, false);
    }
}

void tl_blake2s_digest(const uint32_t state[8], bool keyed, const uint8_t block[TL_BLAKE2S_BLOCK], uint8_t size,
                       uint8_t *digest, uint8_t digest_size)
{
    uint32_t h[8];
    for (uint8_t i = 0; i < 8; i++) {
        h[i] = state[i];
    }
    compress(h, block, (uint8_t)(size + (keyed ? TL_BLAKE2S_BLOCK : 0)), true);
    for (uint8_t i = 0; i < digest_size; i++) {
        digest[i] = (uint8_t)(h[i / 4] >> (8 * (i % 4)) & 0xFF);
    }
}
