"""What a systemd unit lets its program touch, from its text and its drop-ins. Pure; knows only the keys we need."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterable
from pathlib import PurePosixPath

from msgspec import Struct


class Unit(Struct, frozen=True, kw_only=True):
    user: str
    config: str  # that it runs with
    strict: bool  # ProtectSystem=strict: nothing may be written but what is named
    no_home: bool  # ProtectHome: /home, /root and /run/user are empty for it
    private_tmp: bool
    writable: tuple[str, ...]

    def may_write(self, path: str) -> bool:
        return not self.hides(path) and (not self.strict or self._within(path, self.writable))

    def hides(self, path: str) -> bool:
        """Whether it can't even see what is there."""
        at_home = self.no_home and self._within(path, ("/home", "/root", "/run/user"))
        in_tmp = self.private_tmp and self._within(path, ("/tmp", "/var/tmp"))
        return (at_home or in_tmp) and not self._within(path, self.writable)

    @staticmethod
    def _within(path: str, folders: Iterable[str]) -> bool:
        there = PurePosixPath(path)
        return any(there.is_relative_to(folder) for folder in folders)


def read_unit(texts: Iterable[str]) -> Unit:
    """The unit and then its drop-ins, in order: a later key wins, a list grows, an empty one begins it anew."""
    keys: dict[str, list[str]] = {}
    for text in texts:
        for line in text.replace("\\\n", " ").splitlines():
            key, equals, value = line.partition("=")
            key, value = key.strip(), value.strip()
            if not equals or key.startswith(("#", ";", "[")):
                continue
            keys[key] = [*keys.get(key, []), value] if value else []

    def last(key: str, default: str = "") -> str:
        return (keys.get(key) or [default])[-1]

    writable = [path.lstrip("-+") for each in keys.get("ReadWritePaths", []) for path in each.split()]
    for key, root in (("StateDirectory", "/var/lib"), ("RuntimeDirectory", "/run"), ("LogsDirectory", "/var/log")):
        writable += [f"{root}/{name.partition(':')[0]}" for each in keys.get(key, []) for name in each.split()]
    return Unit(
        user=last("User", "root"),
        config=_config(last("ExecStart")),
        strict=last("ProtectSystem") == "strict",
        no_home=last("ProtectHome").lower() in ("yes", "true", "on", "1", "tmpfs"),
        private_tmp=last("PrivateTmp").lower() in ("yes", "true", "on", "1", "disconnected"),
        writable=tuple(writable),
    )


def _config(command: str) -> str:
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    for word, following in itertools.pairwise([*words, ""]):
        if word == "--config":
            return following
        if word.startswith("--config="):
            return word.partition("=")[2]
    return ""
