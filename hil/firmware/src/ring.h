/* Bytes between an interrupt and the loop: one end puts, the other takes, and neither waits. Keeps RING_SIZE - 1 bytes
 * and refuses the next: what is lost on a line is found by the link's checksum.
 */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

enum { RING_SIZE = 128 }; /* two longest frames nearly; 11 ms of a line at 115200 */

/* One byte each, so that an 8-bit controller reads them in one piece without locking interrupts out. */
typedef struct {
    volatile uint8_t first, end;
    volatile uint8_t bytes[RING_SIZE];
} ring;

static inline uint8_t ring_room(const ring *of)
{
    return (uint8_t)((of->first - of->end - 1) & (RING_SIZE - 1));
}

static inline bool ring_empty(const ring *of)
{
    return of->first == of->end;
}

static inline bool ring_put(ring *to, uint8_t byte)
{
    if (ring_room(to) == 0) {
        return false;
    }
    to->bytes[to->end] = byte;
    to->end = (uint8_t)((to->end + 1) & (RING_SIZE - 1));
    return true;
}

static inline bool ring_take(ring *from, uint8_t *byte)
{
    if (ring_empty(from)) {
        return false;
    }
    *byte = from->bytes[from->first];
    from->first = (uint8_t)((from->first + 1) & (RING_SIZE - 1));
    return true;
}

#endif
