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
    """`file` is None where the table has no network of its own. `url` is where the pages are served."""

    def __init__(self, desk: Desk, file: Path | None, *, on_sign: bool, host: str, port: int, tls: bool) -> None:
        self._desk, self._file, self._on_sign = desk, file, on_sign
        self._host, self._port, self._scheme = host, port, "https" if tls else "http"
        self._trouble = ""

    @classmethod
    def none(cls, desk: Desk) -> HotspotCodes:
        return cls(desk, None, on_sign=False, host="", port=0, tls=False)

    def routes(self) -> list[Route]:
        return [Route(PATH, self._answer, include_in_schema=False)]

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

    async def _answer(self, request: Request) -> Response:
        place, code = request.path_params["place"], request.path_params["code"]
        if place not in PLACES or code not in CODES:
            raise rejected("not_found", f"There is no page or part of one at {request.scope['path']}.")
        hotspot = self.look()
        text = "" if hotspot is None or not self._shows(request, place, hotspot) else self._text(code, hotspot)
        if not text:
            return Response(status_code=204, headers=_HEADERS)
        return Response(qr_svg(text), media_type=TYPES["svg"], headers=_HEADERS)

    def _shows(self, request: Request, place: str, hotspot: Hotspot) -> bool:
        reader = _address_of(request)
        known = asker(request) != VIEWER or (reader is not None and reader.is_loopback)
        if place == "start":
            return known
        joined = reader is not None and reader in hotspot.address.network
        return self._on_sign and not self._desk.running.table.state.open and (known or joined)

    def _text(self, code: str, hotspot: Hotspot) -> str:
        """Empty for pages that nobody in that network could open."""
        if code == "join":
            return hotspot.joining
        own = str(hotspot.address.ip)
        return f"{self._scheme}://{own}:{self._port}/" if self._host in (*_EVERYWHERE, own) else ""


def _address_of(request: Request) -> IPv4Address | IPv6Address | None:
    """Of the reader's own machine; None where another program stands between, and for the Unix socket."""
    if request.client is None or any(name in request.headers for name in _PROXIES):
        return None
    try:
        address = ip_address(request.client.host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
