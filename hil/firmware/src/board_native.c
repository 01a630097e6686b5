/* A board that is a program: the link and the bench's line are ptys, the memory is a file, the hands are on standard
 * input (bench/control.h). For tests, sanitizers and a debugger; the cards still come from the stub.
 */
#define _XOPEN_SOURCE 700
#include "app.h"
#include "board.h"
#include "control.h"
#include "eeprom.h"
#include "pty.h"
#include "ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static control_options options;
static pty_line link_line, bench_line;
static ring received, bench_received;
static uint8_t memory[EEPROM_SIZE];
static bool motor_stopped, lamp_on, powered = true, starting;
static uint64_t started_ms;

static uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint32_t board_millis(void)
{
    return (uint32_t)(clock_ms() - started_ms);
}

bool board_received(uint8_t *byte)
{
    return ring_take(&received, byte);
}

bool board_line_is_free(void)
{
    return true;
}

void board_send(const uint8_t *bytes, uint8_t size)
{
    pty_write(&link_line, bytes, size);
}

uint8_t board_kept(uint16_t at)
{
    return memory[at];
}

void board_keep(uint16_t at, uint8_t byte)
{
    if (memory[at] != byte) {
        memory[at] = byte;
        eeprom_write_file(options.eeprom, memory);
    }
}

uint32_t board_first_boot(void)
{
    uint8_t bytes[4];
    FILE *source = fopen("/dev/urandom", "rb");
    if (source == NULL || fread(bytes, 1, sizeof bytes, source) != sizeof bytes) {
        fputs("/dev/urandom cannot be read: there is no number to begin with\n", stderr);
        exit(2);
    }
    fclose(source);
    return tl_get32(bytes);
}

void board_stop_motor(bool stopped)
{
    motor_stopped = stopped;
}

void board_table_lamp(bool on)
{
    lamp_on = on;
}

bool board_bench_received(uint8_t *byte)
{
    return ring_take(&bench_received, byte);
}

void board_bench_send(uint8_t byte)
{
    pty_write(&bench_line, &byte, 1);
}

bool board_bench_is_sent(void)
{
    return true;
}

void board_restart(void)
{
    starting = true;
}

static void quit(void)
{
    pty_unplug(&link_line);
    pty_unplug(&bench_line);
    exit(0);
}

static void power(bool on)
{
    powered = on;
    starting = on;
    motor_stopped = true; /* its pull-up holds it */
    lamp_on = false;
}

static void tell_pins(void)
{
    char words[40];
    snprintf(words, sizeof words, "motor=%s lamp=%s", motor_stopped ? "stopped" : "runs", lamp_on ? "on" : "off");
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
        starting = powered;
        break;
    case CONTROL_POWER_OFF:
        can = powered;
        power(false);
        break;
    case CONTROL_POWER_ON:
        can = !powered;
        power(true);
        break;
    }
    control_answer(can, can ? "" : "it is so already");
}

/* As much as there is room for; without power a byte falls on the floor. */
static void fill(ring *to, pty_line *from)
{
    uint8_t bytes[RING_SIZE];
    size_t size = pty_read(from, bytes, ring_room(to));
    for (size_t i = 0; i < size && powered; i++) {
        (void)ring_put(to, bytes[i]);
    }
}

void board_idle(void)
{
    pty_line *const lines[] = {&link_line, &bench_line};
    if (ring_empty(&received) && ring_empty(&bench_received)) {
        pty_wait(lines, 2, 1);
    }
    obey(control_take());
    if (starting) {
        return; /* what comes now is for the next start */
    }
    fill(&received, &link_line);
    fill(&bench_received, &bench_line);
}

int main(int count, char **words)
{
    options = control_read_options(count, words, NULL);
    eeprom_read_file(options.eeprom, memory);
    pty_plug(&link_line, options.link);
    pty_plug(&bench_line, options.stimulus);
    control_answer(true, role.name);
    starting = true;
    for (;;) {
        if (starting) { /* all that was in RAM is gone */
            starting = false;
            memset(&received, 0, sizeof received);
            memset(&bench_received, 0, sizeof bench_received);
            started_ms = clock_ms();
            app_start();
        }
        if (powered) {
            app_turn();
        }
        if (!starting) {
            board_idle();
        }
    }
}
