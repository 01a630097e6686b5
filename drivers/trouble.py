"""Turns whatever a driver raised into words: what is wrong, what to do, and what counts as the same trouble again."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from drivers.errors import BadSetting, DeviceError

OURS: Final = "This is a fault in the program, not in the device: croupier support-bundle keeps what we need to mend it"


class Trouble(Struct, frozen=True, kw_only=True):
    """Why a device cannot be used. Two with the same `reason` are the same trouble, and told once."""

    words: str
    advice: str = ""
    last_good: str = ""
    reason: str
    slow: bool = False  # whether only a person can change it: no use in trying often


def trouble_of(error: BaseException, *, driver: str, address: str) -> Trouble:
    match error:
        case DeviceError():
            reason = f"{type(error).__name__}: {error.reason}"
            return Trouble(words=error.words, advice=error.advice, last_good=error.last_good, reason=reason)
        case BadSetting():
            return Trouble(words=str(error), advice="Correct the configuration", reason=str(error), slow=True)
        case OSError():
            words = f"{address} fails: {error.strerror or str(error) or type(error).__name__}"
            return Trouble(
                words=words,
                advice="Unplug the device and plug it in again; if it stays: croupier doctor",
                reason=words,
            )
        case _:
            words = f"the driver {driver} broke down at {address}: {type(error).__name__}: {error}"
            return Trouble(words=words, advice=OURS, reason=words)


def ended_silently(*, driver: str, address: str) -> Trouble:
    """`serve` returned, which no driver may do."""
    words = f"the driver {driver} left {address} without saying why"
    return Trouble(words=words, advice=OURS, reason=words)


def simulated_refused(*, kind: str, address: str) -> Trouble:
    words = f"the {kind} at {address} is a simulated device, and this table does not say simulated = true"
    return Trouble(
        words=words,
        advice="Connect a real device, or write simulated = true in the table's configuration",
        reason=words,
        slow=True,
    )


def not_taken(what: str, error: Exception, *, kind: str) -> Trouble:
    """The table's own callback raised on an event, and nobody knows whether it counted."""
    words = f"the table failed on {what} from the {kind}: {type(error).__name__}: {error}"
    return Trouble(words=words, advice=f"Compare the screen with the cards on the felt. {OURS}", reason=words)


def not_let_go(error: BaseException | None, *, driver: str, address: str, seconds: float) -> Trouble:
    """Closing raised, or (None) did not end."""
    how = (
        f"did not end within {seconds:g} seconds" if error is None else f"failed: {str(error) or type(error).__name__}"
    )
    words = f"closing {address} {how}"
    return Trouble(
        words=words,
        advice=f"If the {driver} device does not come back, unplug it and plug it in again",
        reason=words,
    )
