"""Proves that the house rules hold here, and that each can fail: a rule nobody saw failing is a wish."""

from pathlib import Path

import pytest

from tests.house import arrows
from tests.house.source import read_tree

ROOT = Path(__file__).parents[2]
RULES = "controller/rules/hand.py"
SIDEBETS = "controller/rules/sidebets/__init__.py"
TABLE = "controller/table/round.py"
CLI = "controller/cli/__init__.py"
DAEMON = "controller/daemon.py"
SHOE = "drivers/shoe.py"
WIRE = "firmware_protocol/frame.py"
BENCH = "hil/bench/speed.py"

# Where, what is planted there, and a piece of what must be said about it; the id is the rule it breaks.
BROKEN = {
    "the rules keep no clock": (RULES, "import time", "keeps no clock"),
    "the rules keep no clock under another name": (
        RULES,
        "from datetime import datetime as d",
        "keeps no clock",
    ),
    "the rules leave nothing to chance": (RULES, "def f():\n    import random", "nothing to chance"),
    "the rules keep no secrets": (RULES, "from secrets import token_hex", "nothing to chance"),
    "the rules know no operating system": (RULES, "import os.path", "opens no file"),
    "the rules know no stream": (RULES, "from io import StringIO", "opens no file"),
    "the rules know no path": (RULES, "from pathlib import Path", "opens no file"),
    "the rules know no temporary file": (RULES, "import tempfile", "opens no file"),
    "the rules know no database": (RULES, "import sqlite3", "opens no file"),
    "the rules open no packaged file": (RULES, "from importlib import resources", "opens no file"),
    "the rules open no file": (RULES, "def f(p):\n    return open(p)", "opens no file"),
    "the rules write no log": (RULES, "import logging", "writes no log"),
    "the rules print nothing": (RULES, "def f():\n    print('21')", "prints nothing"),
    "the rules ask nobody": (RULES, "def f():\n    return input()", "opens no port"),
    "the rules know no event loop": (RULES, "import asyncio", "starts nothing"),
    "the rules know no thread": (RULES, "import threading", "starts nothing"),
    "the rules start no program": (RULES, "from subprocess import run", "starts nothing"),
    "the rules run no text as code": (RULES, "def f(t):\n    return eval(t)", "runs no text as code"),
    "the rules use only listed libraries": (RULES, "import rich", "not on its list"),
    "the rules use only listed parts of python": (RULES, "import pickle", "not on its list"),
    "the rules keep no clock by import_module": (
        RULES,
        "from importlib import import_module as m\nm('time')",
        "keeps no clock",
    ),
    "the rules keep no clock by __import__": (RULES, "t = __import__('time')", "keeps no clock"),
    "the rules keep no clock for the type checker either": (
        RULES,
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import time",
        "keeps no clock",
    ),
    "the rules import no other part of controller": (
        RULES,
        "from controller.store import journal",
        "controller.rules",
    ),
    "the rules do not climb out by dots": (
        RULES,
        "from ..store import journal",
        "imports controller.store.journal",
    ),
    "the rules do not climb out by bare dots": (RULES, "from .. import daemon", "imports controller.daemon"),
    "the rules do not import all of controller": (RULES, "import controller", "controller.rules"),
    "the rules do not import the table": (RULES, "import controller.table.round", "controller.rules"),
    "the rules do not import drivers": (RULES, "import drivers.base", "controller.rules"),
    "the side bets may look for modules but not for files": (
        SIDEBETS,
        "import importlib.resources",
        "opens no file",
    ),
    "the side bets do not read files through pkgutil": (
        SIDEBETS,
        "from pkgutil import get_data",
        "opens no file",
    ),
    "the side bets do not load the store": (
        SIDEBETS,
        "import importlib\nimportlib.import_module('...store', __name__)",
        "imports controller.store",
    ),
    "the table keeps no clock": (TABLE, "import time", "keeps no clock"),
    "the table opens no port": (TABLE, "import socket", "opens no port"),
    "the table imports only the rules": (TABLE, "from controller import config", "controller.table is pure"),
    "the table does not import drivers": (TABLE, "from drivers.base import Shoe", "controller.table is pure"),
    "the controller runs nothing before its rules": (
        "controller/__init__.py",
        "import os",
        "before controller.rules",
    ),
    "the protocol keeps no clock": (WIRE, "from time import monotonic", "keeps no clock"),
    "the protocol opens no serial port": (WIRE, "import serial", "opens no port"),
    "the protocol opens no usb": (WIRE, "import usb.core", "opens no port"),
    "the protocol does not import drivers": (WIRE, "from drivers import base", "firmware_protocol is pure"),
    "the protocol does not import the controller": (
        WIRE,
        "import controller.rules",
        "firmware_protocol is pure",
    ),
    "a driver never imports the controller": (SHOE, "from controller.rules import cards", "never controller"),
    "a driver never imports the controller later": (
        SHOE,
        "def f():\n    import controller",
        "never controller",
    ),
    "a driver never loads the controller by text": (
        SHOE,
        "import importlib\ndef f(x):\n    return importlib.import_module(f'controller.{x}')",
        "imports controller.*",
    ),
    "a driver never loads the controller by added text": (
        SHOE,
        "import importlib as i\ndef f(x):\n    return i.import_module('controller.' + x)",
        "imports controller.*",
    ),
    "a driver does not import hil": (SHOE, "import hil", "never controller"),
    "the daemon knows no single driver": (DAEMON, "from drivers import shoe", "only through drivers.base"),
    "the daemon knows no single driver later": (DAEMON, "def f():\n    import drivers.shoe", "only through"),
    "the daemon does not import all drivers": (DAEMON, "import drivers", "only through drivers.base"),
    "the daemon knows no wire format": (DAEMON, "import firmware_protocol.frame", "firmware_protocol"),
    "the daemon does not import hil": (DAEMON, "def f():\n    import hil", "hil, tests or deploy"),
    "the daemon does not import tests": (DAEMON, "from tests.oracle import settle", "hil, tests or deploy"),
    "the daemon does not import deploy": (DAEMON, "import deploy", "hil, tests or deploy"),
    "the command line reaches hil only when called": (CLI, "import hil.bench", "only inside a function"),
    "the command line reaches hil only when called, not in a class": (
        CLI,
        "class A:\n    import hil",
        "only inside a function",
    ),
    "the command line reaches hil only when called, not as a default": (
        CLI,
        "def f(x=__import__('hil')):\n    return x",
        "only inside a function",
    ),
    "the command line reaches hil only when called, not if present": (
        CLI,
        "try:\n    import hil\nexcept ImportError:\n    pass",
        "only inside a function",
    ),
    "the command line reaches a driver only when called": (
        CLI,
        "from drivers import shoe",
        "only inside a function",
    ),
    "the command line reaches the protocol only when called": (
        CLI,
        "import firmware_protocol",
        "only inside a function",
    ),
    "the command line never reaches tests": (CLI, "def f():\n    import tests.oracle", "never tests"),
    "the bench does not import tests": (BENCH, "from tests.oracle import settle", "never tests or deploy"),
    "the bench does not import deploy": (BENCH, "def f():\n    import deploy.units", "never tests or deploy"),
    "a script of deploy does not import hil": (
        "deploy/install.py",
        "import hil",
        "only controller.cli imports hil",
    ),
    "no other folder imports hil": ("tools/draw.py", "import hil", "only controller.cli imports hil"),
    "no other folder imports tests": ("tools/draw.py", "import tests", "nothing imports tests"),
    "no code asks for a game by its name": (
        DAEMON,
        "def f(game):\n    return game == 'power'",
        "game by name",
    ),
    "no code asks backwards": (RULES, "def f(r):\n    return 'power' != r.game_id", "game by name"),
    "no code asks through the ruleset": (
        RULES,
        "def f(ruleset):\n    return ruleset.name == 'p'",
        "game by name",
    ),
    "no code asks in a list": (RULES, "def f(t):\n    return t.game_name in ('a', 'b')", "game by name"),
    "no code asks by match": (
        RULES,
        "def f(game):\n    match game:\n        case 'a' | 'b':\n            1",
        "game by",
    ),
    "no code asks by the start of a name": (
        RULES,
        "def f(game):\n    return game.startswith('m')",
        "game by name",
    ),
    "no code asks in small letters": (RULES, "def f(game):\n    return game.lower() == 'm'", "game by name"),
    "no driver asks for a game": (SHOE, "def f(config):\n    return config['game'] == 'm'", "game by name"),
    "the rules write no float": (RULES, "BLACKJACK_PAYS = 1.5", "uses a float (1.5)"),
    "the rules write no float in disguise": (RULES, "LIMIT = 1e3", "uses a float"),
    "the rules make no float": (RULES, "def f(x):\n    return float(x)", "uses a float (float(x))"),
}

# What must stay allowed, so that nobody has to bend good code round the finder.
CLEAN = {
    "the rules may use exact numbers": (RULES, "from fractions import Fraction\nHALF = Fraction(1, 2)"),
    "the rules may use msgspec and themselves": (
        RULES,
        "import msgspec.toml\nfrom . import cards\nfrom .cards import a",
    ),
    "the rules may refuse a float": (RULES, "def f(x):\n    return isinstance(x, float)"),
    "the rules may have a method called open": (RULES, "def f(round):\n    return round.open()"),
    "the side bets may find their modules": (
        SIDEBETS,
        "import importlib, pkgutil\nfor m in pkgutil.iter_modules(__path__):\n"
        "    importlib.import_module(f'{__name__}.{m.name}')",
    ),
    "the table may use the rules": (
        TABLE,
        "from controller.rules import cards\nfrom ..rules.cards import Card",
    ),
    "the protocol may use cobs and checksums": (
        WIRE,
        "import binascii, hashlib, hmac, struct\nfrom cobs import cobs",
    ),
    "a driver may use the protocol and the clock": (SHOE, "import time\nfrom firmware_protocol import frame"),
    "the daemon may use the three doors": (
        DAEMON,
        "from drivers import base, registry\nimport drivers.supervisor",
    ),
    "the daemon may use the clock and the rules": (
        DAEMON,
        "import asyncio, time\nfrom controller import rules",
    ),
    "the command line may reach anything when called": (
        CLI,
        "def f():\n    import hil, drivers.shoe, firmware_protocol\nasync def g():\n    from hil import b",
    ),
    "the command line may name a type": (
        CLI,
        "import typing\nif typing.TYPE_CHECKING:\n    from hil import Bench",
    ),
    "the bench may use the product": (
        BENCH,
        "import controller.rules, drivers.shoe, firmware_protocol, time",
    ),
    "tests may import anything": ("tests/test_x.py", "import hil, controller, deploy, time"),
    "a game may be compared with a game": (DAEMON, "def f(game, other):\n    return game == other.game"),
    "a game may be missing": (DAEMON, "def f(game):\n    return game is None or game == ''"),
    "a game may be looked up": (DAEMON, "def f(game, known):\n    return game in known['all']"),
    "floats are fine outside the rules": (DAEMON, "WAIT_S = 0.25"),
}


def plant(root: Path, file: str, source: str) -> None:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(source + "\n", encoding="utf-8")


def test_every_import_in_this_project_goes_the_right_way() -> None:
    assert [str(fault) for fault in arrows.faults_in(ROOT)] == []


def test_the_finder_sees_every_package_it_judges() -> None:
    seen = {module.name.partition(".")[0] for module in read_tree(ROOT)}
    assert seen >= {"controller", "drivers", "firmware_protocol", "hil"}


@pytest.mark.parametrize(("file", "source", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_a_planted_fault_is_found(tmp_path: Path, file: str, source: str, words: str) -> None:
    plant(tmp_path, file, source)
    said = [str(fault) for fault in arrows.faults_in(tmp_path)]
    assert any(line.startswith(f"{file}:") and words in line for line in said), said


@pytest.mark.parametrize(("file", "source"), CLEAN.values(), ids=CLEAN.keys())
def test_honest_code_is_left_alone(tmp_path: Path, file: str, source: str) -> None:
    plant(tmp_path, file, source)
    assert [str(fault) for fault in arrows.faults_in(tmp_path)] == []


def test_a_fault_is_reported_with_its_file_line_and_rule_and_fails_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(tmp_path, RULES, "from fractions import Fraction\n\nimport random")
    assert arrows.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == (
        "controller/rules/hand.py:3: controller.rules.hand imports random. controller.rules is pure: "
        "it leaves nothing to chance; take what was drawn as an argument.\n"
    )


def test_a_clean_house_is_silent_and_passes_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path, RULES, "import fractions")
    assert arrows.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


def test_virtual_environments_and_build_leftovers_are_not_judged(tmp_path: Path) -> None:
    plant(tmp_path, ".venv/lib/controller/rules/x.py", "import time")
    plant(tmp_path, "build/lib/controller/rules/x.py", "import time")
    assert arrows.faults_in(tmp_path) == []
