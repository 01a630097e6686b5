/* What looks at the cards: the one part of a shoe that every maker has another of. sensor_stub.c is the bench's; put
 * yours in a file of your own (make SENSOR=src/my_reader.c).
 */
#ifndef SENSOR_H
#define SENSOR_H

#include "tablelink.h"

typedef struct {
    uint8_t kind; /* TL_CARD, TL_MISREAD, TL_CUT_CARD, TL_LID, TL_EMPTY, TL_JAM, TL_BACKFEED, TL_TAMPER */
    uint8_t value, second_value;
} sensor_event;

void sensor_start(void);

/* What it can do: of TL_CAN_SUITS and TL_CAN_CUT_CARD; TL_SIMULATED where no real cards are read. */
uint16_t sensor_capabilities(void);

/* Asked in every turn; must not wait. True: this happened, oldest first. `stopped`: the motor stands, so that a card
 * that comes all the same was in the throat already. */
bool sensor_take(sensor_event *event, bool stopped);

/* Called once after each event, before the next is taken. Not kept means that there was no room: a cut card, a lid or
 * a jam must then be told again until it is kept. A card can't wait; the shoe has halted. */
void sensor_told(bool kept);

#endif
