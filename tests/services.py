"""Services of one's own on this machine, that answer well or badly."""

import hashlib
import json
import math
import random
import socket
import threading
from contextlib import contextmanager, suppress


class Server:
    """A server of one's own: what *respond* does with each connection's request.

    Attributes:
        asked: (line, headers, body) of each request, in order.
    """

    def __init__(self, respond):
        self.respond, self.asked = respond, []
        self.ended = threading.Event()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.settimeout(0.02)
        self.threads = []
        self.threads.append(threading.Thread(target=self.serve))
        self.threads[0].start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def serve(self):
        while not self.ended.is_set():
            with suppress(TimeoutError):
                connection, _ = self.listening.accept()
                thread = threading.Thread(target=self.talk, args=(connection,))
                self.threads.append(thread)
                thread.start()

    def talk(self, connection):
        connection.settimeout(0.02)
        with connection, suppress(OSError, EOFError):
            while True:
                self.asked.append(self.request(connection))
                self.respond(self, connection, *self.asked[-1])

    def request(self, connection):
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.received(connection)
        head, _, body = head.partition(b"\r\n\r\n")
        line, *headers = head.decode().split("\r\n")
        headers = dict(each.lower().split(": ", 1) for each in headers)
        while len(body) < int(headers.get("content-length", 0)):
            body += self.received(connection)
        return line, headers, json.loads(body) if body else None

    def received(self, connection):
        while not self.ended.is_set():
            with suppress(TimeoutError):
                if block := connection.recv(1 << 16):
                    return block
                break
        raise EOFError

    def close(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        self.listening.close()


def answered(connection, status, document, headers=()):
    """Send an answer: bytes as they are, all else as JSON."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", *headers, "", ""]
    connection.sendall("\r\n".join(lines).encode() + body)


@contextmanager
def serving(respond):
    server = Server(respond)
    try:
        yield server
    finally:
        server.close()


def vector_of(text, dim):
    """Return a vector that only this text has: not of unit length."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    numbers = random.Random(seed)  # noqa: S311 - a vector, no secret
    return [3 * (numbers.random() - 0.5) for _ in range(dim)]


def unit(vector):
    length = math.sqrt(sum(number * number for number in vector))
    return [number / length for number in vector]


def well(dim):
    """Return what answers as Ollama, OpenAI and Gemini do, with *dim* numbers."""

    def respond(_server, connection, line, _headers, body):
        path = line.split()[1]
        if path == "/api/embed":
            rows = [vector_of(text, dim) for text in body["input"]]
            document = {"embeddings": rows}
        elif path == "/embeddings":
            rows = [
                {"index": i, "embedding": vector_of(text, dim)}
                for i, text in enumerate(body["input"])
            ]
            document = {"data": rows[::-1]}  # their order is not promised
        elif path.endswith(":batchEmbedContents"):
            texts = [each["content"]["parts"][0]["text"] for each in body["requests"]]
            document = {"embeddings": [{"values": vector_of(t, dim)} for t in texts]}
        else:
            answered(connection, 404, {"error": "no such path"})
            return
        answered(connection, 200, document)

    return respond
