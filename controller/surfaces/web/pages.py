"""Serves the pages for people, and what they are made of, out of the package `controller.surfaces.pages`.

Gives nothing whose name is not that of a page's file: a path with dots or folders of its own leads nowhere.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.surfaces import pages
from controller.surfaces.web.problems import Rejected, rejected

ROOT: Final = Path(pages.__file__).parent
PAGES: Final = {
    "/": "start",
    **{f"/{name}": name for name in ("sign", "board", "overlay", "dealer", "pit", "demo", "docs", "sign-in")},
}
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",  # kept, but asked for each time: a table is updated and its screens stay on
}
HTML: Final = "text/html; charset=utf-8"
TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
}

_NAME: Final = re.compile(r"(?:[a-z0-9_-]+/)*[a-z0-9_-]+\.([a-z0-9]+)")


def routes() -> list[Route]:
    """Of the pages and their parts. None is in the API's document."""
    return [
        *(Route(path, _page, include_in_schema=False) for path in PAGES),
        Route("/favicon.ico", _icon, include_in_schema=False),
        Route("/pages/qr.svg", _qr_code, include_in_schema=False),
        Route("/pages/{name:path}", _part, include_in_schema=False),
    ]


async def _page(request: Request) -> Response:
    return _file(request, f"{PAGES[request.scope['path']]}.html", HTML)


async def _icon(request: Request) -> Response:
    """Where browsers look for it unasked."""
    return _file(request, "icons/croupier.svg", TYPES["svg"])


async def _part(request: Request) -> Response:
    name = request.path_params["name"]
    found = _NAME.fullmatch(name)
    if found is None or found[1] not in TYPES:
        raise _missing(request)
    return _file(request, name, TYPES[found[1]])


async def _qr_code(request: Request) -> Response:
    """The address of one of our pages, under the name by which this request came; of nothing else."""
    path = request.query_params.get("path", "")
    if path not in PAGES:
        words = f"A QR code is made for a page of this table, not for {path!r}."
        raise rejected("bad_query", words, known=tuple(PAGES))
    return Response(
        qr_svg(f"{request.url.scheme}://{request.url.netloc}{path}"), media_type=TYPES["svg"], headers=HEADERS
    )


@functools.lru_cache(maxsize=32)
def qr_svg(text: str) -> bytes:
    import segno

    svg = io.BytesIO()
    code = segno.make_qr(text, error="m", encoding="utf-8")  # else a name with umlauts is in whichever it fits
    code.save(svg, kind="svg", xmldecl=False, border=4, omitsize=True, light="#fff")
    return svg.getvalue()


def _file(request: Request, name: str, media_type: str) -> Response:
    path = ROOT / name
    try:
        known = path.stat()
        content, tag = _content(path, known.st_mtime_ns, known.st_size)
    except OSError:
        raise _missing(request) from None
    headers = {**HEADERS, "ETag": tag}
    if framed_by := request.app.state.framed_by:
        headers["Content-Security-Policy"] += f" {' '.join(framed_by)}"  # behind frame-ancestors, which is the last
    if _has(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=media_type)


@functools.lru_cache(maxsize=128)
def _content(path: Path, changed: int, size: int) -> tuple[bytes, str]:
    """Read again when the file is another one; the tag is that of what was read."""
    content = path.read_bytes()
    return content, f'"{hashlib.blake2s(content, digest_size=12).hexdigest()}"'


def _has(header: str, tag: str) -> bool:
    """Whether a browser has this already; it may have called its copy weak."""
    return any(each.strip().removeprefix("W/") in (tag, "*") for each in header.split(","))


def _missing(request: Request) -> Rejected:
    return rejected("not_found", f"There is no page or part of one at {request.scope['path']}.")
