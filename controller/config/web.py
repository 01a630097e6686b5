"""The sections [web] and [journal]: where the table listens and what it writes. Refuses unsafe listening by mistake."""

from __future__ import annotations

import ipaddress
import os
import re
import stat
from pathlib import Path
from typing import Final

from controller.config.model import WebSection
from controller.config.part import Part, kind_of
from controller.hotspot import BadHotspot, read_hotspot

LISTEN: Final = "127.0.0.1:8021"
LONGEST_SOCKET: Final = 107  # bytes of a Unix socket's path, without the zero behind it: unix(7)
FORM: Final = 'write host:port, such as "127.0.0.1:8021" or "[::1]:8021"'
_SITE: Final = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?")
_HOST: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")


def read_journal(part: Part | None, top: Part) -> Path:
    """By default a file beside the configuration, of the same name."""
    config = top.sheet.path.absolute()
    beside = config.with_suffix(".db")
    journal = (part.file("path") if part is not None else None) or beside
    if part is not None:
        part.finish()
    key = ("journal", "path")
    if os.path.isdir(journal):
        top.sheet.wrong(key, f"{journal} is a folder: name a file in it, such as {journal / 'table.db'}")
        return beside
    if os.path.exists(journal) and os.path.exists(config) and os.path.samefile(journal, config):
        top.sheet.wrong(key, "is this configuration itself: the journal is another file")
    elif not os.path.isdir(journal.parent):
        top.sheet.note(key, f"the folder {journal.parent} is not there yet: make it before the table runs")
    return journal


def read_web(part: Part | None, top: Part, journal: Path) -> tuple[WebSection | None, Path]:
    """The pages' address, if there are to be any, and the socket for this machine's own commands."""
    beside = journal.with_suffix(".sock")
    if part is None:
        _check_socket(top, "journal", beside)
        return None, beside
    socket = part.file("socket") or beside
    _check_socket(part, "socket", socket)
    if socket == journal:
        part.wrong("socket", "is the journal's file: the socket is another one")
    insecure = part.flag("insecure", False)
    certificate, key = part.file("certificate"), part.file("key")
    listen = part.text("listen", LISTEN)
    framed_by = _framed_by(part)
    hotspot, on_sign = part.file("hotspot"), part.flag("hotspot_on_sign", False)
    part.finish()
    _check_tls(part, certificate, key)
    found = _address(part, listen)
    if found is None:
        return None, socket
    host, port = found
    tls = "certificate" in part.data or "key" in part.data  # half of it is told above
    if not is_loopback(host) and not tls and not insecure:
        part.wrong(
            "listen",
            f"{host} can be reached from other machines, and everything would cross the network in the open; "
            "set certificate and key, or listen on 127.0.0.1, or write insecure = true if nobody else is on that "
            "network",
        )
    elif not is_loopback(host) and not tls:
        part.sheet.note(part.at("listen"), f"{host} can be reached from other machines, and nothing is encrypted")
    _check_hotspot(part, hotspot, on_sign, host, tls)
    web = WebSection(
        host=host,
        port=port,
        certificate=certificate,
        key=key,
        insecure=insecure,
        framed_by=framed_by,
        hotspot=hotspot,
        hotspot_on_sign=on_sign,
    )
    return web, socket


def _framed_by(part: Part) -> tuple[str, ...]:
    given = part.take("framed_by")
    if given is None:
        return ()
    if not isinstance(given, list):
        part.wrong("framed_by", f'must be a list of sites, such as ["https://studio.local"], not {kind_of(given)}')
        return ()
    for place, site in enumerate(given):
        if not isinstance(site, str) or not _SITE.fullmatch(site):
            part.sheet.wrong(part.at("framed_by", place), "is no site: write http:// or https:// and a host, no path")
    return tuple(site for site in given if isinstance(site, str) and _SITE.fullmatch(site))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _address(part: Part, listen: str) -> tuple[str, int] | None:
    """Host and port of `host:port`; an IPv6 address stands in brackets."""
    host, colon, port = listen.rpartition(":")
    words = ""
    if not colon or listen.endswith("]"):
        words = f"{listen!r} has no port number"
    elif not re.fullmatch(r"[0-9]{1,5}", port) or not 1 <= int(port) <= 65535:
        words = f"{port!r} is no port number: they are 1 to 65535"
    elif not host:
        words = f"{listen!r} names no address to listen on: 127.0.0.1 is this machine alone, 0.0.0.0 every network"
    elif host.startswith("["):
        words = "" if host.endswith("]") and _is_ipv6(host[1:-1]) else f"{host} is no IPv6 address"
    elif ":" in host:
        words = f"{host} has colons: an IPv6 address stands in brackets"
    elif re.fullmatch(r"[0-9.]+", host) and not _is_ipv4(host):
        words = f"{host} is no IPv4 address"
    elif not _HOST.fullmatch(host):
        words = f"{host!r} is no host's name"
    if words:
        part.wrong("listen", f"{words}; {FORM}")
        return None
    return host.strip("[]"), int(port)


def _is_ipv4(text: str) -> bool:
    try:
        return bool(ipaddress.IPv4Address(text))
    except ValueError:
        return False


def _is_ipv6(text: str) -> bool:
    try:
        return bool(ipaddress.IPv6Address(text))
    except ValueError:
        return False


def _check_tls(part: Part, certificate: Path | None, key: Path | None) -> None:
    for one, other in (("certificate", "key"), ("key", "certificate")):
        if one in part.data and other not in part.data:
            part.wrong(one, f"is of no use without {other}: set both, or none")
    found = {name: path for name, path in (("certificate", certificate), ("key", key)) if path is not None}
    for name, path in found.items():
        if not os.path.isfile(path):
            part.wrong(name, f"{path} is {'a folder' if os.path.isdir(path) else 'not there'}; name a PEM file")
        elif not os.access(path, os.R_OK):
            part.wrong(name, f"{path} may not be read by this user")
        elif name == "key" and os.stat(path).st_mode & stat.S_IROTH:
            part.sheet.note(part.at(name), f"everybody on this machine may read {path}: chmod 600 would end that")
    if certificate is None or key is None or not all(os.path.isfile(path) for path in found.values()):
        return
    import ssl  # only here: it takes longer to import than the rest of the configuration

    try:
        # A key with a password would be asked for at the terminal; a table starts without anybody.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: b"")
    except (OSError, ValueError) as error:
        part.wrong("certificate", f"{certificate} and {key} can't be used together: {_tls_words(error)}")


def _tls_words(error: OSError | ValueError) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
    return str(reason).lower().replace("_", " ")


def _check_hotspot(part: Part, hotspot: Path | None, on_sign: bool, host: str, tls: bool) -> None:
    """A file that is not there is none the worse: the network is switched off, and the table plays all the same."""
    if hotspot is None:
        if on_sign:
            part.wrong("hotspot_on_sign", "is of no use without hotspot, the file that croupier-hotspot writes")
        return
    try:
        if read_hotspot(hotspot) is None:
            words = f"{hotspot} is not there, and nothing is shown until sudo croupier-hotspot on makes it"
            part.sheet.note(part.at("hotspot"), words)
    except BadHotspot as error:
        part.wrong("hotspot", str(error))
    if is_loopback(host):
        words = f'who joins the network can\'t open the pages, which are on {host} alone; listen = "0.0.0.0:8021"'
        part.sheet.note(part.at("hotspot"), words)
    elif on_sign and not tls:
        words = "guests will be in the network that PINs cross in the open: sign in before they come, or set "
        part.sheet.note(part.at("hotspot_on_sign"), words + "certificate and key")


def _check_socket(part: Part, key: str, socket: Path) -> None:
    length = len(os.fsencode(os.path.abspath(socket)))
    if length > LONGEST_SOCKET:
        part.wrong(
            key,
            f"the socket's path {socket} has {length} bytes, and a socket's has at most {LONGEST_SOCKET}; "
            "set socket in [web] to a shorter one",
        )
    elif os.path.lexists(socket) and not stat.S_ISSOCK(os.lstat(socket).st_mode):
        part.wrong(key, f"{socket} is there already and is no socket; move it away, or name another path")
