"""What is kept of a test that failed: the bytes of every wire, the story, the journal, the log, pictures of the pages.

The capture has the form of `hil.record.capture`. It and the journal hold face-down cards: for their owner alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from firmware_protocol.line_reader import CardMap
from firmware_protocol.protocols import wire_format
from firmware_protocol.wire import BadFrame, Decoded
from hil.plugin.line import Chunk
from hil.plugin.place import Place
from hil.plugin.rig import Rig
from hil.plugin.table import BenchTable
from hil.record import capture

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
PAGES: Final = ("sign", "board", "overlay")  # those that anybody may see
PICTURE_S: Final = 30.0
LONGEST_NAME: Final = 120  # of a folder
WAYS: Final = {"to_host": "<", "to_device": ">"}


def keep(rig: Rig, folder: Path) -> list[str]:
    """Writes what there is into the folder and names the files; what could not be kept is said among them."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept: list[str] = []
    lined = [place for place in rig.places.values() if place.line is not None]
    if lined:
        _keep(kept, folder / "wire.jsonl", lambda path: _capture(rig, lined, path))
    _keep(kept, folder / "timeline.txt", lambda path: _timeline(rig, path))
    table = rig.the_table
    if table is not None:
        _keep(kept, folder / "daemon.log", lambda path: _copy(table.log_path, path))
        _keep(kept, folder / "journal.jsonl", lambda path: _journal(table, path))
        if rig.entry.screenshots and table.running:
            _pictures(kept, table, folder)
    return kept


def folder_of(root: Path, nodeid: str) -> Path:
    """A new folder for this test's artefacts; the next run of it takes the place of the last."""
    name = re.sub(r"[^\w.=-]+", "-", nodeid.replace("::", "--")).strip("-")[-LONGEST_NAME:]
    folder = root / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _keep(kept: list[str], path: Path, write: Callable[[Path], None]) -> None:
    path.unlink(missing_ok=True)
    try:
        write(path)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        kept.append(f"{path.name} could not be kept: {error}")
    else:
        kept.append(path.name)


def _capture(rig: Rig, places: list[Place], path: Path) -> None:
    ports = tuple(
        capture.RecordedPort(
            name=place.entry.role,
            kind=place.entry.found.kind,
            driver=f"{place.entry.found.kind}.{place.driver}",
            address=str(place.entry.found.settings.get("port", f"simulated {place.driver}")),
            settings=place.settings,
        )
        for place in places
    )
    started = datetime.fromtimestamp(rig.story.wall, UTC).isoformat()
    header = capture.Header(started=started, clock="unset", croupier=version("croupier-table"), ports=ports)
    writer = capture.CaptureWriter(path, header)
    try:
        entries = [_entry(rig, place, chunk) for place in places for chunk in list(_line(place))]
        last = 0.0
        for entry in sorted(entries, key=lambda each: each.t):
            writer.write(entry)
            last = entry.t
        writer.write(capture.Ended(t=last, words="the test failed"))
    finally:
        writer.close()


def _line(place: Place) -> list[Chunk]:
    assert place.line is not None
    return list(place.line.passed)


def _entry(rig: Rig, place: Place, chunk: Chunk) -> capture.Chunk | capture.Opened | capture.Gone:
    t, port = max(0.0, chunk.at - rig.story.began), place.entry.role
    match chunk.way:
        case "opened":
            return capture.Opened(t=t, port=port, words="a host opened it")
        case "closed":
            return capture.Gone(t=t, port=port, words="the host closed it, or its cable was pulled")
        case "to_host":
            return capture.Chunk(t=t, port=port, direction="from_device", data=chunk.data)
        case "to_device":
            return capture.Chunk(t=t, port=port, direction="to_device", data=chunk.data)


def _timeline(rig: Rig, path: Path) -> None:
    """The story and what the wires said, in one order of time."""
    rows = [(each.at, f"{each.who}: {each.words}") for each in rig.story.told]
    for place in rig.places.values():
        if place.line is not None:
            rows += _decoded(place)
    rows.sort(key=lambda row: row[0])
    began = rig.story.began
    path.write_text("".join(f"{at - began:9.3f}  {words}\n" for at, words in rows), encoding="utf-8")


def _decoded(place: Place) -> list[tuple[float, str]]:
    """What each chunk said, as far as it ends there. Bytes of a protocol that is not ours are given in hexadecimal."""
    known = wire_format(place.protocol)
    rows: list[tuple[float, str]] = []
    for way, arrow in WAYS.items():
        decoder = known.decoder(_cards(place)) if known is not None and known.decoder is not None else None
        for chunk in _line(place):
            if chunk.way != way:
                continue
            whose = f"{place.entry.role} {arrow}{' (by the test)' if chunk.by_test else ''}"
            found = decoder.feed(chunk.data) if decoder is not None else []
            said = "; ".join(map(_said, found)) if found else chunk.data.hex(" ").upper()
            rows.append((chunk.at, f"{whose} {said}"))
    return rows


def _cards(place: Place) -> CardMap:
    if place.protocol != "line_reader":
        return CardMap()
    from drivers.shoes.line_reader import read_card_map

    with contextlib.suppress(ValueError):
        return read_card_map(str(place.settings.get("cards", "")))
    return CardMap()


def _said(found: Decoded) -> str:
    fields = {name: getattr(found, name) for name in found.__struct_fields__ if name != "offset"}
    name = str(fields.pop("message", found.__struct_config__.tag))
    fields |= fields.pop("fields", {})
    data = fields.pop("data", None)
    if isinstance(found, BadFrame) and isinstance(data, bytes):
        fields["bytes"] = data.hex(" ").upper()
    elif data is not None:
        fields["data"] = data
    said = ", ".join(f"{key}={value}" for key, value in fields.items() if value not in (None, "", False))
    return f"{name}({said})"


def _copy(source: Path, path: Path) -> None:
    shutil.copyfile(source, path)


def _journal(table: BenchTable, path: Path) -> None:
    path.touch(mode=0o600)
    path.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in table.journal()))


def _pictures(kept: list[str], table: BenchTable, folder: Path) -> None:
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        kept.append("no pictures of the pages: there is no Chromium on this machine")
        return
    for page in PAGES:
        path = folder / f"{page}.png"
        words = (
            browser,
            "--headless",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # Chromium refuses one to root
            "--disable-gpu",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--window-size=1280,800",
            f"--user-data-dir={table.folder / 'browser'}",
            "--virtual-time-budget=5000",  # the pages draw themselves, and are never done loading
            f"--screenshot={path}",
            f"{table.url}/{page}",
        )
        try:
            subprocess.run(words, capture_output=True, timeout=PICTURE_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            kept.append(f"{path.name} could not be taken: {error}")
            continue
        kept.append(path.name if path.exists() else f"{path.name} could not be taken: {Path(browser).name} made none")
