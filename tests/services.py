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
        self.threads, self.connections = [], []
        self.threads.append(threading.Thread(target=self.serve))
        self.threads[0].start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def serve(self):
        with suppress(OSError):  # it was told to end
            while True:
                connection, _ = self.listening.accept()
                self.connections.append(connection)
                thread = threading.Thread(target=self.talk, args=(connection,))
                self.threads.append(thread)
                thread.start()

    def talk(self, connection):
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
        if block := connection.recv(1 << 16):
            return block
        raise EOFError

    def close(self):
        """End all talk, whoever waits for whom."""
        self.ended.set()
        with suppress(OSError):  # it may be closed already
            self.listening.shutdown(socket.SHUT_RDWR)
        self.threads[0].join()  # from now on there are no more connections
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
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


def spoken(path, text):
    """Return what a language model says *text* in, where it is asked at *path*."""
    message = {"role": "assistant", "content": text}
    if path == "/api/chat":
        return {"message": message, "done": True, "done_reason": "stop"}
    if path == "/chat/completions":
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    block = {"type": "text", "text": text}
    return {"type": "message", "content": [block], "stop_reason": "end_turn"}


def talking(say):
    """Return what answers as Ollama, OpenAI and Anthropic do, with what *say* says.

    It is handed all that a model is told.
    """

    def respond(_server, connection, line, _headers, body):
        told = [body.get("system", ""), *(each["content"] for each in body["messages"])]
        text = say("\n\n".join(each for each in told if each))
        answered(connection, 200, spoken(line.split()[1], text))

    return respond


def always(status, document, headers=()):
    """Return what answers so to anything."""

    def respond(_server, connection, *_request):
        answered(connection, status, document, headers)

    return respond


def in_turn(*answers):
    """Return what gives one answer after the other; the last one for ever."""
    left = iter(answers)
    last = answers[-1]

    def respond(_server, connection, *_request):
        answered(connection, *next(left, last))

    return respond


def moved(location, status=307):
    """Return what sends to *location*, in which ``{port}`` is the server's own."""

    def respond(server, connection, *_request):
        port = server.url.rpartition(":")[2]
        header = f"location: {location.format(port=port)}"
        answered(connection, status, b"", [header])

    return respond


def lengthy(blocks, *, is_told):
    """Return what answers with so many MiB of blanks, whether it says so or not."""

    def respond(_server, connection, *_request):
        told = f"content-length: {blocks << 20}\r\n" if is_told else ""
        connection.sendall(f"HTTP/1.1 200 X\r\n{told}\r\n".encode())
        for _ in range(blocks):
            connection.sendall(b" " * (1 << 20))
        raise EOFError

    return respond


def hang(server, _connection, *_request):
    """Take the request and say nothing."""
    server.ended.wait()


def drip(first, byte):
    """Return what sends *first*, and then *byte* for ever."""

    def respond(server, connection, *_request):
        connection.sendall(first)
        while not server.ended.wait(0.005):
            connection.sendall(byte)

    return respond


def broken_off(_server, connection, *_request):
    """Begin an answer, and close."""
    connection.sendall(b"HTTP/1.1 200 X\r\ncontent-length: 1000\r\n\r\n{")
    connection.shutdown(socket.SHUT_RDWR)
    raise EOFError


def hung_up(_server, _connection, *_request):
    """Close without an answer."""
    raise EOFError


def babble(_server, connection, *_request):
    """Say what is no HTTP, with what a terminal would act on."""
    connection.sendall(b"\x1b]0;owned\x07\x1b[2J no HTTP \r\n\r\n")
    raise EOFError
