"""A small RFC 2217 server made of pyserial's server end: one TCP client, one pty behind it."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading

import serial
import serial.rfc2217


class _PtySerial(serial.Serial):
    """A pty has no modem lines; pyserial asks for them."""

    cts = dsr = ri = cd = False

    def _update_dtr_state(self) -> None: ...

    def _update_rts_state(self) -> None: ...


class _Connection:
    def __init__(self, client: socket.socket) -> None:
        self._client, self._lock = client, threading.Lock()

    def write(self, data: bytes) -> None:
        with self._lock, contextlib.suppress(OSError):  # the client may be gone
            self._client.sendall(data)


class Rfc2217Server:
    """Serves the tty at `path`. `forwarded` counts what went from it to the client."""

    def __init__(self, path: str) -> None:
        self.forwarded = 0
        self.serial = _PtySerial(path, timeout=None)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        self.port = self._listener.getsockname()[1]
        self._client: socket.socket | None = None
        self._ended_read, self._ended_write = os.pipe()
        self._threads = [threading.Thread(target=self._serve)]
        self._threads[0].start()

    def hang_up(self) -> None:
        """The server's power is gone, seen from the client."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self.hang_up()
        os.write(self._ended_write, b"x")
        self.serial.cancel_write()
        for thread in self._threads:
            thread.join()
        if self._client is not None:
            self._client.close()
        self._listener.close()
        self.serial.close()
        os.close(self._ended_read)
        os.close(self._ended_write)

    def _serve(self) -> None:
        try:
            self._client, _ = self._listener.accept()
        except OSError:
            return  # closed before anybody came
        client = self._client
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
        connection = _Connection(client)
        # Its stubs ask for an RFC 2217 client where the class itself takes any serial port and anything that writes.
        manager = serial.rfc2217.PortManager(self.serial, connection)  # type: ignore[arg-type]
        forwarding = threading.Thread(target=self._forward, args=(connection, manager))
        self._threads.append(forwarding)
        forwarding.start()
        with contextlib.suppress(OSError):
            while data := client.recv(1024):
                self.serial.write(b"".join(manager.filter(data)))

    def _forward(self, connection: _Connection, manager: serial.rfc2217.PortManager) -> None:
        fd = self.serial.fileno()
        while True:
            ready, _, _ = select.select([fd, self._ended_read], [], [])
            if self._ended_read in ready:
                return
            try:
                data = os.read(fd, 1024)
            except OSError:
                return
            if not data:
                return
            connection.write(b"".join(manager.escape(data)))
            self.forwarded += len(data)
