"""Says which package may import which, and finds every import that goes the wrong way; runs none of them.

`python -m tests.house.arrows [folder]` prints each fault as file:line with the rule in words, and exits 1.
To let a package import more, change ZONES here, and say why in ARCHITECTURE.md.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.house.plain_code import floats_in, game_names_in
from tests.house.source import Import, Module, calls_of, imports_of, read_tree

OURS = ("controller", "drivers", "firmware_protocol", "hil", "tests", "deploy")
DEVICE_DOORS = ("drivers.base", "drivers.registry", "drivers.supervisor")


@dataclass(frozen=True)
class Fault:
    """A line that breaks a rule of the house, with the rule."""

    path: Path
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.words}"


@dataclass(frozen=True)
class Zone:
    """A part of the project with its own rule; the longest name that fits a module is its zone."""

    name: str
    rule: str
    may_import: tuple[str, ...]
    may_import_lazily: tuple[str, ...] = ()
    pure: bool = False
    extra_libraries: frozenset[str] = frozenset()


RULES_RULE = "controller.rules is pure and imports nothing of ours but controller.rules"
ZONES = (
    Zone(
        "firmware_protocol",
        "firmware_protocol is pure and imports nothing of ours but itself",
        ("firmware_protocol",),
        pure=True,
        extra_libraries=frozenset({"cobs"}),
    ),
    Zone("controller.rules", RULES_RULE, ("controller.rules",), pure=True),
    Zone(
        "controller.rules.sidebets",  # finds its own modules, so that a side bet is one new file
        RULES_RULE,
        ("controller.rules",),
        pure=True,
        extra_libraries=frozenset({"importlib", "pkgutil"}),
    ),
    Zone(
        "controller.table",
        "controller.table is pure and imports nothing of ours but itself and controller.rules",
        ("controller.table", "controller.rules"),
        pure=True,
    ),
    Zone(
        "controller.cli",
        "controller.cli reaches hil, firmware_protocol and single drivers only inside a function, and never "
        "tests or deploy, which are not shipped",
        ("controller", *DEVICE_DOORS),
        may_import_lazily=("drivers", "firmware_protocol", "hil"),
    ),
    Zone(
        "controller",
        "controller sees devices only through drivers.base, drivers.registry and drivers.supervisor, and "
        "never imports firmware_protocol, hil, tests or deploy",
        ("controller", *DEVICE_DOORS),
    ),
    Zone(
        "drivers",
        "drivers imports firmware_protocol and itself, never controller",
        ("drivers", "firmware_protocol"),
    ),
    Zone(
        "hil",
        "hil imports the product and itself, never tests or deploy",
        ("hil", "controller", "drivers", "firmware_protocol"),
    ),
    Zone(
        "",
        "only controller.cli imports hil, and nothing imports tests or deploy",
        ("controller", "drivers", "firmware_protocol"),
    ),
)

# What a pure module may need. A missing library that keeps no clock, port, file, log or chance may be added.
_PURE = (
    "__future__ abc array base64 binascii bisect collections contextlib copy dataclasses decimal difflib "
    "enum fractions functools graphlib hashlib heapq hmac itertools json keyword math msgspec numbers "
    "operator re string struct textwrap tomllib types typing unicodedata weakref zlib"
)
PURE_LIBRARIES = frozenset(_PURE.split())

# The known ways out of purity, with what to do instead. They hold even where `importlib` is allowed.
_WAYS_OUT = {
    "keeps no clock; take the time as an argument": "time datetime zoneinfo calendar sched",
    "leaves nothing to chance; take what was drawn as an argument": "random secrets uuid",
    "opens no file; take the text or the bytes as an argument": "os io pathlib tempfile shutil glob mmap "
    "fileinput sqlite3 pkgutil.get_data importlib.resources importlib.metadata open",
    "writes no log and prints nothing; return a value that says it": "logging warnings syslog print sys",
    "opens no port; take bytes and return bytes": "socket select selectors ssl serial usb termios tty input",
    "starts nothing; let the caller decide when to call": "asyncio threading subprocess multiprocessing "
    "concurrent queue signal",
    "runs no text as code; write the code": "eval exec __import__ breakpoint builtins",
}
WAYS_OUT = {name: words for words, names in _WAYS_OUT.items() for name in names.split()}

# Not a zone by prefix: the one file controller/__init__.py, which Python runs before any of controller.rules.
DOORSTEP = Zone(
    "controller/__init__.py, which runs before controller.rules,",
    RULES_RULE,
    ("controller.rules",),
    pure=True,
)


def zone_of(name: str) -> Zone:
    if name == "controller":
        return DOORSTEP
    return max((zone for zone in ZONES if not zone.name or _within(name, zone.name)), key=lambda zone: len(zone.name))


def faults_in(root: Path) -> list[Fault]:
    """Every fault under root; an empty list is a clean house."""
    return [fault for module in read_tree(root) for fault in _faults_of(module)]


def _faults_of(module: Module) -> Iterator[Fault]:
    zone = zone_of(module.name)
    for found in imports_of(module):
        words = _judge(zone, found)
        if words:
            yield Fault(module.path, found.line, f"{module.name} imports {found.target}. {words}")
    if zone.pure:
        for name, line in calls_of(module.tree):
            if name in WAYS_OUT:
                yield Fault(module.path, line, f"{module.name} calls {name}(). {zone.name} {WAYS_OUT[name]}.")
    if _within(module.name, "controller") or _within(module.name, "drivers"):
        for text, line in game_names_in(module.tree):
            words = "A game is data: make it an option of the ruleset, and ask for the option."
            yield Fault(module.path, line, f"{module.name} asks for a game by name ({text}). {words}")
    if _within(module.name, "controller.rules"):
        for text, line in floats_in(module.tree):
            words = "Money is exact: use int, or Fraction for odds."
            yield Fault(module.path, line, f"{module.name} uses a float ({text}). {words}")


def _judge(zone: Zone, found: Import) -> str:
    """Why this import is wrong in this zone; empty when it is right."""
    if _within_any(found.target, OURS):
        if _within_any(found.target, zone.may_import):
            return ""
        if found.lazy and _within_any(found.target, zone.may_import_lazily):
            return ""
        return f"The rule: {zone.rule}."
    if not zone.pure:
        return ""
    for name, words in WAYS_OUT.items():
        if _within(found.target, name):
            return f"{zone.name} is pure: it {words}."
    top = found.target.partition(".")[0]
    if top in PURE_LIBRARIES or top in zone.extra_libraries:
        return ""
    return f"{zone.name} is pure, and {top} is not on its list (PURE_LIBRARIES in tests/house/arrows.py)."


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _within_any(name: str, packages: tuple[str, ...]) -> bool:
    return any(_within(name, package) for package in packages)


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).parents[2]
    faults = faults_in(root)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
