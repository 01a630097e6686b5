/* The device's memory as a file of this machine: read at the start, written where something has changed. */
#ifndef EEPROM_H
#define EEPROM_H

#include <stdint.h>

enum { EEPROM_SIZE = 1024 };

/* A file that is not there is a memory that was never written: all bytes FF. Ends the program where it can't be read. */
void eeprom_read_file(const char *path, uint8_t bytes[EEPROM_SIZE]);

void eeprom_write_file(const char *path, const uint8_t bytes[EEPROM_SIZE]);

#endif
