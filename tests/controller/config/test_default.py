"""The example that `croupier check --print-default` prints: good itself, and so is everything it shows in comments."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from controller.config.load import load
from controller.config.problems import BadConfig
from drivers import registry
from tests.controller.config.conftest import Writer

TEXT = (resources.files("controller.config") / "default.toml").read_text(encoding="utf-8")
HEADER = re.compile(r"# \[+(shoe|display|console)\]+")
SETTING = re.compile(r"# (\w+ = .+)")


def shown_devices() -> list[str]:
    """The devices in comments, each as the section that it would be."""
    found: list[list[str]] = []
    inside = False
    for line in TEXT.split("\n"):
        if HEADER.fullmatch(line):
            found.append([line[2:]])
            inside = True
        elif inside and SETTING.fullmatch(line):
            found[-1].append(line[2:])
        else:
            inside = False
    return ["\n".join(lines) for lines in found]


def shown_keys() -> list[str]:
    """Lines of living sections that are commented out."""
    devices = {line for device in shown_devices() for line in device.split("\n")}
    return [line for line in TEXT.split("\n") if SETTING.fullmatch(line) and line[2:] not in devices]


def test_it_is_good_and_needs_no_hardware(writer: Writer) -> None:
    config = load(writer.write(TEXT))
    assert config.table.simulated
    assert all(registry.load(kind, device.driver_name).SIMULATED for kind, device in config.devices)
    assert config.notes == ()


@pytest.mark.parametrize("device", shown_devices(), ids=lambda text: text.split("\n")[1])
def test_a_device_in_a_comment_is_good_where_there_is_such_a_device(
    writer: Writer, tmp_path: Path, device: str
) -> None:
    kind = device.strip("[").partition("]")[0]
    (tmp_path / "shoe.key").write_text("0123456789abcdef" * 2)
    cards = "".join(f'"{rank}{suit}" = "{rank}{suit}"\n' for suit in "CDHS" for rank in "A23456789TJQK")
    (tmp_path / "cards.toml").write_text(f'cut_card = "cut"\n[cards]\n{cards}')
    devices = {"display": "", "console": "", "shoe": '[shoe]\ndriver = "tablelink"\nport = "auto"', kind: device}
    config = writer.good(table='[table]\nname = "T"\nchips = ["1", "5"]\n', **devices)
    (driver,) = re.findall(r'driver = "(\w+)"', device)
    assert f"{kind}.{driver}" in {each.driver for _, each in config.devices}
    assert config.notes == ()


def test_every_kind_of_device_is_shown() -> None:
    drivers = {f"{kind}.{name}" for kind in registry.KINDS for name in registry.names(kind)}
    assert {full for full in drivers if f'"{full.partition(".")[2]}"' not in TEXT} == set()


@pytest.mark.parametrize("line", shown_keys(), ids=lambda line: line.split()[1])
def test_a_key_in_a_comment_is_good_when_it_is_taken_in(writer: Writer, line: str) -> None:
    text = TEXT.replace(line, line[2:], 1)
    if "certificate" in line or "# key =" in line:  # one without the other, and neither is there
        with pytest.raises(BadConfig, match="not there"):
            load(writer.write(text))
    else:
        assert load(writer.write(text)).table.name == "Table 7"


@pytest.mark.parametrize("section", ["table", "limits.main", "journal", "web"])
def test_every_key_of_a_section_is_shown(writer: Writer, section: str) -> None:
    """The sections themselves say which keys they have, when they are asked for one that they have not."""
    problems = writer.problems_of(TEXT.replace(f"[{section}]", f"[{section}]\nzzz = 1", 1))
    (allowed,) = re.findall(r"allowed: ([\w, ]+)", problems[0].message)
    for key in allowed.split(", "):
        assert re.search(rf"^(# )?{key} = .*#", TEXT, re.MULTILINE), key


def test_a_line_fits_a_page() -> None:
    assert max(map(len, TEXT.split("\n"))) <= 120
