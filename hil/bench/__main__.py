"""`python -m hil.bench [--json] [--short]`: run every benchmark and print one table."""

from __future__ import annotations

import argparse
import sys

import msgspec

from hil.bench import card, codec, engine, restart, start, stream
from hil.bench.measure import FOLDER, Result


def main() -> int:
    parser = argparse.ArgumentParser(prog="hil.bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON list instead of the table")
    parser.add_argument("--short", action="store_true", help="a quick look, for continuous integration")
    asked = parser.parse_args()
    results = _short() if asked.short else _whole()
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
