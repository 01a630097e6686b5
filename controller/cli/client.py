"""How commands ask a running daemon: its API over its Unix socket. Says in words why nobody answers, and leaves with 3.

The socket is named, or found by the table's configuration. The file's mode is the only key that is needed.
"""

from __future__ import annotations

import http.client
import os
import secrets
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click
import msgspec
from msgspec import Struct

from controller.cli.common import BAD_RULESET, NO_DAEMON, REFUSED, USAGE, fail, json_option
from controller.cli.socket_line import ANSWER_S, ask

API: Final = "/api/v1"
VARIABLE: Final = "CROUPIER_SOCKET"
ANOTHER: Final = "Use the croupier of the version that runs the table"

NOTHING_THERE: Final = "There is nothing at"  # how the API begins to say that it has no such address

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")


class _Snapshot(Struct):
    simulated: bool
    state: msgspec.Raw


class _Problem(Struct):
    detail: str
    code: str


def table_options(command: Command) -> Command:
    """Where the daemon is: `find_table` takes what is said."""
    file = click.Path(path_type=Path)
    by_config = click.option("--config", type=file, help="The table's configuration; else table.toml, as for check.")
    by_socket = click.option("--socket", type=file, help="The daemon's socket, instead.")
    return by_config(by_socket(json_option(command)))


def find_table(config: Path | None, socket: Path | None, as_json: bool) -> Table:
    """Leaves the program where nothing says which table is meant."""
    if socket is not None and config is not None:
        fail(USAGE, "which_table", "Say --socket or --config, not both.", as_json)
    if socket is not None:
        return Table(socket, as_json)
    from controller.config.load import find
    from controller.config.problems import BadConfig

    try:
        return Table(_socket_of(config if config is not None else find()), as_json)
    except BadConfig as bad:
        named = os.environ.get(VARIABLE, "")
        if config is None and named:
            return Table(Path(named), as_json)
        if config is not None:
            fail(BAD_RULESET, "bad_config", str(bad), as_json)
        words = f"No table is named: there is no configuration here. Say --socket or --config, or set {VARIABLE}."
        fail(NO_DAEMON, "no_daemon", words, as_json)


def _socket_of(config: Path) -> Path:
    """Only where the daemon is: the rest of the file may have been changed since it was started, even for the worse."""
    from controller.config.part import Part
    from controller.config.sheet import Sheet
    from controller.config.web import read_journal, read_web

    sheet = Sheet.read(config)
    top = Part(sheet, (), sheet.data)
    return read_web(top.table("web"), top, read_journal(top.table("journal"), top))[1]


class Table:
    """One running table. Every call leaves the program in words where it can't be asked, or refuses."""

    def __init__(self, path: Path, as_json: bool) -> None:
        self.path, self.as_json = path, as_json

    def get(self, address: str, what: type[T]) -> T:
        return self.read(self._said(*self._ask("GET", address)), what)

    def view(self, name: str, what: type[T]) -> tuple[T, bool]:
        """A view, and whether the table is a simulated one."""
        answer = self.get(f"{API}/state?view={name}", _Snapshot)
        return self.read(answer.state, what), answer.simulated

    def enter(self, what: Mapping[str, Any]) -> dict[str, Any]:
        """One input; under a key, so that it counts once however often it is sent."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(16)}
        return self.read(
            self._said(*self._ask("POST", f"{API}/inputs", msgspec.json.encode(what), headers)), dict[str, Any]
        )

    def trouble(self) -> str:
        """Why the table takes no input; nothing where it does."""
        status, text = self._ask("GET", "/healthz")
        return self.read(text, _Problem).detail if status >= 400 else ""

    def read(self, text: bytes | str, what: type[T]) -> T:
        try:
            return msgspec.json.decode(text, type=what)
        except msgspec.ValidationError as error:
            self.strange(f"its answers have another form ({error})")
        except msgspec.DecodeError:
            self.strange("it answered with something else than JSON")

    def unreachable(self, error: OSError) -> NoReturn:
        fail(NO_DAEMON, "no_daemon", _no_answer(self.path, error), self.as_json)

    def strange(self, why: str) -> NoReturn:
        words = f"What answers at {self.path} is not the daemon that this command knows: {why}. {ANOTHER}."
        fail(NO_DAEMON, "another_daemon", words, self.as_json)

    def _ask(
        self, method: str, address: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        try:
            return ask(self.path, method, address, body, headers)
        except OSError as error:
            self.unreachable(error)
        except http.client.HTTPException as error:
            self.strange(f"it does not speak HTTP ({type(error).__name__})")

    def _said(self, status: int, text: bytes) -> bytes:
        if status >= 400:
            problem = self.read(text, _Problem)
            if problem.detail.startswith(NOTHING_THERE):
                self.strange(f"its API has no {API}")
            fail(REFUSED, problem.code, problem.detail, self.as_json)
        return text


def _no_answer(path: Path, error: OSError) -> str:
    match error:
        case FileNotFoundError():
            return f"No daemon runs this table: there is no socket {path}. croupier run starts one."
        case PermissionError():
            return f"You may not use the socket {path}: it is for {_owner(path)} alone. Ask as that user, or as root."
        case ConnectionRefusedError() if _is_socket(path):
            return f"No daemon runs this table: the one that made {path} has died. croupier run starts another."
        case TimeoutError():
            return f"The daemon at {path} did not answer within {ANSWER_S:g} seconds. Its log says what it is doing."
        case ConnectionRefusedError():
            return f"{path} is no socket of a daemon."
    return f"The daemon at {path} can't be asked: {error.strerror or error}."


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _owner(path: Path) -> str:
    import pwd

    try:
        return f"its owner {pwd.getpwuid(os.stat(path).st_uid).pw_name}"
    except (OSError, KeyError):
        return "its owner"
