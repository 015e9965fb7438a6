"""A service on this machine that answers as a test says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


class Service:
    """What was asked, and how to answer.

    Attributes:
        answer: Gets path, body and headers; returns status, content and headers. Content that
            is not bytes is sent as JSON; a callable is given the socket file.
        asked: Path, body and headers of each request.
    """

    def __init__(self) -> None:
        self.answer: Callable[[str, Any, dict[str, str]], Answer] = lambda *_: (200, {})
        self.asked: list[tuple[str, Any, dict[str, str]]] = []
        self.url = ""


@contextmanager
def run_service() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            service.asked.append((self.path, body, headers))
            status, content, *more = service.answer(self.path, body, headers)
            if callable(content):
                content(self.wfile)
                return
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in (more[0] if more else {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    service.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
