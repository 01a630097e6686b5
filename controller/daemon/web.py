"""The web as a surface of the daemon: its desk at this table, its sockets, who may come in."""

from __future__ import annotations

import logging
import socket

from controller.config.model import TableConfig
from controller.daemon.daemon import Daemon
from controller.daemon.keeping import Started
from controller.daemon.past import PastRounds
from controller.surfaces.web.api import Web
from controller.surfaces.web.desk import Desk
from controller.surfaces.web.hotspot import HotspotCodes
from controller.surfaces.web.people import Authenticator, SocketOwner, TokenBearer
from controller.surfaces.web.server import Listening, serve
from controller.surfaces.web.session_desk import SignIn
from controller.surfaces.web.token_file import read_or_make_token, token_path

_log = logging.getLogger(__name__)


async def serve_web(config: TableConfig, daemon: Daemon, started: Started) -> None:
    """Until it is cancelled. Raises WebRefused where its sockets or its token can't be had."""
    web = config.web
    people: list[Authenticator] = [SocketOwner()]
    if web is not None:
        people.append(TokenBearer(read_or_make_token(token_path(config.journal))))

    hotspot = None
    if web is not None:
        tls = web.certificate is not None
        hotspot = HotspotCodes(web.hotspot, on_sign=web.hotspot_on_sign, host=web.host, port=web.port, tls=tls)
        hotspot.look()

    def ready(listening: Listening) -> None:
        _log.info("commands: %s%s", listening.unix, f"; pages: {listening.url}" if listening.url else "")
        started()

    await serve(
        Web(
            desk_of(daemon),
            people,
            hosts=_hosts(web.host if web is not None else ""),
            signing=SignIn.beside(config.journal) if web is not None else None,
            framed_by=web.framed_by if web is not None else (),
            hotspot=hotspot,
        ),
        unix=config.socket,
        tcp=(web.host, web.port) if web is not None else None,
        certificate=web.certificate if web is not None else None,
        key=web.key if web is not None else None,
        ready=ready,
    )


def desk_of(daemon: Daemon) -> Desk:
    return Desk(
        running=daemon.runner,
        devices=daemon.devices.status,
        rounds=PastRounds(daemon.journal_path, daemon.setup),
        boot=daemon.boot,
        simulated=daemon.simulated,
        settled=lambda: daemon.runner.settled and daemon.devices.settled(),
        started=daemon.started,
    )


def _hosts(host: str) -> set[str]:
    """What the table may be called: as it listens, and as this machine is named in its network."""
    name = socket.gethostname().lower()
    return {"localhost", name, f"{name}.local", *([host] if host else [])}
