"""The unit: does it run, come up by itself, restart; and does its sandbox let this configuration work? Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from controller.doctor.finding import Finding
from controller.doctor.machine import UNIT, UNIT_PLACES, Machine
from controller.doctor.unit import Unit, read_unit

SUBJECT: Final = "service"
LOG: Final = "journalctl -u croupier -n 50 shows why"
USUAL: Final = "/var/lib/croupier"


def unit_of(machine: Machine) -> Unit | None:
    place = next((place for place in UNIT_PLACES if machine.text(f"{place}/{UNIT}") is not None), None)
    if place is None:
        return None
    more = {
        path.rpartition("/")[2]: text
        for where in reversed(UNIT_PLACES)
        for path, text in machine.matching(f"{where}/{UNIT}.d/*.conf")
    }
    return read_unit([machine.texts[f"{place}/{UNIT}"], *(more[name] for name in sorted(more))])


def check(machine: Machine) -> Iterator[Finding]:
    unit = unit_of(machine)
    if unit is None:
        words = "There is no service: the table is started by hand (croupier run)."
        if machine.service is not None and machine.service.get("LoadState") == "loaded":
            words = "The service is there, but its unit may not be read."
        yield Finding(SUBJECT, "good", words)
    elif machine.service is not None:
        yield from _state(machine.service)
    if unit is not None and machine.under_unit:
        yield from _sandbox(unit, machine)
    elif unit is not None and machine.config and unit.config and machine.table is not None:
        words = f"The service runs {unit.config}; this look was at {machine.config}."
        yield Finding(SUBJECT, "good", words)


def _state(fields: Mapping[str, str]) -> Iterator[Finding]:
    state, result = fields.get("ActiveState", ""), fields.get("Result", "success")
    status = fields.get("ExecMainStatus", "0")
    restarts = int(fields.get("NRestarts", "0") or 0)
    if state == "failed":
        why = {"7": "the configuration can't be used", "2": "its command line is wrong"}.get(
            status, f"{result}, exit status {status}"
        )
        remedy = (
            "croupier check /etc/croupier/table.toml, then sudo systemctl restart croupier" if status == "7" else LOG
        )
        yield Finding(SUBJECT, "broken", f"The service has failed: {why}.", f"{remedy}.")
    elif state in ("activating", "deactivating", "reloading"):
        words = f"The service is {state} ({fields.get('SubState', '')}), {restarts} restarts so far."
        yield Finding(SUBJECT, "look", words, f"Wait a minute and look again; {LOG}.")
    elif state == "active":
        told = fields.get("StatusText", "")
        yield Finding(SUBJECT, "good", f"The service runs{': ' + told if told else ''}.")
    else:
        yield Finding(SUBJECT, "look", "The service does not run.", "sudo systemctl start croupier")
    if restarts and state == "active":
        word = "once" if restarts == 1 else f"{restarts} times"
        yield Finding(
            SUBJECT, "look", f"The service was started again {word} by itself since the machine was.", f"{LOG}."
        )
    if result == "watchdog":
        yield Finding(SUBJECT, "look", "The service hung and was started again by its watchdog.", f"{LOG}.")
    if state == "active" and fields.get("WatchdogUSec", "") in ("0", ""):
        words = "The service runs without a watchdog: a table that hangs would stay so."
        yield Finding(SUBJECT, "look", words, "Install the unit again: sudo deploy/install.")
    enabled = fields.get("UnitFileState", "")
    if enabled and not enabled.startswith("enabled"):
        words = f"The service is {enabled}: it does not come up by itself with the machine."
        yield Finding(SUBJECT, "look", words, "sudo systemctl enable croupier")


def _sandbox(unit: Unit, machine: Machine) -> Iterator[Finding]:
    if unit.hides(machine.config):
        words = f"The service can't see the configuration {machine.config}: its sandbox hides homes and /tmp."
        yield Finding(SUBJECT, "broken", words, "Keep it as /etc/croupier/table.toml.")
    table = machine.table
    if table is None:
        return
    written = {"the journal": table.journal, "the socket": table.socket}
    for what, path in written.items():
        if not unit.may_write(str(path)):
            words = (
                f"The service may not write {what} {path}: its sandbox lets it write only {', '.join(unit.writable)}."
            )
            yield Finding(
                SUBJECT, "broken", words, f'In the configuration keep it in {USUAL}, such as "{USUAL}/{path.name}".'
            )
    web = table.web
    read = {"certificate": web.certificate, "key": web.key} if web is not None else {}
    named = {key: str(path) for key, path in read.items() if path is not None}
    for _, device in table.devices:
        named |= {
            f"{device.name}'s {key}": str(device.settings[key])
            for key in ("cards", "key_file")
            if device.settings.get(key)
        }
    for what, where in named.items():
        if unit.hides(where):
            words = f"The service can't see the {what} {where}: its sandbox hides homes and /tmp."
            yield Finding(SUBJECT, "broken", words, "Keep it in /etc/croupier.")
