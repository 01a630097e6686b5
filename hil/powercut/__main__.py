"""`python -m hil.powercut [--cuts 20] [--seed 1]`: cut the power of a table, and of one without durable commits.

The first must lose no acknowledged card, the second must lose one: else this proves nothing. Ends with 0 where both
is so and where there is nothing to run it with.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hil.kernel.program import BadProgram, NoProgram
from hil.powercut.campaign import Broken, Campaign, Cut
from hil.powercut.guest import needed
from hil.powercut.moments import DiskFull, Moment, control_moments, moments
from hil.powercut.shoe import Shoe

FOLDER: Final = Path(__file__).parents[2] / "build"  # beside the code: /tmp is in memory on many machines
CONTROL_CUTS: Final = 5  # within which the careless table must have lost a card
FULL_FROM: Final = 10  # cuts: from so many on, one comes on a full disk
ROW: Final = "{:>4}  {:<36}  {:>5}  {:>12}  {:>10}  {}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="hil.powercut", description=__doc__)
    parser.add_argument("--cuts", type=int, default=20, help="of the real table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-control", action="store_true", help="only the real table")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the disk and every journal found in it")
    asked = parser.parse_args(arguments)
    if asked.cuts < 1:
        parser.error(f"--cuts: one at least, not {asked.cuts}")
    if asked.keep is not None and asked.keep.exists():
        parser.error(f"--keep: {asked.keep} is there already; name a new folder")
    try:
        program, maker = needed()
    except NoProgram as reason:
        print(f"power cut: {reason}")
        return 0
    except BadProgram as mistake:
        print(f"power cut: {mistake}", file=sys.stderr)
        return 2
    if asked.keep is not None:
        asked.keep.mkdir(parents=True)
        return _both(asked, program, maker, asked.keep.resolve())
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="powercut-", dir=FOLDER) as name:
        return _both(asked, program, maker, Path(name))


def _both(asked: argparse.Namespace, program: Path, maker: str, folder: Path) -> int:
    print(f"seed {asked.seed}; the power of croupier run is cut {asked.cuts} times")
    good = _table(program, maker, folder / "table", planned(asked.seed, asked.cuts), asked.seed)
    if asked.no_control:
        return 0 if good else 1
    print(f"control: the same without durable commits must lose a card within {CONTROL_CUTS} cuts")
    return 0 if _control(program, maker, folder / "control", asked.seed) and good else 1


def planned(seed: int, cuts: int) -> list[Moment]:
    """Random moments, one of them on a full disk where there are many."""
    found = list(islice(moments(seed), cuts))
    if cuts >= FULL_FROM:
        found[-2] = DiskFull()
    return found


def _table(program: Path, maker: str, folder: Path, planned: Iterable[Moment], seed: int) -> bool:
    """Whether it lost nothing and went on."""
    folder.mkdir()
    cuts: list[Cut] = []
    with Shoe(seed) as shoe:
        try:
            _head()
            for cut in Campaign(program, maker, folder, shoe, seed=seed, careless=False).run(planned):
                cuts.append(cut)
                _row(cut)
        except Broken as broken:
            print(f"power cut: FAILED: {broken}")
            return False
        failed = [cut.number for cut in cuts if cut.trouble]
        replays = sum(cut.replayed for cut in cuts)
        print(
            f"power cut: {'FAILED' if failed else 'passed'}: {len(cuts)} cuts, {len(shoe.dealt)} cards, "
            f"{shoe.acknowledged} acknowledged; ext4 replayed its journal behind {replays} cuts"
        )
    return not failed


def _control(program: Path, maker: str, folder: Path, seed: int) -> bool:
    """Whether it lost an acknowledged card, as it must."""
    folder.mkdir()
    with Shoe(seed) as shoe:
        try:
            _head()
            some = islice(control_moments(seed), CONTROL_CUTS)
            for cut in Campaign(program, maker, folder, shoe, seed=seed, careless=True).run(some):
                _row(cut)
                if cut.lost:
                    print(f"control: passed: {cut.lost} acknowledged cards were lost, so that the test can fail")
                    return True
        except Broken as broken:
            print(f"control: FAILED: {broken}")
            return False
    print("control: FAILED: it lost nothing, so that this proves nothing")
    return False


def _head() -> None:
    print(ROW.format("cut", "moment", "cards", "acknowledged", "in journal", "verdict"), flush=True)


def _row(cut: Cut) -> None:
    verdict = cut.trouble or "all there, once each"
    print(ROW.format(cut.number, str(cut.moment), cut.dealt, cut.acknowledged, cut.journalled, verdict), flush=True)


if __name__ == "__main__":
    sys.exit(main())
