"""`croupier replay`: a recording through the real drivers, or through a whole table, as it was and at any speed."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli.common import BAD_RULESET, CUT, REFUSED, USAGE, fail, json_option, print_json, read_options

if TYPE_CHECKING:
    from controller.config.model import TableConfig
    from hil.record.survey import Survey
    from hil.record.virtual import VirtualLoop


@click.command()
@click.argument("capture", type=click.Path(path_type=Path))
@click.option("--speed", default="1", show_default=True, metavar="N|max", help="How many times as fast as it was.")
@click.option("--from", "from_", type=click.FloatRange(min=0), default=0, help="Print nothing before this second.")
@click.option("--until", type=click.FloatRange(min=0), help="End at this second.")
@click.option(
    "--config", "file", type=click.Path(path_type=Path), help="Through the whole table of this configuration."
)
@click.option("--journal", type=click.Path(path_type=Path), help="With --config: keep the replay's journal here.")
@click.option("--set", "settings", multiple=True, metavar="PORT.KEY=VALUE", help="Another setting than recorded.")
@json_option
def replay(
    capture: Path,
    speed: str,
    from_: float,
    until: float | None,
    file: Path | None,
    journal: Path | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Play CAPTURE back: what the devices sent goes through the real drivers again, each on a pty of its own.

    What is before --from is played as fast as can be and not printed, because a device's session begins there. With
    --config the whole table plays it on a throw-away journal, and what people entered is entered again.

    Exit status 6: the file is empty, no capture, or of a newer version; 7: the configuration is not that of the
    recording; 9: the capture is cut or damaged, and was played up to there.
    """
    from hil.record.capture import BadCapture
    from hil.record.survey import survey

    pace = _speed(speed, as_json)
    if until is not None and until < from_:
        fail(USAGE, "range", f"--until {until:g} lies before --from {from_:g}.", as_json)
    if file is None and journal is not None:
        fail(USAGE, "journal", "--journal is for --config: without a table there is no journal.", as_json)
    try:
        found = survey(capture)
    except BadCapture as error:
        fail(REFUSED, "bad_capture", f"{error}.", as_json)
    show = _Show(found, from_, as_json)
    show.beginning(capture)
    try:
        if file is None:
            _through_drivers(capture, found, show, pace, until, _settings(settings, found, as_json))
        else:
            if settings:
                fail(
                    USAGE, "set", "--set is for a replay without --config: settings are in the configuration.", as_json
                )
            _through_table(capture, found, show, pace, until, file, journal)
    except BadCapture as error:
        fail(BAD_RULESET, "misfit", f"{error}.", as_json)
    except BrokenPipeError:
        sys.stdout = None  # who read us is gone, and the last flush would say so again
        return
    except KeyboardInterrupt:
        show.say(0, "replay", {"event": "interrupted"}, "interrupted")
        raise SystemExit(130) from None
    show.ending(until)
    if found.damage is not None and (until is None or until >= found.seconds):
        fail(CUT, "cut", f"{capture}: {found.damage}. Everything before it was played.", as_json)


def _speed(text: str, as_json: bool) -> float | None:
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.001 <= speed <= 100_000:
        fail(USAGE, "speed", f"--speed is a number from 0.001 to 100000, or max; not {text!r}.", as_json)
    return speed


def _settings(pairs: tuple[str, ...], found: Survey, as_json: bool) -> dict[str, dict[str, Any]]:
    read = read_options(pairs)
    names = [port.name for port in found.header.ports]
    for name, value in read.items():
        if name not in names or not isinstance(value, dict):
            fail(USAGE, "set", f"--set {name}: write PORT.KEY=VALUE; the ports are {', '.join(names)}.", as_json)
    return read


class _Show:
    """Prints what is told, from the second on that is asked for."""

    def __init__(self, found: Survey, from_: float, as_json: bool) -> None:
        self._found, self.first, self._as_json = found, from_, as_json
        self._width = max(len(port.name) for port in found.header.ports)
        self.otherwise = 0

    def beginning(self, path: Path) -> None:
        header = self._found.header
        ports = ", ".join(f"{port.name} ({port.kind} {port.protocol} at {port.address})" for port in header.ports)
        part = f", part {header.part}: what began in the part before is not known" if header.part > 1 else ""
        words = (
            f"{path}: recorded {header.started} (clock: {header.clock}) by Croupier {header.croupier}{part}; "
            f"{self._found.seconds:.1f} seconds; {ports}"
        )
        self._print(
            words, {"event": "capture", "seconds": self._found.seconds, "ports": [p.name for p in header.ports]}
        )

    def ending(self, until: float | None) -> None:
        words = "replayed to the end" if until is None else f"replayed to second {until:g}"
        if self._found.ended and until is None:
            words += f": {self._found.ended}"
        if self.otherwise:
            words += f"; told otherwise than recorded: {self.otherwise} times, as printed above"
        self._print(words, {"event": "replayed", "otherwise": self.otherwise})

    def say(self, t: float, who: str, fields: dict[str, Any], words: str) -> None:
        if t < self.first:
            return
        self._print(f"{t:12.3f}  {who:{self._width}}  {words}", {"t": round(t, 6), "port": who, **fields})

    def differs(self, t: float, who: str, words: str) -> None:
        self.otherwise += 1
        self.say(t, who, {"event": "otherwise", "words": words}, f"!! {words}")

    def _print(self, words: str, fields: dict[str, Any]) -> None:
        if self._as_json:
            print_json(fields)
        else:
            click.echo(words)
        sys.stdout.flush()


def _pacing(loop: VirtualLoop, from_: float, pace: float | None) -> Callable[[float], None]:
    """As fast as can be up to the second from which on it is shown."""

    def at(t: float) -> None:
        loop.at_speed(pace if t >= from_ else None)

    return at


def _through_drivers(
    capture: Path,
    found: Survey,
    show: _Show,
    pace: float | None,
    until: float | None,
    settings: dict[str, dict[str, Any]],
) -> None:
    from drivers.base import Said
    from hil.record import desk
    from hil.record.capture import CaptureReader
    from hil.record.said import said_object, said_words
    from hil.record.virtual import run

    def told(t: float, port: str, said: Said | desk.About) -> None:
        match said:
            case desk.Differs():
                show.differs(t, port, said.words)
            case desk.Trouble():
                show.say(t, port, {"event": "trouble", "words": said.words}, f"-- {said.words}")
            case _:
                show.say(t, port, said_object(said), said_words(said))

    async def work(loop: VirtualLoop) -> None:
        with CaptureReader(capture) as reader:
            at = _pacing(loop, show.first, pace)
            await desk.replay(loop, found.header, reader, found.nonces, told, settings=settings, until=until, at=at)

    run(work, pace)


def _through_table(
    capture: Path,
    found: Survey,
    show: _Show,
    pace: float | None,
    until: float | None,
    file: Path,
    journal: Path | None,
) -> None:
    from controller.cli.run import configured
    from hil.record.capture import BadCapture
    from hil.record.floor import misfits

    config = configured(file)
    wrong = misfits(config, found.header)
    if wrong:
        raise BadCapture(f"{file} is not the table of {capture}: {'; '.join(wrong)}")
    if journal is not None:
        if journal.exists():
            raise BadCapture(f"{journal} is there already: a replay begins with a journal of its own")
        _play_table(capture, found, show, pace, until, config, journal)
        return
    with tempfile.TemporaryDirectory(prefix="croupier-replay-") as folder:
        _play_table(capture, found, show, pace, until, config, Path(folder) / "table.db")


def _play_table(
    capture: Path,
    found: Survey,
    show: _Show,
    pace: float | None,
    until: float | None,
    config: TableConfig,
    journal: Path,
) -> None:
    from controller.daemon.logs import log_to
    from controller.daemon.runner import Change
    from controller.store.errors import JournalError
    from hil.record import floor
    from hil.record.capture import BadCapture, CaptureReader
    from hil.record.said import said_object, said_words
    from hil.record.virtual import run

    def told(t: float, who: str, what: Change | str) -> None:
        if isinstance(what, str):
            show.differs(t, who, what)
            return
        for event in what.events:
            show.say(t, who, said_object(event), said_words(event))

    async def work(loop: VirtualLoop) -> None:
        with CaptureReader(capture) as reader:
            at = _pacing(loop, show.first, pace)
            await floor.replay(loop, config, journal, found.header, reader, found.nonces, told, until=until, at=at)

    log_to()
    try:
        run(work, 1.0)
    except JournalError as error:
        raise BadCapture(f"the replay's journal: {error}") from error
