"""The documents for people, served by the table itself, so that they are there where there is no network.

Gives only those that are listed. Other files that they name are shown without a link.
"""

from __future__ import annotations

import functools
import html
import posixpath
from pathlib import Path
from typing import Final

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import controller
from controller.surfaces.markdown import title_of, to_html
from controller.surfaces.rules_sheet import rules_sheet, sheet_style
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.pages import HEADERS, HTML, TYPES
from controller.surfaces.web.problems import rejected
from controller.table.state import Setup

# By the name in their address: where they are in the source. The first three are for its three readers.
DOCUMENTS: Final = {
    "dealer": "docs/dealer.md",
    "technician": "docs/technician.md",
    "engineer": "docs/engineer.md",
    "tablelink": "firmware_protocol/PROTOCOL.md",
    "tablelink-c": "firmware_protocol/c/README.md",
    "firmware": "hil/firmware/README.md",
    "conformance": "docs/conformance.md",
    "bench": "docs/bench.md",
    "record-replay": "docs/record-replay.md",
    "benchmarks": "docs/benchmarks.md",
}
ROOT: Final = Path(controller.__file__).parents[1]
PACKED: Final = (
    Path(controller.__file__).parent / "surfaces" / "documents"
)  # where a wheel has what a checkout has in docs/
SHEET, SHEET_STYLE = "/docs/sheet", "/docs/sheet.css"
_PAGE: Final = """\
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{title}</title>
    <link rel="icon" href="/pages/icons/croupier.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/pages/base.css">
    <link rel="stylesheet" href="/pages/document.css">
  </head>
  <body>
    <nav aria-label="Documents">{links}</nav>
    <main>
{body}
    </main>
  </body>
</html>
"""


class Documents:
    """Those that are listed, and the sheet of the table that runs, by its rules and the limits of now."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> list[Route]:
        return [
            Route(SHEET, self._sheet, include_in_schema=False),
            Route(SHEET_STYLE, self._sheet_style, include_in_schema=False),
            Route("/docs/{name}", self._document, include_in_schema=False),
        ]

    async def _document(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in DOCUMENTS:
            raise rejected("not_found", f"There is no document {name}. There are {', '.join(DOCUMENTS)}.")
        return _answer(request, page(name), HTML)

    async def _sheet(self, request: Request) -> Response:
        setup = self._setup()
        made = rules_sheet(setup.rules, setup, simulated=self._desk.simulated, linked=SHEET_STYLE)
        return _answer(request, made, HTML)

    async def _sheet_style(self, request: Request) -> Response:
        setup = self._setup()
        return _answer(request, sheet_style(setup.rules, setup, simulated=self._desk.simulated), TYPES["css"])

    def _setup(self) -> Setup:
        table = self._desk.running.table
        return structs.replace(table.setup, limits={bet: text.limits for bet, text in table.state.limits.items()})


def _answer(request: Request, text: str, media_type: str) -> Response:
    headers = dict(HEADERS)
    if framed_by := request.app.state.framed_by:
        headers["Content-Security-Policy"] += f" {' '.join(framed_by)}"
    return Response(text, headers=headers, media_type=media_type)


@functools.lru_cache(maxsize=len(DOCUMENTS))
def page(name: str) -> str:
    text = text_of(name)
    links = [
        ("/", "Start page"),
        (SHEET, "This table's sheet"),
        *((f"/docs/{each}", title(each)) for each in DOCUMENTS),
        ("/docs", "The API"),
    ]
    made = (
        f'<a href="{path}"{" aria-current=page" if path == f"/docs/{name}" else ""}>{html.escape(words)}</a>'
        for path, words in links
    )
    return _PAGE.format(
        title=html.escape(title_of(text)),
        links="".join(made),
        body=to_html(text, lambda target: resolve(DOCUMENTS[name], target)),
    )


def title(name: str) -> str:
    """What stands before the first colon or comma: short enough for a list."""
    return title_of(text_of(name)).partition(":")[0].partition(",")[0]


@functools.lru_cache(maxsize=len(DOCUMENTS))
def text_of(name: str) -> str:
    path = ROOT / DOCUMENTS[name]
    packed = PACKED / path.name
    found = packed if DOCUMENTS[name].startswith("docs/") and packed.is_file() else path
    return found.read_text(encoding="utf-8")


def resolve(source: str, target: str) -> str | None:
    """A link of a document that lies at `source`, as an address here; None where it leads to nothing that is served."""
    if target.startswith(("https://", "http://", "#")):
        return target
    path, _, place = target.partition("#")
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    name = next((name for name, at in DOCUMENTS.items() if at == wanted), None)
    return None if name is None else f"/docs/{name}" + (f"#{place}" if place else "")
