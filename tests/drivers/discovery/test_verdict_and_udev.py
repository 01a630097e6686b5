"""The verdict, the line to copy and the udev rule for ports of made-up machines."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from drivers.discovery.candidates import Candidate
from drivers.discovery.ear import Answer
from drivers.discovery.probe import Outcome
from drivers.discovery.udev import udev_rule
from drivers.discovery.verdict import stable_address, toml_line, verdict
from drivers.errors import BadSetting
from drivers.ports.addresses import parse_address
from tests.drivers.discovery.machines import Tree

SILENT = Outcome(said="silent", words="nothing answered", asked=True)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def answered(*roles: str, simulated: bool = False, baud: int | None = 115200, can: tuple[str, ...] = ()) -> Outcome:
    answer = Answer(
        roles=roles, serial="SH-1", firmware="1.0.0", boot=1, capabilities=can, simulated=simulated, baud=baud
    )
    return Outcome(said="answered", words="answers", asked=True, answer=answer)


def rule_line(rule: str) -> str:
    (line,) = [line for line in rule.splitlines() if line and not line.startswith("#")]
    return line


# The address that stays


def test_by_id_is_the_first_choice(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1", by_id="usb-A1", by_path="pci-1")
    assert stable_address(tree.only(), tree.look()) == ("by-id:usb-A1", "")


def test_an_adapter_without_a_serial_number_is_warned_of(tree: Tree) -> None:
    tree.adapter("ttyUSB0", by_id="usb-1a86", by_path="pci-1")
    address, warning = stable_address(tree.only(), tree.look())
    assert address == "by-id:usb-1a86"
    assert "no serial number" in warning


def test_two_alike_go_by_their_sockets(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1", by_path="pci-1")
    tree.adapter("ttyUSB1", "1-2", by_path="pci-2", by_id="usb-1a86")
    ports = tree.look()
    assert [stable_address(port, ports)[0] for port in ports] == ["by-path:pci-1", "by-path:pci-2"]
    assert "USB socket" in stable_address(ports[0], ports)[1]


def test_two_with_their_own_serial_numbers_go_by_them(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1", serial="A", by_id="usb-A")
    tree.adapter("ttyUSB1", "1-2", serial="B", by_id="usb-B")
    ports = tree.look()
    assert [stable_address(port, ports)[0] for port in ports] == ["by-id:usb-A", "by-id:usb-B"]


def test_two_ports_of_one_adapter_go_by_id(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1", serial="A", number=0, by_id="usb-A-if00")
    tree.adapter("ttyUSB1", "1-1", serial="A", number=1, by_id="usb-A-if01")
    ports = tree.look()
    assert [stable_address(port, ports)[0] for port in ports] == ["by-id:usb-A-if00", "by-id:usb-A-if01"]


def test_without_udev_the_usb_numbers_serve(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    assert stable_address(tree.only(), tree.look()) == ("usb:0403:6001:A1", "")


def test_one_without_a_serial_number_beside_one_with_it_is_not_found_by_usb_numbers(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1")
    tree.adapter("ttyUSB1", "1-2", serial="B")
    ports = tree.look()
    address, warning = stable_address(ports[0], ports)
    assert address == ports[0].path
    assert "may move" in warning
    assert stable_address(ports[1], ports)[0] == "usb:0403:6001:B"


def test_a_soldered_port_keeps_its_name(tree: Tree) -> None:
    tree.uart("ttyAMA0")
    assert stable_address(tree.only(), tree.look()) == (str(tree.dev / "ttyAMA0"), "")


def test_two_bulk_devices_that_cannot_be_told_apart_are_warned_of(tree: Tree) -> None:
    tree.bulk("1-3", "1209", "ca4d")
    tree.bulk("1-4", "1209", "ca4d")
    address, warning = stable_address(tree.look()[0], tree.look())
    assert address == "usb:1209:ca4d"
    assert "unplug one" in warning


@pytest.mark.parametrize("serial", ["A1", 'a"b', "a\\b", "ü", "a b", "a:b", "[x]*"])
def test_every_line_to_copy_is_toml_and_an_address(tree: Tree, serial: str) -> None:
    tree.adapter("ttyUSB0", serial=serial)
    judged = verdict(tree.only(), answered("shoe"), tree.look())
    read = tomllib.loads("\n".join(judged.lines))
    assert read == {"driver": "tablelink", "port": f"usb:0403:6001:{serial}"}
    assert tree.only().is_at(str(parse_address(read["port"])))


def test_a_line_holds_any_text() -> None:
    text = 'a"\\\n\x1b\U0001f0a1'
    assert tomllib.loads(toml_line("port", text)) == {"port": text}


# Verdicts


def test_a_shoe_is_ready_to_be_used(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1", by_id="usb-A1")
    judged = verdict(tree.only(), answered("shoe"), tree.look())
    assert judged.words == "Ready to be used as shoe"
    assert judged.lines == ('driver = "tablelink"', 'port = "by-id:usb-A1"')


def test_another_speed_is_part_of_the_lines(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    assert verdict(tree.only(), answered("shoe", baud=9600), tree.look()).lines[-1] == "baud = 9600"


def test_a_simulated_device_is_called_so(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    assert "SIMULATED" in verdict(tree.only(), answered("shoe", simulated=True), tree.look()).words


def test_a_device_that_wants_a_key_is_noted(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    judged = verdict(tree.only(), answered("shoe", can=("needs_key",)), tree.look())
    assert any("key" in note for note in judged.notes)


def test_an_angel_eye_gets_its_driver(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    outcome = Outcome(said="other", words="looks like an Angel Eye shoe", looks_like="angel_eye")
    assert verdict(tree.only(), outcome, tree.look()).lines[0] == 'driver = "angel_eye"'


def test_no_driver_is_guessed_for_a_silent_port(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    judged = verdict(tree.only(), SILENT, tree.look())
    assert judged.lines == ('port = "usb:0403:6001:A1"',)
    assert any("angel_eye" in note for note in judged.notes)


def test_the_prism_gets_its_driver_and_the_console_none(tree: Tree) -> None:
    tree.bulk("1-4", "8765", "1234")
    tree.uart("ttyS0", console="Y")
    console, prism = tree.look()
    assert verdict(prism, SILENT, ()).lines == ('driver = "alpha_sign"', 'port = "usb:8765:1234"')
    assert verdict(console, SILENT, ()).lines == ()


# udev rules


def test_a_rule_pins_an_adapter_by_its_serial_number(tree: Tree) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    rule = udev_rule(tree.only(), tree.look(), "table-shoe")
    assert rule_line(rule) == (
        'SUBSYSTEM=="tty", ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001", ATTRS{serial}=="A1", '
        'SYMLINK+="table-shoe", GROUP="dialout", MODE="0660"'
    )
    assert "/etc/udev/rules.d/" in rule
    assert "udevadm" in rule


@pytest.mark.parametrize("serials", [("", ""), ("0001", "0001"), ("ü", ""), ("***", ""), ("A*", "AB")])
def test_a_rule_goes_by_the_socket_where_the_serial_number_does_not_tell(tree: Tree, serials: tuple[str, str]) -> None:
    tree.adapter("ttyUSB0", "1-1.2", serial=serials[0])
    tree.adapter("ttyUSB1", "1-1.3", serial=serials[1])
    rule = udev_rule(tree.look()[0], tree.look(), "table-shoe")
    assert 'KERNELS=="1-1.2"' in rule_line(rule)
    assert "serial}" not in rule_line(rule)
    assert "keep it there" in rule


def test_a_rule_for_one_of_several_ports_of_an_adapter_names_the_interface(tree: Tree) -> None:
    tree.adapter("ttyUSB0", "1-1", serial="A", number=0)
    tree.adapter("ttyUSB1", "1-1", serial="A", number=1)
    line = rule_line(udev_rule(tree.look()[1], tree.look(), "table-sign"))
    assert 'ATTRS{serial}=="A", ENV{ID_USB_INTERFACE_NUM}=="01"' in line


def test_a_rule_for_a_soldered_port_goes_by_its_name(tree: Tree) -> None:
    tree.uart("ttyAMA0")
    assert 'KERNEL=="ttyAMA0"' in rule_line(udev_rule(tree.only(), tree.look(), "table-sign"))


def test_a_rule_for_a_bulk_device_gives_rights_and_no_name(tree: Tree) -> None:
    tree.bulk("1-4", "8765", "1234")
    rule = udev_rule(tree.only(), tree.look(), "table-sign")
    assert rule_line(rule) == (
        'SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="8765", ATTR{idProduct}=="1234", '
        'KERNEL=="1-4", GROUP="dialout", MODE="0660"'
    )
    assert 'port = "usb:8765:1234"' in rule


@pytest.mark.parametrize(
    ("serial", "matched"), [('A"1', "A?1"), ("A\n1", "A?1"), ("A[1]|B", "A?1??B"), ("Aü1", "A*1"), ("A\\", "A?")]
)
def test_no_serial_number_breaks_out_of_a_rule(tree: Tree, serial: str, matched: str) -> None:
    tree.adapter("ttyUSB0", serial=serial, product='Evil\n", RUN+="/bin/sh"')
    rule = udev_rule(tree.only(), tree.look(), "table-shoe")
    assert f'ATTRS{{serial}}=="{matched}"' in rule_line(rule)
    key = r'[A-Z]+(\{\w+\})?(==|\+=|=)"[^"\\]*"'
    assert re.fullmatch(rf"{key}(, {key})*", rule_line(rule))


@pytest.mark.parametrize(
    "name", ["", "a b", "../x", "ttyUSB9", "null", "serial", "1a", "-x", "a" * 32, "a\n", 'a"', "ü", "a/b"]
)
def test_a_name_that_would_harm_dev_is_refused(tree: Tree, name: str) -> None:
    tree.adapter("ttyUSB0", serial="A1")
    with pytest.raises(BadSetting, match="table-shoe"):
        udev_rule(tree.only(), tree.look(), name)


def test_the_kernels_console_is_not_pinned(tree: Tree) -> None:
    tree.uart("ttyS0", console="Y")
    with pytest.raises(BadSetting, match="console"):
        udev_rule(tree.only(), tree.look(), "table-shoe")


def test_a_candidate_of_its_own_makes_a_rule_too() -> None:
    port = Candidate(kind="tty", name="ttyACM0", path="/dev/ttyACM0", vid="2e8a", pid="000a", place="1-1")
    assert 'KERNELS=="1-1"' in rule_line(udev_rule(port, [port], "panel"))
