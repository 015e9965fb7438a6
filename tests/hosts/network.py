"""A network that can be cut, or stall: a proxy before the server's socket."""

import contextlib
import re
import socket
import threading
from pathlib import Path
from urllib.parse import unquote

SOCKET = ".s.PGSQL.5432"


class Proxy:
    """Passes bytes on until it is told to cut.

    Attributes:
        address: The store's address through this proxy.
        cut_at: What the client sends when the network is cut; b"" for never. With *is_sent* the
            server still gets it, and only its answer is lost.
        is_down: Whether new connections are refused.
        is_stalled: Whether connections stay open and nothing more is passed on, in no direction.
    """

    def __init__(self, address: str, directory: Path) -> None:
        found = re.search(r"host=([^&]+)", address)
        assert found is not None
        self._server = str(Path(unquote(found[1]), SOCKET))
        self.address = address.replace(found[1], str(directory))
        self.cut_at = b""
        self.is_sent = False
        self.is_down = self.is_stalled = False
        self._stalls_at = b""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(directory / SOCKET))
        self._listener.listen()
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def cut(self, at: bytes, *, is_sent: bool) -> None:
        """Cut the network for good when the client sends *at*."""
        self.cut_at, self.is_sent = at, is_sent

    def stall(self, at: bytes, *, is_sent: bool) -> None:
        """Stall the network for good when the client sends *at*."""
        self._stalls_at, self.is_sent = at, is_sent

    def restore(self) -> None:
        """Let connections through again."""
        self.cut_at = self._stalls_at = b""
        self.is_down = self.is_stalled = False

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.is_down:
                client.close()
                continue
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._server)
        answer = threading.Thread(target=self._answer, args=(server, client), daemon=True)
        answer.start()
        with server, client:
            self._ask(server, client)
            answer.join()

    def _ask(self, server: socket.socket, client: socket.socket) -> None:
        try:
            while data := client.recv(1 << 16):
                if self._stalls_at and self._stalls_at in data.lower():
                    self.is_stalled = True
                    if self.is_sent:
                        server.sendall(data)
                        continue
                if self.is_stalled:
                    continue
                if self.cut_at and self.cut_at in data.lower():
                    self.is_down = True
                    if self.is_sent:
                        server.sendall(data)
                        server.shutdown(socket.SHUT_WR)
                        return
                    break
                server.sendall(data)
        except OSError:
            pass
        _end(server, client)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        try:
            while data := server.recv(1 << 16):
                if not self.is_down and not self.is_stalled:
                    client.sendall(data)
        except OSError:
            pass
        # The server has ended, so what it was sent is done.
        _end(server, client)


def _end(*sockets: socket.socket) -> None:
    """End connections, also while another thread reads from them."""
    for each in sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
