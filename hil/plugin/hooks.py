"""What pytest asks of the plugin: options, benches as parameters, markers, and what becomes of a test that failed.

Once a bench itself breaks, the rest of its tests is skipped with the cause.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from controller.config.problems import BadConfig
from hil.plugin import artefacts, marks
from hil.plugin.bench_file import BenchEntry, read_benches
from hil.plugin.fixtures import RIG
from hil.plugin.rig import Rig
from hil.plugin.words import BenchBroken, CantDo

SECTION: Final = "bench"


class Benches:
    """Those of this run, and which of them broke: name → cause, with the test that met it."""

    def __init__(self, entries: tuple[BenchEntry, ...], artefacts: Path) -> None:
        self.entries, self.artefacts = entries, artefacts
        self.broken: dict[str, str] = {}


BENCHES: Final = pytest.StashKey[Benches]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("croupier", "Croupier's bench")
    group.addoption(
        "--bench", metavar="FILE", help="bench.toml: the devices to test on. Without it they are simulated."
    )
    group.addoption(
        "--bench-artefacts",
        metavar="FOLDER",
        default="bench-artefacts",
        help="where the wires, stories, journals and pictures of failed tests are kept [%(default)s]",
    )


def pytest_configure(config: pytest.Config) -> None:
    for line in marks.MARKERS:
        config.addinivalue_line("markers", line)
    named: str | None = config.getoption("--bench")
    here = config.invocation_params.dir
    try:
        entries = read_benches(here / named if named is not None else None)
    except BadConfig as bad:
        raise pytest.UsageError("\n".join(map(str, bad.problems))) from None
    config.stash[BENCHES] = Benches(entries, here / config.getoption("--bench-artefacts"))


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [f"bench: {_about(entry)}" for entry in config.stash[BENCHES].entries]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "bench" not in metafunc.fixturenames:
        return
    entries = metafunc.config.stash[BENCHES].entries
    metafunc.parametrize("bench", entries, ids=[entry.name for entry in entries], indirect=True)
    if games := marks.games_of(metafunc.definition.iter_markers("game")):
        metafunc.parametrize("bench_game", games, ids=list(map(marks.game_id, games)), indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marks.check(items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    entry = _entry(item)
    if entry is None:
        return
    if cause := item.config.stash[BENCHES].broken.get(entry.name):
        pytest.skip(cause)
    if reason := marks.skip_reason(item, entry):
        pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    rig = pyfuncitem.stash.get(RIG, None)
    try:
        if rig is not None:
            marks.switch_on(pyfuncitem, rig)
        return (yield)
    except CantDo as reason:
        pytest.skip(str(reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    rig = item.stash.get(RIG, None)
    entry = _entry(item)
    if entry is None or not report.failed:
        return report
    benches = item.config.stash[BENCHES]
    error = call.excinfo.value if call.excinfo is not None else None
    if rig is not None:
        report.sections.append((SECTION, _kept(rig, benches, item)))
    cause = str(error) if isinstance(error, BenchBroken) else rig.trouble() if rig is not None else ""
    cause = cause.rstrip(".")
    if cause:
        benches.broken.setdefault(entry.name, f"the bench {entry.name} broke in {item.name}: {cause}")
        if isinstance(error, BenchBroken):
            report.longrepr = f"The bench {entry.name} is broken: {cause}"
        else:
            report.sections.append((SECTION, f"The bench itself is broken: {cause}"))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for cause in config.stash[BENCHES].broken.values():
        terminalreporter.write_line(f"{cause}. The rest of its tests was skipped.", yellow=True)


def _entry(item: pytest.Item) -> BenchEntry | None:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("bench") if callspec is not None else None


def _kept(rig: Rig, benches: Benches, item: pytest.Item) -> str:
    folder = artefacts.folder_of(benches.artefacts, item.nodeid)
    try:
        names = artefacts.keep(rig, folder)
    except OSError as error:
        return f"nothing could be kept in {folder}: {error.strerror}"
    return "\n".join([f"kept in {folder}:", *(f"  {name}" for name in names), "", rig.story.tail()])


def _about(entry: BenchEntry) -> str:
    devices = [
        f"{role} {'SIMULATED' if device.simulated else device.found.driver_name}"
        + ("" if device.simulated else f" at {device.found.settings.get('port', 'pins')}")
        for role, device in entry.devices.items()
    ]
    return f"{entry.name}: {', '.join(devices)}"
