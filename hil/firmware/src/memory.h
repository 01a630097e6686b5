/* What a device keeps over a power cut: the number of its start, and its key. */
#ifndef MEMORY_H
#define MEMORY_H

#include "tablelink.h"

enum {
    MEMORY_KEY = 0x00, /* one byte with the key's size, 16 to 32, then the key; any other size: no key */
    MEMORY_KEY_MAX = 32,
    MEMORY_STARTS = 0x40, /* MEMORY_RECORDS records of MEMORY_RECORD bytes: number u32, its CRC u16, two unused */
    MEMORY_RECORD = 8,
    MEMORY_RECORDS = 16, /* written in turn: a cell that lasts 100,000 writes lasts 1,600,000 starts */
    MEMORY_END = MEMORY_STARTS + MEMORY_RECORDS * MEMORY_RECORD
};

/* A boot id never used before (TL-021), already kept. False: this memory keeps nothing any more, and the device must
 * not speak, because it would count its events anew under an old number. */
bool memory_new_boot(uint32_t *boot_id);

/* The key's size; 0 for none. */
uint8_t memory_key(uint8_t key[MEMORY_KEY_MAX]);

#endif
