/* An ATmega328P in simavr with our firmware in it: its UART on a pty, the stub's SPI line on another, its EEPROM in a
 * file, its reset pin and its supply on standard input (control.h). Keeps the controller at the wall clock's pace.
 *
 * simavr's own uart_pty is not used, because its pty can't be pulled out and put back while the controller runs.
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include "control.h"
#include "eeprom.h"
#include "pty.h"

#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    HERTZ = 16000000,
    MEGAHERTZ = HERTZ / 1000000,
    LOOK_CYCLES = 100 * MEGAHERTZ, /* how often the lines are looked at while the controller works */
    SPI_CYCLES = 100 * MEGAHERTZ,  /* from byte to byte of the stub's line: it needs 50 microseconds */
    SPI_IDLE_CYCLES = 1000 * MEGAHERTZ, /* to the next look whether it has something to say */
    BEHIND_US = 100000,            /* further behind the wall clock, the lost time is given up */
    SPCR = 0x4C, /* of the ATmega328P */
    SPE = 6,
    MOTOR_STOP = 4,
    LAMP = 7
};

static control_options options;
static avr_t *avr;
static pty_line link_line, bench_line;
static avr_irq_t *uart_in, *spi_in;
static uint8_t to_uart[256], to_bench[256], memory[EEPROM_SIZE];
static size_t uart_first, uart_end, bench_first, bench_end;
static bool uart_is_full, powered = true;
static avr_cycle_count_t next_spi, looked, base_cycle;
static uint64_t base_us;

static uint64_t wall_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void set_pace(void)
{
    base_us = wall_us();
    base_cycle = next_spi = looked = avr->cycle;
}

/* ---- Its pins ---- */

static void uart_sent(struct avr_irq_t *irq, uint32_t byte, void *unused)
{
    (void)irq;
    (void)unused;
    uint8_t one = (uint8_t)byte;
    pty_write(&link_line, &one, 1);
}

static void uart_full(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)value;
    (void)unused;
    uart_is_full = true;
}

static void uart_has_room(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)value;
    (void)unused;
    uart_is_full = false;
}

static void spi_answered(struct avr_irq_t *irq, uint32_t byte, void *unused)
{
    (void)irq;
    (void)unused;
    uint8_t one = (uint8_t)byte;
    if (one != 0) {
        pty_write(&bench_line, &one, 1);
        next_spi = avr->cycle + SPI_CYCLES;
    }
}

static bool pin(int number)
{
    avr_ioport_state_t state;
    return avr_ioctl(avr, AVR_IOCTL_IOPORT_GETSTATE('D'), &state) == 0 && (state.port >> number & 1);
}

static void connect_pins(void)
{
    uint32_t flags = 0; /* nothing of the UART on our standard output, and no pauses of its own */
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    spi_in = avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), uart_sent, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), uart_full, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), uart_has_room, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), spi_answered, NULL);
}

/* ---- Its memory and its supply ---- */

static void remember(void)
{
    uint8_t now[EEPROM_SIZE];
    avr_eeprom_desc_t part = {.ee = now, .offset = 0, .size = EEPROM_SIZE};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_GET, &part);
    if (memcmp(now, memory, EEPROM_SIZE) != 0) {
        memcpy(memory, now, EEPROM_SIZE);
        eeprom_write_file(options.eeprom, memory);
    }
}

static void begin_anew(void)
{
    uart_first = uart_end = bench_first = bench_end = 0;
    uart_is_full = false;
    avr_reset(avr);
    set_pace();
}

/* What RAM holds when the supply comes back is anything but zero. */
static uint8_t garbage(uint32_t at)
{
    return (uint8_t)(at * 167 + 13);
}

static void scramble(void)
{
    for (uint32_t at = (uint32_t)avr->ioend + 1; at <= avr->ramend; at++) {
        avr->data[at] = garbage(at);
    }
}

/* What the stack has not reached since the supply came: the longest stretch that is still as it was then. */
static uint32_t never_used(void)
{
    uint32_t longest = 0, stretch = 0;
    for (uint32_t at = (uint32_t)avr->ioend + 1; at <= avr->ramend; at++) {
        stretch = avr->data[at] == garbage(at) ? stretch + 1 : 0;
        longest = stretch > longest ? stretch : longest;
    }
    return longest;
}

/* ---- Its surroundings ---- */

static void quit(void)
{
    remember();
    pty_unplug(&link_line);
    pty_unplug(&bench_line);
    exit(0);
}

static void tell_pins(void)
{
    char words[60];
    bool stopped = !powered || pin(MOTOR_STOP); /* a pull-up holds it */
    snprintf(words, sizeof words, "motor=%s lamp=%s spare=%u", stopped ? "stopped" : "runs",
             powered && pin(LAMP) ? "on" : "off", (unsigned)never_used());
    control_answer(true, words);
}

static void obey(control_order order)
{
    bool can = true;
    switch (order) {
    case CONTROL_NOTHING: return;
    case CONTROL_QUIT: quit(); return;
    case CONTROL_PINS: tell_pins(); return;
    case CONTROL_UNPLUG:
        can = link_line.master >= 0;
        pty_unplug(&link_line);
        break;
    case CONTROL_PLUG:
        can = link_line.master < 0;
        if (can) {
            pty_plug(&link_line, options.link);
        }
        break;
    case CONTROL_RESET:
        can = powered;
        if (can) {
            begin_anew();
        }
        break;
    case CONTROL_POWER_OFF:
        can = powered;
        powered = false;
        break;
    case CONTROL_POWER_ON:
        can = !powered;
        if (can) {
            powered = true;
            scramble();
            begin_anew();
        }
        break;
    }
    control_answer(can, can ? "" : "it is so already");
}

static void refill(pty_line *from, uint8_t *bytes, size_t most, size_t *first, size_t *end)
{
    if (*first == *end) {
        *first = 0;
        *end = pty_read(from, bytes, most);
    }
}

static void look_at_the_lines(void)
{
    refill(&link_line, to_uart, sizeof to_uart, &uart_first, &uart_end);
    while (uart_first < uart_end && !uart_is_full) {
        avr_raise_irq(uart_in, to_uart[uart_first++]);
    }
    refill(&bench_line, to_bench, sizeof to_bench, &bench_first, &bench_end);
    bool listens = avr->data[SPCR] >> SPE & 1; /* not for a moment after a reset */
    if (listens && avr->cycle >= next_spi) { /* a zero fetches what the stub may have to say */
        bool any = bench_first < bench_end;
        next_spi = avr->cycle + (any ? SPI_CYCLES : SPI_IDLE_CYCLES); /* sooner where it answers */
        avr_raise_irq(spi_in, any ? to_bench[bench_first++] : 0);
    }
}

/* So far ahead of the wall clock, in microseconds; where simavr counts from 0 again (the watchdog has bitten), or the
 * wall clock is far ahead, the count begins anew. */
static uint64_t ahead_us(avr_cycle_count_t at)
{
    uint64_t now_us = wall_us(), due_us = base_us + (at - base_cycle) / MEGAHERTZ;
    if (at < base_cycle || now_us > due_us + BEHIND_US) {
        set_pace();
        return 0;
    }
    return due_us > now_us ? due_us - now_us : 0;
}

/* Called where the controller sleeps, and while it works: waits until the wall clock has come as far. */
static void keep_pace(avr_t *mcu, avr_cycle_count_t cycles)
{
    pty_line *const lines[] = {&link_line, &bench_line};
    uint64_t ahead = ahead_us(mcu->cycle + cycles);
    if (ahead >= 1000) {
        pty_wait(lines, 2, (int)(ahead / 1000));
    }
}

static void run(void)
{
    for (;;) {
        if (!powered) {
            uint8_t lost[256];
            pty_wait(NULL, 0, 20);
            (void)pty_read(&link_line, lost, sizeof lost);
            (void)pty_read(&bench_line, lost, sizeof lost);
            obey(control_take());
            continue;
        }
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "the controller stopped: %s\n", state == cpu_Done ? "done" : "crashed");
            remember();
            exit(1);
        }
        if (avr->cycle < looked || avr->cycle >= looked + LOOK_CYCLES) {
            keep_pace(avr, 0);
            looked = avr->cycle;
            look_at_the_lines();
            remember();
            obey(control_take());
        }
    }
}

int main(int count, char **words)
{
    options = control_read_options(count, words, "FIRMWARE.elf");
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(options.rest, &firmware) != 0) {
        fprintf(stderr, "%s is no firmware that simavr can read\n", options.rest);
        return 2;
    }
    avr = avr_make_mcu_by_name("atmega328p");
    if (avr == NULL) {
        fputs("this simavr knows no atmega328p\n", stderr);
        return 2;
    }
    avr_init(avr);
    firmware.frequency = HERTZ;
    avr_load_firmware(avr, &firmware);
    avr->log = LOG_ERROR;
    avr->sleep = keep_pace;
    eeprom_read_file(options.eeprom, memory);
    avr_eeprom_desc_t part = {.ee = memory, .offset = 0, .size = EEPROM_SIZE};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &part);
    connect_pins();
    pty_plug(&link_line, options.link);
    pty_plug(&bench_line, options.stimulus);
    control_answer(true, options.rest);
    scramble();
    set_pace();
    run();
}
