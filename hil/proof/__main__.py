"""`python -m hil.proof secrecy|soak`: run a proof at volume; each failure is told with how to see it again."""

from __future__ import annotations

import argparse
import os
import sys

WORKERS = min(2, os.cpu_count() or 1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="hil.proof", description=__doc__)
    proofs = parser.add_subparsers(dest="proof", required=True)
    secrecy = proofs.add_parser("secrecy", help="no face-down card shows on any public surface")
    secrecy.add_argument("--rounds", type=int, default=100_000)
    secrecy.add_argument("--seed", type=int, default=1)
    secrecy.add_argument("--workers", type=int, default=WORKERS, help="processes at once")
    secrecy.add_argument("--table", type=int, help="only this one of the seed's tables")
    secrecy.add_argument("--leak", help="plant this leak, to see it caught")
    soak = proofs.add_parser("soak", help="a long day with faults adds up")
    soak.add_argument("--rounds", type=int, default=10_000)
    soak.add_argument("--seed", type=int, default=1)
    soak.add_argument("--faults", choices=("none", "light", "heavy"), default="heavy")
    soak.add_argument("--day", type=int, help="only this one of the seed's days")
    asked = parser.parse_args()
    if asked.proof == "secrecy":
        from hil.proof import secrecy_run

        return secrecy_run.run(asked.rounds, asked.seed, asked.workers, asked.table, asked.leak)
    from hil.proof import soak_run

    return soak_run.run(asked.rounds, asked.seed, asked.faults, asked.day)


if __name__ == "__main__":
    sys.exit(main())
