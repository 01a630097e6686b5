"""`croupier devices`: ports and who answers, on made-up machines and on ptys; words, JSON, exit codes."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli.devices import devices
from drivers.discovery.candidates import Candidate
from drivers.discovery.probe import Patience
from drivers.discovery.survey import Machine
from drivers.ports.base import LineSettings, Port
from drivers.ports.holders import Holder
from drivers.ports.memory import memory_pair
from firmware_protocol.tablelink.messages import ROLE_SIGN, SIMULATED
from tests.controller.cli.conftest import Croupier
from tests.drivers.discovery.machines import Behaviour, Tree, on_pty, silent, tablelink

PORT_KEYS: dict[str, Any] = {
    "kind": str,
    "name": str,
    "path": str,
    "by_id": (str, type(None)),
    "by_path": (str, type(None)),
    "vid": (str, type(None)),
    "pid": (str, type(None)),
    "serial": (str, type(None)),
    "manufacturer": (str, type(None)),
    "product": (str, type(None)),
    "interface": (str, type(None)),
    "place": (str, type(None)),
    "is_console": bool,
    "holders": list,
    "heard": dict,
    "verdict": str,
    "address": str,
    "configuration": list,
    "notes": list,
}
HEARD_KEYS = {"said", "words", "asked", "answer", "looks_like", "advice"}
ANSWER_KEYS = {"roles", "serial", "firmware", "boot", "capabilities", "simulated", "baud"}


class Made:
    """A machine of files; behind each path may be a device in memory."""

    def __init__(self, root: Path) -> None:
        self.tree = Tree(root)
        self.behind: dict[str, Behaviour] = {}
        self.opened: list[str] = []
        self._running: set[asyncio.Task[None]] = set()

    def plug(self, name: str, behave: Behaviour, **about: Any) -> None:
        self.tree.adapter(name, **about)
        self.behind[str(self.tree.dev / name)] = behave

    async def _open(self, address: str, line: LineSettings) -> Port:
        self.opened.append(address)
        near, far = memory_pair(address)
        task = asyncio.create_task(_until_hang_up(self.behind[address], far))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return near

    def run(self, *args: str, look: Callable[[], Sequence[Candidate]] | None = None, ask_s: float = 0.1) -> Result:
        patience = Patience(listen_s=0.01, ask_s=ask_s)
        machine = Machine(look=look or self.tree.look, opening=self._open, patience=patience)
        return CliRunner().invoke(devices, args, obj=machine, catch_exceptions=False)


async def _until_hang_up(behave: Behaviour, port: Port) -> None:
    try:
        await behave(port, bytearray())
    except OSError:
        await port.close()


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def test_a_list_tells_names_answer_verdict_and_the_lines_to_copy(made: Made) -> None:
    made.plug("ttyUSB0", tablelink("SH-1"), place="1-1", serial="A1", by_id="usb-A1", by_path="pci-1")
    ran = made.run(ask_s=30)
    assert ran.exit_code == 0
    words = " ".join(ran.output.split())
    for said in (
        f"{made.tree.dev}/ttyUSB0 USB UART",
        "by-id usb-A1",
        "by-path pci-1",
        "USB 0403:6001, serial A1, socket 1-1",
        "heard answers as a shoe (TableLink, serial SH-1, firmware 1.2.3)",
        "verdict Ready to be used as shoe",
        'copy driver = "tablelink" port = "by-id:usb-A1"',
    ):
        assert said in words
    assert "\x1b" not in ran.output


def test_json_has_the_same_keys_for_every_kind_of_port(made: Made) -> None:
    made.plug("ttyUSB0", tablelink("SH-1"), place="1-1", serial="A1", by_id="usb-A1")
    made.tree.bulk("1-4", "8765", "1234")
    made.tree.uart("ttyS0", console="Y")
    ports = json.loads(made.run("--json", ask_s=30).output)
    assert [port["name"] for port in ports] == ["ttyS0", "ttyUSB0", "1-4"]
    for port in ports:
        assert list(port) == list(PORT_KEYS)
        for key, kind in PORT_KEYS.items():
            assert isinstance(port[key], kind), key
        assert set(port["heard"]) == HEARD_KEYS
    assert set(ports[1]["heard"]["answer"]) == ANSWER_KEYS
    assert ports[1]["heard"]["answer"]["roles"] == ["shoe"]
    assert tomllib.loads("\n".join(ports[1]["configuration"])) == {"driver": "tablelink", "port": "by-id:usb-A1"}


def test_no_ask_opens_no_port(made: Made) -> None:
    made.plug("ttyUSB0", tablelink(), serial="A1")
    ran = made.run("--no-ask", "--json")
    assert json.loads(ran.output)[0]["heard"]["said"] == "not_asked"
    assert made.opened == []


def test_nothing_found_says_what_to_do(made: Made) -> None:
    ran = made.run()
    assert ran.exit_code == 0
    assert "Plug the device" in ran.output
    assert json.loads(made.run("--json").output) == []


def test_who_holds_a_port_is_shown_and_it_is_not_asked(made: Made) -> None:
    held = Candidate(kind="tty", name="ttyUSB0", path="/dev/ttyUSB0", holders=(Holder(812, "minicom"),))
    ran = made.run(look=lambda: [held])
    assert "minicom (pid 812)" in ran.output
    assert made.opened == []
    assert json.loads(made.run("--json", look=lambda: [held]).output)[0]["holders"] == [
        {"pid": 812, "command": "minicom"}
    ]


def test_a_device_cannot_drive_the_terminal_with_its_name(made: Made) -> None:
    made.plug("ttyUSB0", silent, product="[red]\x1b[2J:skull:", serial="A1")
    out = made.run("--no-ask").output
    assert "[red]?[2J:skull:" in out


def test_a_watch_tells_changes_line_by_line_until_it_is_stopped(made: Made) -> None:
    made.tree.adapter("ttyUSB0", serial="A1")
    looks = 0

    def look() -> list[Candidate]:
        nonlocal looks
        looks += 1
        if looks == 2:
            made.tree.unplug("ttyUSB0")
        if looks == 3:
            raise KeyboardInterrupt
        return made.tree.look()

    ran = made.run("--watch", "--no-ask", look=look)
    assert ran.exit_code == 0
    assert [line[:2] for line in ran.output.splitlines()] == ["+ ", "- "]


def test_a_watch_in_json_is_one_object_a_line(made: Made) -> None:
    made.plug("ttyUSB0", tablelink(), serial="A1")
    looks = 0

    def look() -> list[Candidate]:
        nonlocal looks
        looks += 1
        if looks == 2:
            raise KeyboardInterrupt
        return made.tree.look()

    (line,) = made.run("--watch", "--json", look=look, ask_s=30).output.splitlines()
    told = json.loads(line)
    assert told["change"] == "added"
    assert list(told["port"]) == list(PORT_KEYS)
    assert told["port"]["heard"]["said"] == "answered"


def test_options_of_the_list_before_a_command_are_refused(made: Made) -> None:
    ran = made.run("--json", "drivers")
    assert ran.exit_code == 2
    assert "behind the command" in ran.output


# One address


async def ask(croupier: Croupier, *args: str) -> Any:
    return await asyncio.to_thread(croupier, "devices", "ask", *args)


async def test_one_address_is_asked(croupier: Croupier) -> None:
    async with on_pty(tablelink("SH-9")) as far:
        ran = await ask(croupier, far.path)
        as_json = await ask(croupier, far.path, "--json", "--role", "shoe")
    assert ran.status == as_json.status == 0
    assert f"{far.path} answers as a shoe (TableLink, serial SH-9" in ran.out
    assert set(as_json.json) == {"address", *ANSWER_KEYS}


async def test_a_socket_is_asked(croupier: Croupier) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        class Socket:
            name = "socket"

            async def read(self) -> bytes:
                data = await reader.read(4096)
                if not data:
                    raise ConnectionError
                return data

            async def write(self, data: bytes) -> None:
                writer.write(data)

            async def close(self) -> None:
                writer.close()

        await _until_hang_up(tablelink("NET-1"), Socket())

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        ran = await ask(croupier, f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}", "--json")
    assert (ran.status, ran.json["serial"], ran.json["baud"]) == (0, "NET-1", None)


async def test_another_role_is_told_with_exit_code_4(croupier: Croupier) -> None:
    async with on_pty(tablelink("SIGN-1", ROLE_SIGN)) as far:
        ran = await ask(croupier, far.path, "--role", "shoe")
    assert ran.status == 4
    assert "wanted a shoe, and it answers as a sign" in ran.err


async def test_a_simulated_device_may_be_asked(croupier: Croupier) -> None:
    async with on_pty(tablelink("SIM-1", capabilities=SIMULATED)) as far:
        ran = await ask(croupier, far.path)
    assert ran.status == 0
    assert "SIMULATED" in ran.out


async def test_a_silent_address_is_told_with_exit_code_4(croupier: Croupier) -> None:
    async with on_pty(silent) as far:
        ran = await ask(croupier, far.path, "--baud", "9600", "--json")
    assert ran.status == 4
    assert ran.json["error"] == "no_answer"
    assert "nothing answered at 9600 baud" in ran.json["message"]


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (("/dev/not-there",), 4, "is not there"),
        (("/etc",), 4, "a directory"),
        (("/etc/passwd",), 4, "a plain file"),
        (("COM3",), 2, "Windows"),
        (("usb:12",), 2, "four hexadecimal digits"),
        (("auto",), 2, "no address to ask"),
        (("socket://127.0.0.1:1", "--baud", "9600"), 2, "no speed"),
        (("/dev/null", "--role", "dealer"), 2, "dealer"),
        (("/dev/null", "--baud", "fast"), 2, "fast"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(
    croupier: Croupier, args: tuple[str, ...], status: int, words: str
) -> None:
    ran = croupier("devices", "ask", *args)
    assert ran.status == status
    assert words in ran.err


# udev rules


def test_a_rule_for_the_only_adapter_needs_no_name_of_it(made: Made) -> None:
    made.tree.adapter("ttyUSB0", serial="A1")
    made.tree.uart("ttyS0", console="Y")
    ran = made.run("udev-rule", "--name", "table-sign")
    assert ran.exit_code == 0
    assert 'ATTRS{serial}=="A1", SYMLINK+="table-sign"' in ran.output


@pytest.mark.parametrize("means", ["ttyUSB1", "{dev}/ttyUSB1", "by-id:usb-B", "usb:0403:6001:B"])
def test_a_port_may_be_named_in_every_way(made: Made, means: str) -> None:
    made.tree.adapter("ttyUSB0", "1-1", serial="A", by_id="usb-A")
    made.tree.adapter("ttyUSB1", "1-2", serial="B", by_id="usb-B")
    ran = made.run("udev-rule", means.format(dev=made.tree.dev))
    assert 'ATTRS{serial}=="B"' in ran.output


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        ((), 2, "Say which port"),
        (("usb:0403:6001",), 2, "several ports"),
        (("ttyUSB7",), 4, "is no port a device could be at"),
        (("ttyUSB0", "--name", "tty"), 2, "the kernel gives"),
        (("ttyUSB0", "--name", "a b"), 2, "table-shoe"),
    ],
)
def test_a_rule_that_cannot_be_made_is_refused_in_words(
    made: Made, args: tuple[str, ...], status: int, words: str
) -> None:
    made.tree.adapter("ttyUSB0", "1-1", serial="A")
    made.tree.adapter("ttyUSB1", "1-2", serial="B")
    ran = made.run("udev-rule", *args)
    assert ran.exit_code == status
    assert words in ran.output


@pytest.mark.parametrize("console", [False, True])
def test_a_machine_without_ports_has_nothing_to_pin(made: Made, console: bool) -> None:
    if console:
        made.tree.uart("ttyS0", console="Y")
    ran = made.run("udev-rule")
    assert ran.exit_code == 4
    assert "none on this machine" in ran.output


def test_a_rule_and_a_refusal_of_one_are_json_too(made: Made) -> None:
    made.tree.adapter("ttyUSB0", serial="A1")
    made_rule = json.loads(made.run("udev-rule", "--json").output)
    assert made_rule["port"].endswith("/ttyUSB0")
    assert made_rule["file"].startswith("/etc/udev/rules.d/")
    assert made_rule["rule"] == made.run("udev-rule").output
    refused = json.loads(made.run("udev-rule", "ttyUSB9", "--json").output)
    assert refused["error"] == "no_such_port"


# Drivers


def test_the_drivers_are_listed_with_grade_and_capabilities(croupier: Croupier) -> None:
    ran = croupier("devices", "drivers")
    assert ran.status == 0
    assert "shoe.tablelink: " in ran.out
    listed = croupier("devices", "drivers", "--json").json
    for driver in listed:
        assert set(driver) == {"kind", "name", "title", "grade", "capabilities", "simulated", "origin", "problem"}
    assert {driver["kind"] for driver in listed} == {"shoe", "display", "console"}
    assert any(driver["simulated"] for driver in listed)


def test_the_exit_code_is_documented(croupier: Croupier) -> None:
    assert "4  a device can't be used" in croupier("--help").out
