#include "eeprom.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *path)
{
    fprintf(stderr, "the memory %s cannot be used: %s\n", path, errno != 0 ? strerror(errno) : "it has not 1024 bytes");
    exit(2);
}

void eeprom_read_file(const char *path, uint8_t bytes[EEPROM_SIZE])
{
    memset(bytes, 0xFF, EEPROM_SIZE);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        if (errno != ENOENT) {
            give_up(path);
        }
        return;
    }
    errno = 0;
    if (fread(bytes, 1, EEPROM_SIZE, file) != EEPROM_SIZE) {
        give_up(path);
    }
    fclose(file);
}

void eeprom_write_file(const char *path, const uint8_t bytes[EEPROM_SIZE])
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, EEPROM_SIZE, file) != EEPROM_SIZE || fclose(file) != 0) {
        give_up(path);
    }
}
