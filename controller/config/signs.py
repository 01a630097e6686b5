"""Whether the displays can show what the table will say: its limits, its rules, and what stands between rounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from msgspec import structs

from controller.config.devices import FoundDisplay
from controller.surfaces.texts import limits_content, results_content
from controller.table.state import Setup
from controller.table.table import Table
from controller.table.views import PublicView, public_view
from drivers.base import Content, Display


def check_signs(displays: list[FoundDisplay], setup: Setup) -> None:
    table = Table(setup)
    first = table.set_up()
    if first is not None:
        table.apply(first)
    view = public_view(table)
    for each in displays:
        if each.device is None:
            continue
        display = cast(Display, each.device)  # the registry loads a driver for its kind only
        told = [words for content in _contents(each, view, setup) for words in display.problems(content)]
        for words in dict.fromkeys(told):
            each.part.wrong("shows", words)


def _contents(display: FoundDisplay, view: PublicView, setup: Setup) -> Iterator[Content]:
    if display.shows == "limits":
        yield limits_content(view, setup.rules, setup.currency)
        return
    yield results_content(view, setup.currency)
    yield results_content(structs.replace(view, phase="betting"), setup.currency)
