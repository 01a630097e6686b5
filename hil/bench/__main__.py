"""`python -m hil.bench [--json] [--short] [--keep]`: run every benchmark and print one table."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

import msgspec

from hil.bench import card, codec, engine, restart, start, stream
from hil.bench.keep import PAGE, page, this_machine
from hil.bench.measure import FOLDER, Result


def main() -> int:
    parser = argparse.ArgumentParser(prog="hil.bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON list instead of the table")
    parser.add_argument("--short", action="store_true", help="a quick look, for continuous integration")
    parser.add_argument("--keep", type=Path, nargs="?", const=PAGE, help=f"write {PAGE.name}, or another page, too")
    asked = parser.parse_args()
    if asked.keep is not None and not asked.keep.parent.is_dir():
        parser.error(f"--keep: there is no folder {asked.keep.parent}")  # before the minutes that it takes
    machine = this_machine()
    results = _short() if asked.short else _whole()
    if asked.keep is not None:
        asked.keep.write_text(page(results, machine, date.today()))
    if asked.json:
        print(msgspec.json.encode(results).decode())
        return 0
    print(f"Python {sys.version.split()[0]}; each pair measured turn about, medians; files in {FOLDER}.")
    for r in results:
        print(
            f"{r.name}: {r.ours:,} {r.unit}; {r.reference_name}: {r.reference:,} {r.unit}; "
            f"ratio {r.ratio} (aim {r.aim})"
        )
    return 0


def _whole() -> list[Result]:
    return [engine.run(), codec.run(), *card.run(), *start.run(), restart.run(), *stream.run()]


def _short() -> list[Result]:
    return [
        engine.run(pairs=3, shoes=60),
        codec.run(pairs=3, count=5_000),
        *card.run(cards=15, commits=0),
        *start.run(times=1),
        restart.run(events=20_000, times=3),
        *stream.run(changes=15),
    ]


if __name__ == "__main__":
    sys.exit(main())
