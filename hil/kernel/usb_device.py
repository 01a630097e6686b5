"""A USB device made by this program, in a port of the kernel's virtual host controller (vhci_hcd).

The kernel talks USB/IP to it over one end of a socket pair, so nothing but root and the controller is needed. Bulk,
interrupt and control transfers; isochronous ones are refused. It can stall, be slow, be unplugged and plugged again.
"""

from __future__ import annotations

import contextlib
import errno
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from hil.kernel import usbip
from hil.kernel.descriptors import CONFIGURATION, DEVICE, STRING, Identity
from hil.kernel.usbip import Request, Submit, Unlink

CONTROLLER: Final = Path("/sys/devices/platform/vhci_hcd.0")
FREE: Final = 4  # a port's state in the controller's status: nothing is plugged in (VDEV_ST_NULL)
FULL_SPEED: Final = 2  # enum usb_device_speed
DEVICE_ID: Final = 1 << 16 | 2  # bus and device at the far side of a USB/IP line; any will do here
TICK_S: Final = 0.02  # how often a device looks at its clock
PATIENCE_S: Final = 20.0  # for the kernel to enumerate or to forget a device, on a loaded machine

GET_STATUS, CLEAR_FEATURE, GET_DESCRIPTOR, GET_CONFIGURATION, SET_CONFIGURATION = 0, 1, 6, 8, 9
TAKEN_AS_THEY_ARE: Final = (3, 11)  # SET_FEATURE, SET_INTERFACE
TO_HOST: Final = 0x80  # in a request's kind, and in an endpoint's address
TO_ENDPOINT: Final = 0x02  # in a request's kind: the recipient

_plugging = threading.Lock()  # two devices must not choose the same free port


class UsbDevice:
    """One device; derive from it to say what it does with data and with requests of its class.

    The methods that derived devices add (`received`, `answer`, `tick`, `configured`, `unplugged`) are called with
    `lock` held; a test that touches a device's state takes it too.
    """

    def __init__(self, identity: Identity, configuration: bytes) -> None:
        self.identity = identity
        self.lock = threading.RLock()
        self._configuration = configuration
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._port = -1
        self._waiting: dict[int, deque[tuple[Submit, bytes]]] = {}  # transfers not completed yet, by endpoint address
        self._outbox: dict[int, deque[bytes]] = {}  # what the host has not fetched yet
        self._halted: set[int] = set()
        self._stuck: set[int] = set()  # halted, and not to be cleared
        self._held: set[int] = set()
        self._is_configured = threading.Event()
        self._trouble: BaseException | None = None

    # What a derived device says

    def received(self, endpoint: int, data: bytes) -> None:
        """The host sent data to an endpoint."""

    def answer(self, request: Request, data: bytes) -> bytes | None:
        """A request of the device's class or maker: the bytes to give back, or None to stall."""
        return None

    def configured(self) -> None:
        """The host has chosen the configuration: the device is in use."""

    def tick(self, now: float) -> None:
        """Time has passed."""

    def unplugged(self) -> None:
        """The cable is out."""

    # The cable

    def plug(self) -> None:
        """Returns when the kernel has enumerated the device and chosen its configuration."""
        near, far = socket.socketpair()
        with _plugging:
            self._port = _free_port()
            words = f"{self._port} {far.fileno()} {DEVICE_ID} {FULL_SPEED}"
            self._forget()
            (CONTROLLER / "attach").write_text(words)  # from here on the kernel holds the far end itself
        far.close()
        self._socket = near
        self._thread = threading.Thread(target=self._run, args=(near,), name=f"usb {self.identity.serial}")
        self._thread.start()
        if not self._is_configured.wait(PATIENCE_S):
            self.unplug()
            raise TimeoutError(f"the kernel did not enumerate {self.identity.serial}")

    def unplug(self) -> None:
        """Pulls the cable; returns when the kernel knows and the port is free again. Twice is once."""
        line, thread = self._socket, self._thread
        if line is None or thread is None:
            return
        self._socket = self._thread = None
        line.shutdown(socket.SHUT_RDWR)
        thread.join()
        line.close()
        # A port that is free may still have the old device in its hub's books: one just like it, plugged in now, would
        # be taken for the old one and never be configured.
        wait_until(lambda: _state(self._port) == FREE and not any(self._folders()), "the kernel to forget the device")
        if self._trouble is not None:
            raise self._trouble

    @property
    def folder(self) -> Path:
        """Where sysfs has it now."""
        for folder in self._folders():
            return folder
        raise FileNotFoundError(f"no USB device with the serial {self.identity.serial}")

    # What a test can do to it

    def to_host(self, endpoint: int, data: bytes) -> None:
        """Give the host data at an endpoint, when it asks for some."""
        with self.lock:
            self._outbox.setdefault(endpoint, deque()).append(data)
            self._serve(endpoint)

    def halt(self, endpoint: int, *, for_good: bool = False) -> None:
        """Stall every transfer there until the host clears the halt, or `for_good`, whatever it does."""
        with self.lock:
            self._halted.add(endpoint)
            if for_good:
                self._stuck.add(endpoint)
            self._serve(endpoint)

    def is_halted(self, endpoint: int) -> bool:
        with self.lock:
            return endpoint in self._halted

    def hold(self, endpoint: int, held: bool = True) -> None:
        """Complete no transfer there (a device that is slow, or hangs) until it is let go with `held=False`."""
        with self.lock:
            (self._held.add if held else self._held.discard)(endpoint)
            self._serve(endpoint)

    def is_waited_on(self, endpoint: int) -> bool:
        """Whether the host has a transfer under way there: it is blocked in a read, or its write is not taken."""
        with self.lock:
            return bool(self._waiting.get(endpoint))

    # Inside

    def _folders(self) -> Iterator[Path]:
        for file in CONTROLLER.glob("usb*/*-*/serial"):
            with contextlib.suppress(OSError):  # another device, unplugged while we look
                if file.read_text().strip() == self.identity.serial:
                    yield file.parent

    def _forget(self) -> None:
        """As it is when it gets its power."""
        self._is_configured.clear()
        for state in (self._waiting, self._outbox, self._halted, self._stuck, self._held):
            state.clear()

    def _run(self, line: socket.socket) -> None:
        """In a thread of its own, until the cable is out. What goes wrong is raised by `unplug`."""
        try:
            while True:
                if select.select([line], [], [], TICK_S)[0]:
                    message = usbip.read_header(_exactly(line, usbip.HEADER_SIZE))
                    if isinstance(message, Unlink):
                        self._give_up(message)
                    else:
                        self._take(message, _exactly(line, message.follows))
                with self.lock:
                    self.tick(time.monotonic())
        except (EOFError, ConnectionError):
            pass  # unplugged
        except BaseException as trouble:
            self._trouble = trouble
            raise
        finally:
            with self.lock:
                self.unplugged()

    def _take(self, transfer: Submit, data: bytes) -> None:
        with self.lock:
            if transfer.endpoint == 0:
                self._control(transfer, data)
            else:
                self._waiting.setdefault(transfer.address, deque()).append((transfer, data))
                self._serve(transfer.address)

    def _give_up(self, unlink: Unlink) -> None:
        with self.lock:
            for queue in self._waiting.values():
                for pending in queue:
                    if pending[0].number == unlink.transfer:
                        queue.remove(pending)
                        self._send(usbip.unlinked(unlink, -errno.ECONNRESET))
                        return
            self._send(usbip.unlinked(unlink, 0))  # it was completed before

    def _serve(self, endpoint: int) -> None:
        """Complete whatever can be completed at an endpoint."""
        waiting, outbox = self._waiting.setdefault(endpoint, deque()), self._outbox.setdefault(endpoint, deque())
        while waiting and endpoint in self._halted:
            self._send(usbip.completed(waiting.popleft()[0], -errno.EPIPE))
        while waiting and endpoint not in self._held and (outbox or not endpoint & TO_HOST):
            transfer, data = waiting.popleft()
            if not transfer.to_host:
                self._send(usbip.completed(transfer, 0))
                self.received(endpoint, data)
                continue
            out = outbox.popleft()
            if len(out) > transfer.length:
                outbox.appendleft(out[transfer.length :])
            self._send(usbip.completed(transfer, 0, out[: transfer.length]))

    def _control(self, transfer: Submit, data: bytes) -> None:
        request = transfer.request
        given = self._standard(request) if request.is_standard else self.answer(request, data)
        if given is None:
            self._send(usbip.completed(transfer, -errno.EPIPE))
            return
        self._send(usbip.completed(transfer, 0, given[: transfer.length]))
        if request.is_standard and request.number == SET_CONFIGURATION and request.value:
            self.configured()
            self._is_configured.set()

    def _standard(self, request: Request) -> bytes | None:
        match request.number:
            case n if n == GET_DESCRIPTOR:
                return self._descriptor(request.value >> 8, request.value & 0xFF)
            case n if n == GET_STATUS:
                return bytes([request.kind & 0x1F == TO_ENDPOINT and request.index in self._halted, 0])
            case n if n == GET_CONFIGURATION:
                return bytes([self._is_configured.is_set()])
            case n if n == CLEAR_FEATURE:
                if request.kind & 0x1F == TO_ENDPOINT and request.index not in self._stuck:
                    self._halted.discard(request.index)
                return b""
            case n if n == SET_CONFIGURATION or n in TAKEN_AS_THEY_ARE:
                return b""
        return None

    def _descriptor(self, kind: int, index: int) -> bytes | None:
        match kind:
            case n if n == DEVICE:
                return self.identity.device()
            case n if n == CONFIGURATION:
                return self._configuration
            case n if n == STRING:
                return self.identity.string(index)
        return None

    def _send(self, message: bytes) -> None:
        if self._socket is not None:
            self._socket.sendall(message)


def _exactly(line: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = line.recv(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def _states() -> dict[int, tuple[str, int]]:
    """Port → speed of its hub, and state. The lines: hub port sta spd dev sockfd local_busid."""
    lines = (CONTROLLER / "status").read_text().splitlines()[1:]
    return {int(port): (hub, int(state)) for hub, port, state, *_ in (line.split() for line in lines)}


def _state(port: int) -> int:
    return _states()[port][1]


def _free_port() -> int:
    for port, (hub, state) in _states().items():
        if hub == "hs" and state == FREE:
            return port
    raise OSError(errno.ENOSPC, "every port of the virtual host controller is taken")


def wait_until(true: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    end = time.monotonic() + patience_s
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {patience_s:.0f} seconds for {what}")
        time.sleep(0.005)
