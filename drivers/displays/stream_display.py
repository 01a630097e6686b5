"""What the displays on a byte stream have in common: a device that gives content to its link, and wakes it."""

from __future__ import annotations

from typing import Protocol

from drivers.base import Content
from drivers.link import Link
from drivers.ports.base import LineSettings
from drivers.stream import Opener, StreamDevice


class DisplayLink(Link, Protocol):
    """A display's link: it keeps the newest content over any number of connections."""

    def set_content(self, content: Content) -> None: ...

    def problems(self, content: Content) -> list[str]: ...

    def shown(self) -> bool: ...


class StreamDisplay(StreamDevice):
    """A `drivers.base.Display` on a port."""

    def __init__(
        self,
        link: DisplayLink,
        *,
        driver: str,
        address: str,
        line: LineSettings,
        role: str | None,
        opener: Opener | None,
    ) -> None:
        if opener is None:
            from drivers.discovery.opener import opener_for  # looks around the machine: not needed where one is given

            opener = opener_for(address, line, role)
        super().__init__(link, opener, kind="display", driver=driver, address=address)
        self._display = link

    def show(self, content: Content) -> None:
        self._display.set_content(content)
        self.wake()

    def problems(self, content: Content) -> list[str]:
        return self._display.problems(content)

    def shown(self) -> bool:
        return self._display.shown()
