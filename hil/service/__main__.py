"""`python -m hil.service`: boot a Debian with Croupier's package in a guest kernel, and believe only what it said.

Ends with 0 where every check of the probe passed, and where there is nothing to run it with.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hil.kernel.boot import watched
from hil.kernel.program import ROOT, BadProgram, NoProgram
from hil.service import disk, probe

LIMIT_S: Final = 600.0  # a quarter of it on a machine with nothing else to do


def main() -> int:
    try:
        program = disk.needed()
    except NoProgram as reason:
        print(f"service: {reason}")
        return 0
    except BadProgram as mistake:
        print(f"service: {mistake}", file=sys.stderr)
        return 2
    (ROOT / "build").mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="service-", dir=ROOT / "build") as name:
        folder = Path(name)
        try:
            image = disk.make(folder)
        except RuntimeError as error:
            print(f"service: FAILED: {error}", file=sys.stderr)
            return 1
        print("service: booting", flush=True)
        said, late = watched(disk.command(program, folder, image), LIMIT_S)
    print(verdict(said, late))
    return 0 if verdict(said, late).startswith("service: passed") else 1


def verdict(said: Iterable[str], late: bool) -> str:
    """From the probe's own lines: a check that was not heard of has failed."""
    outcome: dict[str, str] = {}
    for line in said:
        found = re.search(r"CHECK (\w+) (passed|FAILED)", line)
        if found:
            outcome[found[1]] = found[2]
    expected = [each.__name__ for each in probe.CHECKS]
    failed = [name for name in expected if outcome.get(name) != "passed"]
    if not failed:
        return f"service: passed: {len(expected)} checks under systemd in a guest"
    why = "; the guest was ended before it was done" if late else ""
    unheard = [name for name in failed if name not in outcome]
    words = f"service: FAILED: {len(failed)} of {len(expected)}: {', '.join(failed)}"
    return words + (f" (not heard of: {len(unheard)})" if unheard else "") + why


if __name__ == "__main__":
    sys.exit(main())
