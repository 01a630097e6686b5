"""Which ports are candidates, and what is said of each, on machines made up of files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drivers.discovery.candidates import candidates
from tests.drivers.discovery.machines import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_an_adapter_is_told_with_all_its_names(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1.2", serial="A1", by_id="usb-FTDI_A1-if00-port0", by_path="pci-usb-0:1.2:1.0-port0")
    port = tree.only()
    assert (port.kind, port.name, port.path) == ("tty", "ttyUSB0", str(tree.dev / "ttyUSB0"))
    assert (port.by_id, port.by_path) == ("usb-FTDI_A1-if00-port0", "pci-usb-0:1.2:1.0-port0")
    assert (port.vid, port.pid, port.serial, port.product) == ("0403", "6001", "A1", "USB UART")
    assert (port.place, port.interface, port.is_console, port.holders) == ("1-1.2", "00", False, ())


def test_ports_come_in_the_order_people_count(tree: Tree) -> None:
    for name in ("ttyUSB10", "ttyUSB2", "ttyACM0"):
        tree.adapter(name, f"1-{name[6:]}")
    assert [port.name for port in tree.look()] == ["ttyACM0", "ttyUSB2", "ttyUSB10"]


def test_a_machine_without_any_of_these_folders_has_no_ports(tmp_path: Path) -> None:
    assert candidates(tmp_path / "dev", tmp_path / "sys", tmp_path / "proc") == []


def test_a_soldered_port_counts_only_with_hardware_behind_it(tree: Tree) -> None:
    tree.uart("ttyAMA0")
    tree.uart("ttyS0")
    tree.uart("ttyS1", type_="0")
    tree.uart("ttyS2", driver=False)
    assert [port.name for port in tree.look()] == ["ttyAMA0", "ttyS0"]


def test_screens_ptys_and_bluetooth_are_no_candidates(tree: Tree) -> None:
    for name in ("tty0", "tty", "ptmx", "console", "rfcomm0", "pts"):
        tree.uart(name)
    assert tree.look() == []


def test_a_tty_that_is_only_left_in_sysfs_is_no_candidate(tree: Tree) -> None:
    tree.adapter("ttyUSB0")
    (tree.dev / "ttyUSB0").unlink()
    assert tree.look() == []


def test_the_kernels_console_is_marked(tree: Tree) -> None:
    tree.uart("ttyS0", console="Y")
    assert tree.only().is_console


def test_a_free_bulk_pair_of_a_vendor_is_a_candidate(tree: Tree) -> None:
    tree.bulk("1-3", "1209", "ca4d", "T1", "TableLink shoe")
    port = tree.only()
    assert (port.kind, port.name, port.path) == ("usb", "1-3", str(tree.dev / "bus/usb/001/003"))
    assert (port.vid, port.pid, port.serial, port.address) == ("1209", "ca4d", "T1", "usb:1209:ca4d:T1")
    assert port.says_tablelink


@pytest.mark.parametrize(
    ("kind", "driver", "ends", "is_there"),
    [
        ("ff", "", ("in", "out"), True),
        ("ff", "usbfs", ("in", "out"), True),
        ("ff", "rtl8xxxu", ("in", "out"), False),
        ("08", "", ("in", "out"), False),
        ("ff", "", ("in",), False),
        ("ff", "", ("out", "out"), False),
        ("ff", "", (), False),
    ],
)
def test_other_usb_devices_are_left_out(
    tree: Tree, kind: str, driver: str, ends: tuple[str, ...], is_there: bool
) -> None:
    tree.bulk("1-3", "1209", "ca4d", kind=kind, driver=driver, ends=ends)
    assert bool(tree.look()) == is_there


def test_an_adapter_with_a_tty_is_not_told_twice(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-3")
    assert [port.kind for port in tree.look()] == ["tty"]


def test_the_prism_sign_is_known_by_its_usb_id(tree: Tree) -> None:
    tree.bulk("1-4", "8765", "1234")
    assert tree.only().is_prism


def test_who_holds_a_port_is_told(tree: Tree) -> None:
    master, slave = os.openpty()
    try:
        tree.adapter("ttyUSB0", at=os.ttyname(slave))
        hold = f"import sys; port = open({os.ttyname(slave)!r}, 'rb+', 0); print('open', flush=True); sys.stdin.read()"
        with subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            program.stdout.readline()
            found = candidates(tree.dev, tree.sys, Path("/proc"))[0].holders
            assert program.stdin is not None
            program.stdin.close()
    finally:
        os.close(master)
        os.close(slave)
    assert program.pid in [holder.pid for holder in found]
    assert all(holder.command for holder in found)


@pytest.mark.parametrize(
    ("address", "means_it"),
    [
        ("by-id:usb-A1", True),
        ("by-id:usb-A2", False),
        ("usb:0403:6001", True),
        ("usb:0403:6001:A1", True),
        ("usb:0403:6001:A2", False),
        ("usb:0403", False),
        ("usb:", False),
        ("socket://127.0.0.1:1", False),
        ("auto", False),
        ("", False),
        ("/dev/\0", False),
        ("/", False),
    ],
)
def test_an_address_of_a_configuration_means_a_port_or_not(tree: Tree, address: str, means_it: bool) -> None:
    tree.adapter("ttyUSB0", serial="A1", by_id="usb-A1")
    assert tree.only().is_at(address) == means_it


def test_every_path_that_leads_to_a_port_means_it(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1", by_id="usb-A1", by_path="pci-1")
    (tree.dev / "table-shoe").symlink_to("ttyUSB0")
    for path in ("ttyUSB0", "serial/by-id/usb-A1", "serial/by-path/pci-1", "table-shoe"):
        assert tree.only().is_at(str(tree.dev / path))
