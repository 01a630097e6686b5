"""The example of a labgrid lab in docs/labgrid, as it stands there, on a simulated shoe. Needs labgrid: an extra."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from drivers.simulated.bench import ShoeBench
from drivers.simulated.pile import shuffled
from tests.hil.plugin.conftest import Farm

pytest.importorskip("labgrid", reason="labgrid is not installed: pip install labgrid, apart from the locked tools")
EXAMPLE = Path(__file__).parents[3] / "docs" / "labgrid"
TELL = (
    "import socket, sys; socket.create_connection(('127.0.0.1', {0})).sendall(' '.join(sys.argv[1:]).encode() + b'\\n')"
)


def test_the_example_runs_on_a_shoe_at_a_port(pytester: pytest.Pytester, farm: Farm) -> None:
    shoe = farm.plug("shoe", ShoeBench("tablelink", shuffled(6, 1, 0)))
    port = shoe.stimulus.rpartition(":")[2]
    deal = pytester.makefile(".py", deal=TELL.format(port))
    lab = (EXAMPLE / "lab.yaml").read_text()
    assert '"/dev/ttyUSB0"' in lab
    assert '"./deal"' in lab
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(deal))}"
    pytester.makefile(".yaml", lab=lab.replace("/dev/ttyUSB0", str(shoe.path)).replace("./deal", command))
    pytester.makepyfile(test_shoe=(EXAMPLE / "test_shoe.py").read_text())
    pytester.runpytest_subprocess("--lg-env", "lab.yaml", timeout=120).assert_outcomes(passed=2)
