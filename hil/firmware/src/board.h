/* Everything the firmware asks of a board. A port to another controller is one file with these functions and a main
 * that calls app_start once, then app_turn and board_idle for ever. None of them waits but the two that say so.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* The clock: milliseconds since the start. It may wrap. */
uint32_t board_millis(void);

/* The link's UART: 8N1 at APP_BAUD. Both ends through a ring, emptied and filled by interrupts. */
bool board_received(uint8_t *byte);
bool board_line_is_free(void);                       /* room for a longest frame */
void board_send(const uint8_t *bytes, uint8_t size); /* copies; only when the line is free */

/* 512 bytes or more that outlive a power cut. Writing waits until the byte is kept. */
uint8_t board_kept(uint16_t at);
void board_keep(uint16_t at, uint8_t byte);

/* A number that this board has not started with before, for memory that holds none yet. */
uint32_t board_first_boot(void);

/* Outputs. The motor must also stand while the controller is in reset: see README.md. */
void board_stop_motor(bool stopped);
void board_table_lamp(bool on);

/* Until something may have happened, at most a millisecond. */
void board_idle(void);

/* As after a power cut. Where it returns, the next app_turn is not made before app_start. */
void board_restart(void);

/* ---- Only for the stubs: the bench's line (hil/stimulus.py), which no device has that leaves the bench ---- */

bool board_bench_received(uint8_t *byte);
void board_bench_send(uint8_t byte); /* a byte without room is lost, as on any line */
bool board_bench_is_sent(void);

#endif
