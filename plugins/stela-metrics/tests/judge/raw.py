"""A server that writes what it likes, for as long as the other side listens."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress


class RawServer:
    """``speak`` gets the socket of each connection, once the head of its request was read."""

    def __init__(self, speak: Callable[[socket.socket, threading.Event], None]) -> None:
        self.closing = threading.Event()
        self.heads: list[str] = []
        self._speak = speak
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the client went away
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(1 << 16)
            self.heads.append(head.decode("latin-1"))
            self._speak(connection, self.closing)

    def close(self) -> None:
        self.closing.set()
        self._listener.close()
