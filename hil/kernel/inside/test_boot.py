"""The kernel inside has what the other tests stand on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "path", ["/sys/devices/platform/vhci_hcd.0/attach", "/sys/kernel/config/gpio-sim", "/dev/uinput"]
)
def test_the_kernel_has_it(path: str) -> None:
    assert Path(path).exists()


def test_this_is_not_the_kernel_of_the_machine_around_it() -> None:
    assert os.uname().machine == "x86_64"
    assert "User Mode Linux" in Path("/proc/cpuinfo").read_text()


def test_the_files_of_the_machine_around_it_cannot_be_written() -> None:
    with pytest.raises(OSError, match="Read-only file system"):
        Path(__file__).with_suffix(".new").touch()
