/* The start's number in records written in turn: a power cut in the middle of one leaves the one before it whole, and
 * the number that was being written had not been used yet.
 */
#include "memory.h"

#include "board.h"

enum { CHECKED = 4 /* bytes of a record that its CRC is over */, WRITTEN = 6 };

static uint16_t address(uint8_t record)
{
    return (uint16_t)(MEMORY_STARTS + record * MEMORY_RECORD);
}

static bool read_record(uint8_t record, uint32_t *number)
{
    uint8_t bytes[WRITTEN];
    for (uint8_t i = 0; i < WRITTEN; i++) {
        bytes[i] = board_kept((uint16_t)(address(record) + i));
    }
    *number = tl_get32(bytes);
    return tl_crc(bytes, CHECKED) == tl_get16(bytes + CHECKED);
}

static bool write_record(uint8_t record, uint32_t number)
{
    uint8_t bytes[WRITTEN];
    uint32_t read_back;
    tl_put32(bytes, number);
    tl_put16(bytes + CHECKED, tl_crc(bytes, CHECKED));
    for (uint8_t i = 0; i < WRITTEN; i++) {
        board_keep((uint16_t)(address(record) + i), bytes[i]);
    }
    return read_record(record, &read_back) && read_back == number;
}

bool memory_new_boot(uint32_t *boot_id)
{
    bool any = false;
    uint8_t newest_at = MEMORY_RECORDS - 1;
    uint32_t newest = 0, number;
    for (uint8_t record = 0; record < MEMORY_RECORDS; record++) {
        if (!read_record(record, &number)) {
            continue;
        }
        if (!any || number - newest < UINT32_C(0x80000000)) { /* newer, around the circle */
            newest = number;
            newest_at = record;
        }
        any = true;
    }
    *boot_id = any ? newest + 1 : board_first_boot();
    for (uint8_t tries = 1; tries <= MEMORY_RECORDS; tries++) { /* a worn record is passed over */
        if (write_record((uint8_t)((newest_at + tries) % MEMORY_RECORDS), *boot_id)) {
            return true;
        }
    }
    return false;
}

uint8_t memory_key(uint8_t key[MEMORY_KEY_MAX])
{
    uint8_t size = board_kept(MEMORY_KEY);
    if (size < 16 || size > MEMORY_KEY_MAX) {
        return 0;
    }
    for (uint8_t i = 0; i < size; i++) {
        key[i] = board_kept((uint16_t)(MEMORY_KEY + 1 + i));
    }
    return size;
}
