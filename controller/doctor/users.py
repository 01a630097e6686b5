"""Who may do what to a file, from /etc/passwd, /etc/group and its mode. Pure."""

from __future__ import annotations

from msgspec import Struct

READ, WRITE, ENTER = 4, 2, 1


class Account(Struct, frozen=True):
    name: str
    uid: int
    gids: tuple[int, ...] = ()  # of all groups it is in


def account_of(name: str, passwd: str, group: str) -> Account | None:
    for line in passwd.splitlines():
        fields = line.split(":")
        if len(fields) > 3 and fields[0] == name and fields[2].isdigit() and fields[3].isdigit():
            return Account(name, int(fields[2]), _gids(name, int(fields[3]), group))
    return None


def name_of(uid: int, passwd: str) -> str:
    """`"number 1234"` where nobody is called so."""
    for line in passwd.splitlines():
        fields = line.split(":")
        if len(fields) > 2 and fields[2] == str(uid):
            return fields[0]
    return f"number {uid}"


def group_id(name: str, group: str) -> int | None:
    for line in group.splitlines():
        fields = line.split(":")
        if len(fields) > 2 and fields[0] == name and fields[2].isdigit():
            return int(fields[2])
    return None


def group_name(gid: int, group: str) -> str:
    for line in group.splitlines():
        fields = line.split(":")
        if len(fields) > 2 and fields[2] == str(gid):
            return fields[0]
    return f"number {gid}"


def may(who: Account, wanted: int, *, mode: int, uid: int, gid: int) -> bool:
    """As the kernel decides it: the owner's bits are the owner's, also where others have more."""
    if who.uid == 0:
        return True
    if who.uid == uid:
        return mode >> 6 & wanted == wanted
    if gid in who.gids:
        return mode >> 3 & wanted == wanted
    return mode & wanted == wanted


def _gids(name: str, first: int, group: str) -> tuple[int, ...]:
    found = [first]
    for line in group.splitlines():
        fields = line.split(":")
        if len(fields) > 3 and fields[2].isdigit() and name in fields[3].split(","):
            found.append(int(fields[2]))
    return tuple(dict.fromkeys(found))
