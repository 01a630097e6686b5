"""Who asks: a role and a name for every request, from what the connection and its headers show. Keeps no secret but
the token; who shows nothing is a viewer. Sessions of people who signed in are in `session_desk`."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, Protocol, get_args

from msgspec import Struct

from controller.surfaces.web.problems import rejected
from controller.table.inputs import Actor, Fault, FromPeople

Role = Literal["viewer", "technician", "dealer", "supervisor", "owner"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
AS: Final = "Croupier-As"
NAME_LENGTH: Final = 64

_RANK: Final[dict[Role, int]] = {"viewer": 0, "technician": 1, "dealer": 1, "supervisor": 2, "owner": 3}
CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="croupier"'}


class Principal(Struct, frozen=True):
    role: Role
    name: str


VIEWER: Final = Principal("viewer", "")


class Peer(Struct, frozen=True):
    """The other end of a connection. `user` is whose program it is, on the Unix socket; None over TCP."""

    user: str | None = None
    abort: Callable[[], None] = lambda: None  # ends the connection at once, whatever waits to be sent


class Authenticator(Protocol):
    """One way to show who one is."""

    def principal(self, peer: Peer, headers: Mapping[str, str]) -> Principal | None:
        """None where nothing of this kind is shown. Raises Rejected where what is shown is wrong."""


class SocketOwner:
    """Who can open the Unix socket owns the table: the file's mode let nobody else."""

    def principal(self, peer: Peer, headers: Mapping[str, str]) -> Principal | None:
        return None if peer.user is None else Principal("owner", peer.user)


class TokenBearer:
    """Who shows the token of the table's token file is a supervisor."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def principal(self, peer: Peer, headers: Mapping[str, str]) -> Principal | None:
        shown = headers.get("authorization")
        if shown is None:
            return None
        scheme, _, token = shown.partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
            words = "The token is not this table's. It is in the token file beside the table's journal."
            raise rejected("wrong_token", words, headers=CHALLENGE)
        return Principal("supervisor", "token")


def principal_of(authenticators: Sequence[Authenticator], peer: Peer, headers: Mapping[str, str]) -> Principal:
    """The first that says who it is. An owner or a supervisor may act as somebody else who is no higher."""
    shown = (each.principal(peer, headers) for each in authenticators)
    principal = next((each for each in shown if each is not None), VIEWER)
    wanted = headers.get(AS)
    return principal if wanted is None else _acting_as(principal, wanted)


def _acting_as(principal: Principal, wanted: str) -> Principal:
    role, _, name = wanted.partition(":")
    name = _utf8(name).strip()
    known = next((each for each in ROLES if each == role.strip()), None)
    if known is None or not name or len(name) > NAME_LENGTH or not name.isprintable():
        words = f"{AS} is a role and a name of at most {NAME_LENGTH} characters: dealer:Ann. Roles: {', '.join(ROLES)}."
        raise rejected("bad_header", words, known=ROLES)
    if principal.role not in ("owner", "supervisor") or known == "owner" or _RANK[known] > _RANK[principal.role]:
        raise rejected("not_allowed", f"A {principal.role} can't act as {known}.")
    return Principal(known, name)


def _utf8(text: str) -> str:
    """Headers come as Latin-1; a name that was sent as UTF-8 is read as that."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


def actor_of(principal: Principal) -> Actor:
    """Who it is for the journal; raises Rejected for one who may enter nothing."""
    match principal.role:
        case "dealer":
            return Actor("dealer", principal.name)
        case "supervisor" | "owner":
            return Actor("supervisor", principal.name)
        case "viewer" if principal == VIEWER:
            words = (
                "Nobody enters anything without saying who it is: sign in, show the token, or use the owner's socket."
            )
            raise rejected("sign_in", words, headers=CHALLENGE)
        case "technician":  # the table knows dealers and supervisors; what a technician may enter is checked here
            return Actor("dealer", f"{principal.name} (technician)")
        case "viewer":
            raise rejected("not_allowed", "A viewer can't enter anything at a table.")


def check_enters(principal: Principal, what: FromPeople) -> None:
    """Raises Rejected. Whether a dealer may is the table's own to say."""
    if principal.role == "technician" and not isinstance(what, Fault):
        raise rejected("not_allowed", "A technician sets faulty devices aside, and enters nothing else at a table.")


def check_reads(principal: Principal, what: str, *roles: Role) -> None:
    """Raises Rejected for a role that is not among these."""
    if principal.role not in roles:
        raise rejected("not_allowed", f"A {principal.role} can't read {what}: that is for {', '.join(roles)}.")
