"""Two QR codes for a table with a Wi-Fi network of its own: one joins it, the other opens the pages there.

The password is in the first one's squares and nowhere else on the web. Who is given no code gets an empty answer, the
same whether the network is off, the table is open or the reader is a stranger: what a sign asks for is no error.

* At `sign`, where the house switched it on, and only while the table is closed: on this machine's own screen, on a
  screen that is in the table's network already, and to who is signed in. Who sits elsewhere in the house's network
  gets nothing, though he may look at the same page.
* At `start`, at any time: on this machine's own screen, and to who is signed in.
"""

from __future__ import annotations

import logging
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.hotspot import BadHotspot, Hotspot, read_hotspot
from controller.surfaces.web.asked import asker
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.pages import HEADERS, TYPES, qr_svg
from controller.surfaces.web.people import VIEWER
from controller.surfaces.web.problems import rejected

PLACES: Final = ("sign", "start")
CODES: Final = ("join", "open")
PATH: Final = "/pages/hotspot/{place}/{code}.svg"
_EVERYWHERE: Final = ("0.0.0.0", "::")
_PROXIES: Final = ("forwarded", "x-forwarded-for", "via")
_HEADERS: Final = {
    **HEADERS,
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",  # no page of another site can show it
}

_log = logging.getLogger(__name__)


class HotspotCodes:
    """`file` is None where the table has no network of its own. `host` and `port` are where the pages are served."""

    def __init__(
        self, file: Path | None, *, on_sign: bool = False, host: str = "", port: int = 0, tls: bool = False
    ) -> None:
        self._file, self._on_sign = file, on_sign
        self._host, self._port, self._scheme = host, port, "https" if tls else "http"
        self._trouble = ""

    def routes(self, desk: Desk) -> list[Route]:
        async def answer(request: Request) -> Response:
            return self._answer(request, closed=not desk.running.table.state.open)

        return [Route(PATH, answer, include_in_schema=False)]

    def look(self) -> Hotspot | None:
        """As the file is now. What is wrong with it is told once, and again when it is another trouble."""
        if self._file is None:
            return None
        try:
            found = read_hotspot(self._file)
            trouble = "" if found else f"{self._file} is not there; sudo croupier-hotspot on makes it"
        except BadHotspot as error:
            found, trouble = None, str(error)
        if trouble != self._trouble:
            if trouble:
                _log.warning("no QR code for the table's network is shown: %s", trouble)
            else:
                _log.info("the QR code for the table's network is shown again")
            self._trouble = trouble
        return found

    def _answer(self, request: Request, *, closed: bool) -> Response:
        place, code = request.path_params["place"], request.path_params["code"]
        if place not in PLACES or code not in CODES:
            raise rejected("not_found", f"There is no page or part of one at {request.scope['path']}.")
        hotspot = self.look()
        shown = place == "start" or (self._on_sign and closed)
        if hotspot is None or not shown or not _may_see(request, place, hotspot):
            return Response(status_code=204, headers=_HEADERS)
        if code == "join":
            return _image(hotspot.joining)
        own = str(hotspot.address.ip)
        if self._host not in (*_EVERYWHERE, own):  # who joins could not open it
            return Response(status_code=204, headers=_HEADERS)
        return _image(f"{self._scheme}://{own}:{self._port}/")


def _image(text: str) -> Response:
    return Response(qr_svg(text), media_type=TYPES["svg"], headers=_HEADERS)


def _may_see(request: Request, place: str, hotspot: Hotspot) -> bool:
    if asker(request) != VIEWER:
        return True
    reader = _address_of(request)
    if reader is None:
        return False
    return reader.is_loopback or (place == "sign" and reader in hotspot.address.network)


def _address_of(request: Request) -> IPv4Address | IPv6Address | None:
    """Of the reader's own machine; None where another program stands between, and for the Unix socket."""
    if request.client is None or any(name in request.headers for name in _PROXIES):
        return None
    try:
        address = ip_address(request.client.host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
