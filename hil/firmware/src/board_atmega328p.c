/* The ATmega328P at 16 MHz, as on an Uno or a Nano. Pins by their Arduino names: D0 and D1 the link, D4 stops the motor
 * (high: stopped), D7 the table lamp, D10 to D13 the bench's line as an SPI slave (only with a stub).
 */
#include "app.h"
#include "board.h"
#include "ring.h"

#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#define BAUD APP_BAUD
#define BAUD_TOL 3 /* 115200 is 2.1 % off at 16 MHz, as on every Uno */
#include <util/setbaud.h>

enum { MOTOR_STOP = _BV(PD4), LAMP = _BV(PD7), MISO = _BV(PB4) };

static ring received, to_send;
static volatile uint32_t millis;

ISR(TIMER0_COMPA_vect)
{
    millis++;
}

ISR(USART_RX_vect)
{
    (void)ring_put(&received, UDR0);
}

ISR(USART_UDRE_vect)
{
    uint8_t byte;
    if (ring_take(&to_send, &byte)) {
        UDR0 = byte;
    } else {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
    }
}

/* A watchdog that bit is still on after the reset: off before it bites again. */
void watchdog_off(void) __attribute__((naked, used, section(".init3")));
void watchdog_off(void)
{
    MCUSR = 0;
    wdt_disable();
}

uint32_t board_millis(void)
{
    uint32_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        now = millis;
    }
    return now;
}

bool board_received(uint8_t *byte)
{
    return ring_take(&received, byte);
}

bool board_line_is_free(void)
{
    return ring_room(&to_send) >= TL_FRAME_MAX;
}

void board_send(const uint8_t *bytes, uint8_t size)
{
    for (uint8_t i = 0; i < size; i++) {
        (void)ring_put(&to_send, bytes[i]);
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        UCSR0B |= _BV(UDRIE0);
    }
}

uint8_t board_kept(uint16_t at)
{
    return eeprom_read_byte((const uint8_t *)at);
}

void board_keep(uint16_t at, uint8_t byte)
{
    eeprom_update_byte((uint8_t *)at, byte);
    eeprom_busy_wait();
}

/* Of the build: a memory that was erased with its program begins at another number than before. */
uint32_t board_first_boot(void)
{
    return UINT32_C(FIRST_BOOT);
}

void board_stop_motor(bool stopped)
{
    PORTD = (uint8_t)(stopped ? PORTD | MOTOR_STOP : PORTD & ~MOTOR_STOP);
}

void board_table_lamp(bool on)
{
    PORTD = (uint8_t)(on ? PORTD | LAMP : PORTD & ~LAMP);
}

/* A byte that comes between the look and the sleep waits for the clock's next tick. */
void board_idle(void)
{
    wdt_reset();
    if (ring_empty(&received)) {
        sleep_mode();
    }
}

void board_restart(void)
{
    cli();
#if STUB
    SPCR = 0; /* the bench's next order is for the next start */
#endif
    wdt_disable(); /* simavr takes no other time while it is on */
    wdt_enable(WDTO_15MS);
    for (;;) {
    }
}

#if STUB
/* The bench is the SPI's master. A zero in either direction is no byte; each byte given is what the master's next
 * transfer brings back. It leaves 50 microseconds between bytes. */
static ring bench_received, bench_to_send;
static volatile uint8_t bench_next; /* lies in the shift register for the next transfer */

ISR(SPI_STC_vect)
{
    uint8_t byte = SPDR, next = 0;
    if (byte != 0) {
        (void)ring_put(&bench_received, byte);
    }
    (void)ring_take(&bench_to_send, &next);
    SPDR = bench_next = next;
}

bool board_bench_received(uint8_t *byte)
{
    return ring_take(&bench_received, byte);
}

void board_bench_send(uint8_t byte)
{
    (void)ring_put(&bench_to_send, byte);
}

bool board_bench_is_sent(void)
{
    return ring_empty(&bench_to_send) && bench_next == 0;
}
#endif

int main(void)
{
    PORTD = MOTOR_STOP;
    DDRD = MOTOR_STOP | LAMP;
    UCSR0A = USE_2X ? _BV(U2X0) : 0;
    UBRR0 = UBRR_VALUE;
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    TCCR0A = _BV(WGM01);
    OCR0A = F_CPU / 64 / 1000 - 1;
    TCCR0B = _BV(CS01) | _BV(CS00);
    TIMSK0 = _BV(OCIE0A);
#if STUB
    DDRB = MISO;
    SPCR = _BV(SPE) | _BV(SPIE);
#endif
    set_sleep_mode(SLEEP_MODE_IDLE);
    wdt_enable(WDTO_2S); /* a firmware that hangs starts anew, and the host is told so by the boot id */
    sei();
    app_start();
    for (;;) {
        app_turn();
        board_idle();
    }
}
