"""`python -m hil.kernel [pytest's arguments]`: boot the kernel and run the tests inside; 0 where there is no kernel."""

from __future__ import annotations

import sys

from hil.kernel.boot import run
from hil.kernel.program import BadProgram, NoLibraries, NoProgram, find_program, libraries


def main(arguments: list[str]) -> int:
    try:
        program = find_program()
        beside = libraries()
    except NoProgram as reason:
        print(f"hil-kernel: {reason}")
        return 0
    except (BadProgram, NoLibraries) as mistake:
        print(f"hil-kernel: {mistake}", file=sys.stderr)
        return 2
    outcome = run(program, beside, arguments)
    print(f"hil-kernel: {outcome.words}")
    return outcome.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
