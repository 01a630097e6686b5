"""Which views there are on the web, and who may see which. What is in them is decided in `controller.table.views`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, get_type_hints

from msgspec import Struct

from controller.rules.errors import nearest
from controller.surfaces.web.people import Principal, Role
from controller.surfaces.web.problems import rejected
from controller.table.table import Table
from controller.table.views import audit_view, dealer_view, public_view, supervisor_view

See = Callable[[Table], Any]

PUBLIC: Final = "public"
VIEWS: Final[dict[str, See]] = {
    PUBLIC: public_view,
    "dealer": dealer_view,
    "supervisor": supervisor_view,
    "audit": audit_view,
}
_SEES: Final[dict[Role, tuple[str, ...]]] = {
    "viewer": (PUBLIC,),
    "technician": (PUBLIC,),
    "dealer": (PUBLIC, "dealer"),
    "supervisor": (PUBLIC, "dealer", "supervisor"),
    "owner": tuple(VIEWS),
}


def view_type(name: str) -> type[Struct]:
    """What a view is, for the API's document."""
    made: type[Struct] = get_type_hints(VIEWS[name])["return"]
    return made


def check_view(principal: Principal, name: str) -> None:
    """Raises Rejected for a view that there is not, or that is not for these eyes."""
    if name not in VIEWS:
        meant = nearest(name, VIEWS)
        words = f"There is no view {name!r}; there are {', '.join(VIEWS)}."
        raise rejected("bad_query", words + (f" Did you mean {meant}?" if meant else ""), known=tuple(VIEWS))
    if name not in _SEES[principal.role]:
        sees = _SEES[principal.role]
        raise rejected("not_allowed", f"A {principal.role} sees {' and '.join(sees)}, not {name}.", known=sees)
