"""One check a rule, by its id. A check raises Failed with what the device did wrong, and returns where it did not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from hil.conformance.case import Case
from hil.conformance.checks import (
    events,
    framing,
    handshake,
    keys,
    liveness,
    messages,
    queue,
    resending,
    state,
    versions,
)

Check = Callable[[Case], Awaitable[None]]
CHECKS: Final[dict[str, Check]] = {
    **framing.CHECKS,
    **messages.CHECKS,
    **handshake.CHECKS,
    **events.CHECKS,
    **queue.CHECKS,
    **resending.CHECKS,
    **state.CHECKS,
    **liveness.CHECKS,
    **keys.CHECKS,
    **versions.CHECKS,
}
