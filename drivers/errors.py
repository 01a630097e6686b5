"""What can be wrong with a device, for the person who must act: what, which device, the last good sign, advice."""

from __future__ import annotations


class DeviceError(OSError):
    """Trouble with a device. `words` say what is wrong with which port or device; `advice` what a person does now.

    Two with the same `reason` are the same trouble and told once: give one where the words hold a number that is
    another one at every try.
    """

    def __init__(self, words: str, *, advice: str = "", last_good: str = "", reason: str = "") -> None:
        self.words, self.advice, self.last_good, self.reason = words, advice, last_good, reason or words
        super().__init__(". ".join(part.rstrip(".") for part in (words, last_good, advice) if part) + ".")


class PortNotFound(DeviceError):
    """Nothing is at the address now; hot-plug may change that."""


class NotAPort(DeviceError):
    """The address names something that can never be a port: a directory, a plain file."""


class PortBusy(DeviceError):
    """Another program holds the port; the words name it."""


class PortForbidden(DeviceError):
    """The user we run as may not open the port."""


class PortLost(DeviceError):
    """The far side is gone: unplugged, hung up, its owner ended."""


class PortClosed(DeviceError):
    """We closed the port ourselves while something was still reading or writing."""


class TimedOut(DeviceError):
    """The device is there and took too long."""


class WrongDevice(DeviceError):
    """What answered is no device of the kind asked for, or several answered."""


class BadSetting(ValueError):
    """A setting that can never work; the words name the key, what is allowed, and the nearest right word."""
