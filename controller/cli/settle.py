"""`croupier settle`: round scripts in, settlements out. What is wrong with a script is its answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import click

from controller.cli.common import REFUSED
from controller.library import load_game
from controller.rules.report import settle_script


@click.command()
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True))
@click.option("--lines", is_flag=True, help="One script a line on standard input, one settlement a line out.")
@click.option("--pretty", is_flag=True, help="Indent the JSON for reading.")
def settle(files: tuple[str, ...], lines: bool, pretty: bool) -> None:
    """Play round scripts through the round's own state machine and print what every wager is worth.

    FILES are scripts in JSON; - is standard input. Each gives one JSON object: the settlement, or
    {"error": code, "message": words}. If any was refused the exit status is 6.
    """
    if lines == bool(files):
        raise click.UsageError("name script files, or say --lines and give scripts on standard input")
    answers = map(_settle, _stdin_lines()) if lines else map(_settle_file, files)
    sys.exit(_print(answers, 1 if pretty else None))


def _print(answers: Iterable[dict[str, Any]], indent: int | None) -> int:
    status = 0
    for answer in answers:
        if "error" in answer:
            status = REFUSED
        print(json.dumps(answer, ensure_ascii=True, indent=indent))
    return status


def _stdin_lines() -> Iterable[bytes]:
    return (line.rstrip(b"\r\n") for line in sys.stdin.buffer)


def _settle_file(name: str) -> dict[str, Any]:
    try:
        text = sys.stdin.buffer.read() if name == "-" else open(name, "rb").read()  # noqa: SIM115
    except OSError as error:
        return {"error": "unreadable", "message": f"{name}: {error.strerror}"}
    return _settle(text)


def _settle(text: bytes) -> dict[str, Any]:
    try:
        script = json.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return {"error": "bad_json", "message": f"The script is not UTF-8 text (byte {error.start})."}
    except json.JSONDecodeError as error:
        words = f"The script is not JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        return {"error": "bad_json", "message": words}
    except (ValueError, RecursionError) as error:
        return {"error": "bad_json", "message": f"The script is not JSON that can be read: {error}."}
    return settle_script(script, load_game)
