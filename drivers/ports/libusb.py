"""Starts libusb for pyusb, a context of its own at every call. Refuses, in words, a machine that has no such library.

Blocks, so it runs in a thread, also in several at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from typing import Any, Final

from drivers.errors import DeviceError

SONAME: Final = "libusb-1.0.so.0"  # Linux's name for every libusb 1.0 there was
_starting = threading.Lock()  # pyusb keeps what it made in its module: two threads would be given the same context


def new_backend() -> Any:
    """The system's library, or the one of the package libusb_package.

    New each time: where no udevd runs, a context never sees what is plugged in after its first look.
    """
    from usb.backend import libusb1  # type: ignore[import-untyped]

    name, backend = _library(), None
    with _starting:
        libusb1._lib_object = None
        try:
            backend = libusb1.get_backend(find_library=lambda candidate: name) if name else None
        finally:
            libusb1._lib_object = None
    if backend is None:
        raise DeviceError(
            "USB devices cannot be used: the library libusb 1.0 is not there or does not start",
            advice="Install it: sudo apt install libusb-1.0-0",
        )
    return backend


def _library() -> str | None:
    """What the system's loader takes. pyusb's own search starts ldconfig and even a compiler, at every single try."""
    for name in _names():
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
            return name
    return None


def _names() -> Iterator[str]:
    yield SONAME
    with contextlib.suppress(ImportError):
        import libusb_package

        path = libusb_package.get_library_path()
        if path is not None:
            yield str(path)
