"""How `croupier devices` shows a port: a block or a line for people, a plain object for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from drivers.discovery.candidates import Candidate
    from drivers.discovery.survey import Looked
    from drivers.discovery.watch import Change

SIGNS: Final = {"added": "+", "removed": "-", "changed": "~"}
LABEL: Final = 10  # characters


def port_object(looked: Looked, among: Sequence[Candidate]) -> dict[str, Any]:
    """A port, what was heard there and the verdict, as plain values."""
    from drivers.discovery.verdict import verdict

    port, outcome = looked.port, looked.outcome
    judged = verdict(port, outcome, among)
    return {
        **msgspec.to_builtins(port),
        "heard": msgspec.to_builtins(outcome),
        "verdict": judged.words,
        "address": judged.address,
        "configuration": list(judged.lines),
        "notes": list(judged.notes),
    }


def plain(text: str) -> str:
    """What a device says of itself without the characters that could drive a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)


class Printer:
    """Writes to standard output; with colours only on a terminal."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)

    def block(self, looked: Looked, among: Sequence[Candidate]) -> None:
        from drivers.discovery.verdict import verdict

        port, outcome = looked.port, looked.outcome
        judged = verdict(port, outcome, among)
        self._line(f"{port.path}{_called(port)}", "bold")
        self._row("by-id", port.by_id)
        self._row("by-path", port.by_path)
        if port.vid:
            serial = f", serial {port.serial}" if port.serial else ", no serial number"
            self._row("USB", f"{port.vid}:{port.pid}{serial}, socket {port.place}")
        self._row("held by", "; ".join(f"{holder.command} (pid {holder.pid})" for holder in port.holders))
        self._row("heard", outcome.words)
        self._row("verdict", judged.words, "green" if outcome.answer and not outcome.answer.simulated else "yellow")
        for note in judged.notes:
            self._row("note", note)
        for label, line in zip(("copy", *[""] * len(judged.lines)), judged.lines, strict=False):
            self._row(label, line, "cyan")

    def change(self, change: Change) -> None:
        """One line."""
        from drivers.discovery.verdict import verdict

        looked = change.looked
        line = f"{SIGNS[change.change]} {looked.port.path}{_called(looked.port)}"
        if change.change != "removed":
            judged = verdict(looked.port, looked.outcome, change.among)
            line += f": {'. '.join(filter(None, (looked.outcome.words, judged.words, '; '.join(judged.lines))))}"
        self._line(line)

    def _row(self, label: str, text: str | None, style: str = "") -> None:
        if text:
            self._line(f"    {label:<{LABEL}}{text}", style)

    def _line(self, text: str, style: str = "") -> None:
        self._console.print(plain(text), style=style or None)


def _called(port: Candidate) -> str:
    text = " ".join(part for part in (port.manufacturer, port.product) if part)
    return f"  {text}" if text else ""
