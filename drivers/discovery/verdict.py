"""What a port is, in words, and the lines to copy into a configuration. Pure; refuses to guess a driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from drivers.discovery.candidates import Candidate, is_same_model
from drivers.discovery.probe import BAUDS, Outcome

MUTE_DRIVERS: Final = "angel_eye, bee_tek, line_reader, alpha_sign, escpos"  # of devices that answer nobody


class Verdict(Struct, frozen=True, kw_only=True):
    """`lines` are for the device's own table in the configuration; `notes` are what to know before copying them."""

    words: str
    address: str
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def stable_address(port: Candidate, among: Sequence[Candidate]) -> tuple[str, str]:
    """The address that finds this port again after replugging, and a warning; empty where there is nothing to warn of.

    Two alike share a by-id name (udev lets one of them win), so they go by the socket they are plugged into.
    """
    alike = [other for other in among if other.path != port.path and is_same_model(other, port)]
    twins = [other for other in alike if other.serial == port.serial]
    if port.kind == "tty" and port.by_id and not any(twin.interface == port.interface for twin in twins):
        unnumbered = "It has no serial number: a second one like it would take its place"
        return f"by-id:{port.by_id}", "" if port.serial else unnumbered
    if port.kind == "tty" and port.by_path:
        return f"by-path:{port.by_path}", "It is told from others by the USB socket: keep it in this one"
    named = port.serial and port.usb_address.endswith(port.serial)
    if port.vid and not (twins if named else alike):
        return port.usb_address, ""
    if port.kind == "usb":
        return port.usb_address, "Another like it is plugged in that this address means too: unplug one of them"
    moves = "This name may move to another device when it is plugged in again; pin it: croupier devices udev-rule"
    return port.path, moves if port.vid else ""


def toml_line(key: str, text: str) -> str:
    """`key = "text"`, with what TOML wants escaped."""
    escaped = "".join(
        f"\\{char}" if char in '"\\' else char if char.isprintable() else f"\\U{ord(char):08X}" for char in text
    )
    return f'{key} = "{escaped}"'


def verdict(port: Candidate, outcome: Outcome, among: Sequence[Candidate]) -> Verdict:
    address, warning = stable_address(port, among)
    words, driver, notes = _judge(port, outcome)
    if driver is None:
        return Verdict(words=words, address=address, notes=tuple(notes))
    lines = [toml_line("driver", driver)] if driver else []
    lines.append(toml_line("port", address))
    if outcome.answer and outcome.answer.baud not in (None, BAUDS[0]):
        lines.append(f"baud = {outcome.answer.baud}")
    if warning:
        notes.append(warning)
    return Verdict(words=words, address=address, lines=tuple(lines), notes=tuple(notes))


def _judge(port: Candidate, outcome: Outcome) -> tuple[str, str | None, list[str]]:
    """Words, the driver (empty: only a person knows; None: no device belongs here), and notes."""
    notes = [outcome.advice] if outcome.advice else []
    if port.is_console:
        return "The kernel's own console: not for a device", None, notes
    if port.is_prism:
        return "A BetaBrite Prism sign, known by its USB id", "alpha_sign", notes
    answer = outcome.answer
    if answer:
        what = " and ".join(answer.roles)
        words = f"Ready to be used as {what}" if what else "A TableLink device, but neither shoe, sign nor panel"
        if answer.simulated:
            words = f"A SIMULATED {what or 'device'}: for trying things out, never chosen by auto"
        if "needs_key" in answer.capabilities:
            notes.append("It wants its key: without it in the configuration no session is opened")
        return words, "tablelink" if what else None, notes
    match outcome.said:
        case "refused":
            return "A TableLink device of another version", "tablelink", notes
        case "other" if outcome.looks_like:
            return "A shoe that answers nobody: name its port in the configuration", outcome.looks_like, notes
        case "held":
            return "In use: ask again when the other program has let go of it", "", notes
        case "failed":
            return "Can't be used as it is", "", notes
        case "not_asked":
            return "Not asked who it is", "", notes
        case _:
            known = f"A device that answers nobody is named in the configuration by its driver: {MUTE_DRIVERS}"
            return "No TableLink device", "", [*notes, known]
