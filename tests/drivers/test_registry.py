"""The registry: names, settings in words, simulated devices refused, and third parties through real entry points."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drivers import registry
from drivers.base import Mark
from drivers.registry import _OURS, KINDS, BadSetting, DriverInfo, describe, load, make, names

DRIVER = """
from typing import ClassVar, Literal
from msgspec import Struct

class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    port: str
    baud: int = 9600
    parity: Literal["none", "even", "odd"] = "none"
    lock: Literal["soft"] | None = None
    pins: list[int] = []

    def __post_init__(self) -> None:
        if self.baud <= 0:
            raise ValueError(f"baud is a speed above 0, not {self.baud}")

class Shoe:
    KIND = "shoe"
    TITLE = "Acme Shoe"
    GRADE = "claimed"
    CAPABILITIES = ("suits",)
    SIMULATED = False
    Settings = Settings

    kind, driver, simulated = "shoe", "acme", False

    def __init__(self, settings, *, known=None):
        self.settings, self.known, self.address = settings, known, settings.port
        if settings.port == "nowhere":
            raise ValueError("port = 'nowhere' is no place")
        if settings.port == "pins":
            import RPi_of_nobody

class Pretend(Shoe):
    SIMULATED = True

class Lacking:
    KIND = "shoe"
    TITLE = "Half a driver"
    SIMULATED = False
    Settings = Settings

class WrongKind(Shoe):
    KIND = "display"

class Loose(Struct):
    port: str

class WrongTypes(Shoe):
    CAPABILITIES = "suits"
    SIMULATED = "no"
    Settings = Loose

NoClass = 5
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a distribution with drivers in a folder that Python looks in, as pip would."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def put(distribution: str, entries: dict[str, str], **modules: str) -> None:
        for name, text in modules.items():
            (folder / f"{name}.py").write_text(text)
            monkeypatch.delitem(sys.modules, name, raising=False)
        info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        lines = [f"{name} = {target}" for name, target in entries.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{registry.GROUP}]", *lines, ""]))

    return put


@pytest.fixture
def acme(install: Install) -> None:
    install(
        "acme-shoes",
        {"shoe.acme": "acme_driver:Shoe", "shoe.pretend": "acme_driver:Pretend [cables]"},
        acme_driver=DRIVER,
    )


def theirs(name: str) -> DriverInfo:
    (info,) = (info for info in describe() if info.origin != "croupier" and f"{info.kind}.{info.name}" == name)
    return info


# Ours


@pytest.mark.parametrize("full", sorted(_OURS))
def test_each_of_our_drivers_loads_and_says_what_it_is(full: str) -> None:
    kind, _, name = full.partition(".")
    driver = load(kind, name)  # type: ignore[arg-type]
    assert kind == driver.KIND
    assert driver.TITLE
    assert re.match(r"(A|B|B for cards|C|none|ours|simulated): .", driver.GRADE), (
        "a grade of the README, with its reason"
    )
    assert (name == "simulated") is driver.SIMULATED


def test_our_drivers_are_listed_by_kind() -> None:
    assert set(names("shoe")) >= {"angel_eye", "bee_tek", "line_reader", "simulated", "tablelink"}
    assert list(names("display")) == sorted(names("display"))
    assert sum(len(names(kind)) for kind in KINDS) >= len(_OURS)


def test_looking_at_registry_and_supervisor_imports_no_port_library_and_no_protocol() -> None:
    code = (
        "import sys, drivers.registry, drivers.supervisor; drivers.registry.names('shoe'); "
        "heavy = {'serial', 'usb', 'firmware_protocol', 'RPi', 'cobs'} & {m.partition('.')[0] for m in sys.modules}; "
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_a_driver_that_is_none_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadSetting, match=r"there is no shoe driver 'tabelink'; did you mean 'tablelink'\? There are "):
        load("shoe", "tabelink")
    with pytest.raises(BadSetting, match=r"there is no console driver 'zzz'; there are .* and tower_light"):
        load("console", "zzz")


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, install: Install) -> None:
    install("pi-things", {}, needs_pi="import RPi.GPIO_of_nobody")
    monkeypatch.setitem(_OURS, "display.needs_pi", "needs_pi:Display")
    with pytest.raises(BadSetting, match=r"display\.needs_pi cannot be loaded: .*croupier-table\[pi\]"):
        load("display", "needs_pi")


# Third parties


@pytest.mark.usefixtures("acme")
def test_a_third_partys_driver_is_found_loaded_and_made() -> None:
    assert "acme" in names("shoe")
    assert "acme" not in names("display")
    device: Any = make("shoe", "acme", {"port": "/dev/ttyUSB0", "parity": "even"}, known=Mark(1, 2))
    assert (device.settings.port, device.settings.parity, device.known) == ("/dev/ttyUSB0", "even", Mark(1, 2))
    assert theirs("shoe.acme") == DriverInfo(
        kind="shoe",
        name="acme",
        title="Acme Shoe",
        grade="claimed",
        capabilities=("suits",),
        simulated=False,
        origin="acme-shoes",
    )
    assert theirs("shoe.pretend").simulated


def test_a_third_party_may_not_replace_one_of_ours(install: Install) -> None:
    install("evil", {"shoe.tablelink": "evil_driver:Shoe"}, evil_driver=DRIVER)
    assert "shoe.tablelink is a driver of croupier itself and cannot be replaced" in theirs("shoe.tablelink").problem
    assert names("shoe").count("tablelink") == 1
    assert "evil_driver" not in sys.modules


def test_a_name_that_is_none_is_told_and_the_others_work(install: Install) -> None:
    entries = {"acme": "named_driver:Shoe", "lamp.acme": "named_driver:Shoe", "shoe.": "named_driver:Shoe"}
    install("acme-shoes", {**entries, "shoe.acme": "named_driver:Shoe"}, named_driver=DRIVER)
    problems = [info.problem for info in describe() if info.origin == "acme-shoes"]
    assert sum("is no driver's name: it is the kind (shoe, display or console)" in words for words in problems) >= 2
    assert names("shoe").count("acme") == 1
    assert theirs("shoe.acme").problem == ""


@pytest.mark.parametrize(
    ("target", "module", "words"),
    [
        ("absent_driver:Shoe", "", "No module named 'absent_driver'"),
        ("broken_driver:Shoe", "import absent_library", "Install what it needs: a library that has absent_library"),
        ("broken_driver:Shoe", "1 / 0", "cannot be loaded: ZeroDivisionError"),
        ("broken_driver:Shoe", "def (", "cannot be loaded: SyntaxError"),
        ("broken_driver:Absent", DRIVER, "cannot be loaded: AttributeError"),
        ("broken_driver", DRIVER, "cannot be loaded"),
        ("broken_driver:NoClass", DRIVER, "is no driver: it is no class"),
        ("broken_driver:Lacking", DRIVER, "is no driver: it lacks GRADE and CAPABILITIES"),
        ("broken_driver:WrongKind", DRIVER, "is no driver: its KIND is 'display'"),
        (
            "broken_driver:WrongTypes",
            DRIVER,
            "its CAPABILITIES is not a tuple of texts; its SIMULATED is not True or False; "
            "its Settings is not a msgspec Struct with forbid_unknown_fields",
        ),
    ],
)
@pytest.mark.usefixtures("acme")
def test_a_broken_one_is_told_in_words_and_breaks_no_other(
    install: Install, target: str, module: str, words: str
) -> None:
    install("broken-shoes", {"shoe.broken": target}, broken_driver=module)
    problem = theirs("shoe.broken").problem
    assert problem.startswith("shoe.broken (of broken-shoes) ")
    assert words in problem
    with pytest.raises(BadSetting) as refused:
        make("shoe", "broken", {"port": "x"})
    assert str(refused.value) == problem
    assert theirs("shoe.acme").problem == ""
    assert make("shoe", "acme", {"port": "x"}).address == "x"


def test_two_that_offer_the_same_name_are_both_refused(install: Install) -> None:
    install("acme-shoes", {"shoe.acme": "one_driver:Shoe"}, one_driver=DRIVER)
    install("other-shoes", {"shoe.acme": "two_driver:Shoe"}, two_driver=DRIVER)
    with pytest.raises(BadSetting, match=r"shoe\.acme is offered by acme-shoes and other-shoes; uninstall all but one"):
        load("shoe", "acme")
    problems = [info.problem for info in describe() if info.name == "acme"]
    assert len(problems) == 2
    assert all("of the same name" in problem for problem in problems)


# Settings


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "shoe.acme needs port; its settings are port, baud, parity, lock and pins"),
        ({"prot": "x"}, "shoe.acme has no setting 'prot'; did you mean 'port'? There are port, baud, parity, lock"),
        ({"port": "x", "colour": 1}, "shoe.acme has no setting 'colour'; there are port, baud"),
        ({"port": 5}, "shoe.acme.port must be text, not a whole number"),
        ({"port": "x", "baud": "9600"}, "shoe.acme.baud must be a whole number, not text"),
        ({"port": "x", "baud": True}, "shoe.acme.baud must be a whole number, not true or false"),
        ({"port": "x", "baud": 0}, "shoe.acme: baud is a speed above 0, not 0"),
        ({"port": "x", "parity": "evn"}, "shoe.acme.parity cannot be 'evn'; did you mean 'even'? There are none, even"),
        ({"port": "x", "parity": 2}, "shoe.acme.parity must be text, not a whole number"),
        ({"port": "x", "lock": "hard"}, "shoe.acme.lock cannot be 'hard'; there are soft"),
        ({"port": "x", "pins": 4}, "shoe.acme.pins must be a list, not a whole number"),
        ({"port": "x", "pins": [4, "a"]}, "shoe.acme.pins must be a whole number, not text (inside it, at [1])"),
        ({"port": "nowhere"}, "shoe.acme: port = 'nowhere' is no place"),
        ({"port": "pins"}, "Install what it needs: a library that has RPi_of_nobody"),
    ],
)
def test_a_wrong_setting_names_the_key_what_is_allowed_and_the_nearest_word(
    settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadSetting) as refused:
        make("shoe", "acme", settings)
    assert words in str(refused.value)
    assert "$" not in str(refused.value)


@pytest.mark.usefixtures("acme")
def test_a_simulated_device_is_made_only_where_the_table_says_so() -> None:
    with pytest.raises(BadSetting) as refused:
        make("shoe", "pretend", {"port": "x"})
    words = str(refused.value)
    assert words.startswith("shoe.pretend is a simulated device, and this table does not say simulated = true.")
    assert "acme" in words
    assert make("shoe", "pretend", {"port": "x"}, allow_simulated=True).address == "x"
