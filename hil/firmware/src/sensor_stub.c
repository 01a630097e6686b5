/* A sensor that sees what the bench tells it (hil/stimulus.py): for proving the rest of the shoe, with no card at all.
 * Where the motor stands it lets no card pass, as a real throat would not; `throat 8S` is a card that was in the throat
 * already. It remembers nothing: what could not be kept is answered `no: full`, and has not happened.
 */
#include "sensor.h"
#include "stimulus.h"

#include <string.h>

enum { UNREAD = 1 /* MISREAD's reason: no code found */ };

void sensor_start(void)
{
    stimulus_start();
}

uint16_t sensor_capabilities(void)
{
    return TL_CAN_SUITS | TL_CAN_CUT_CARD | TL_SIMULATED;
}

/* 0 for what is no card. */
static uint8_t card_code(const char *card)
{
    static const char ranks[] = "A23456789TJQK", suits[] = "CDHS";
    if (strlen(card) != 2) {
        return 0;
    }
    const char *rank = strchr(ranks, card[0]), *suit = strchr(suits, card[1]);
    if (rank == NULL || (suit == NULL && card[1] != '?')) {
        return 0;
    }
    uint8_t code = (uint8_t)(rank - ranks + 1);
    return (uint8_t)(suit != NULL ? code | (suit - suits) << 4 : code | TL_CARD_NO_SUIT);
}

typedef struct {
    const char *verb, *what;
    uint8_t kind, value;
} order;

static const order orders[] = {
    {"misread", "", TL_MISREAD, UNREAD}, {"cut", "", TL_CUT_CARD, 0}, {"lid", "open", TL_LID, 1},
    {"lid", "close", TL_LID, 0},         {"empty", "", TL_EMPTY, 0},  {"jam", "on", TL_JAM, 1},
    {"jam", "off", TL_JAM, 0},           {"back", "", TL_BACKFEED, 0},
};

/* What an order makes happen, or the answer that says why it can't. */
static const char *understand(const char *verb, const char *what, bool stopped, sensor_event *event)
{
    bool throat = strcmp(verb, "throat") == 0, known = throat;
    event->second_value = 0;
    if (throat || strcmp(verb, "deal") == 0) {
        event->kind = TL_CARD;
        event->value = card_code(what);
        return event->value == 0 ? "no: a card, as in 8S" : stopped && !throat ? "no: stopped" : NULL;
    }
    for (uint8_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (strcmp(verb, orders[i].verb) != 0) {
            continue;
        }
        known = true;
        if (strcmp(what, orders[i].what) == 0) {
            event->kind = orders[i].kind;
            event->value = orders[i].value;
            return stopped && event->kind == TL_MISREAD ? "no: stopped" : NULL;
        }
    }
    return known ? "no: another word" : "no: unknown";
}

bool sensor_take(sensor_event *event, bool stopped)
{
    const char *verb, *what;
    if (!stimulus_take(&verb, &what)) {
        return false;
    }
    const char *answer = understand(verb, what, stopped, event);
    if (answer != NULL) {
        stimulus_answer(answer);
        return false;
    }
    return true;
}

void sensor_told(bool kept)
{
    stimulus_answer(kept ? "ok" : "no: full");
}
