"""Connections that end: nothing that is read or written goes on after a deadline.

A timeout of each read does not stop a server that sends a byte at a time, in its
headers as little as in its body. So every read and write is given what is left until
the deadline. No proxy is asked, and nothing is unpacked.
"""

from __future__ import annotations

import httpcore

from crewmem.backends.libraries import httpx

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable, Iterator

FAILURES = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.UnsupportedProtocol,
    OSError,
    UnicodeError,  # of a name of a host that is too long
)
"""What goes wrong between a request and the end of its answer."""

TIMEOUTS = (httpcore.TimeoutException, httpx.TimeoutException, TimeoutError)

CONNECT_SECONDS, READ_SECONDS = 5.0, 30.0
"""Seconds to wait for a connection, and for the next bytes."""


class Deadline:
    """When all must be over.

    Attributes:
        until: The instant, by *clock*.
        patience: Seconds to wait for the next bytes.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self.until, self.patience = clock, 0.0, READ_SECONDS

    @property
    def left(self) -> float:
        """Seconds that are left; 0 or less when it is past."""
        return self.until - self._clock()

    def within(self, seconds: float) -> float:
        """Return *seconds*, or what is left.

        Raises:
            httpcore.ReadTimeout: If nothing is.
        """
        if (left := self.left) <= 0:
            raise httpcore.ReadTimeout("the time is up")
        return min(seconds, left)


class _Stream(httpcore.NetworkStream):
    """A connection under a deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        deadline = self._deadline
        return self._stream.read(max_bytes, deadline.within(deadline.patience))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._stream.write(buffer, self._deadline.within(READ_SECONDS))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - ours is nearer
    ) -> httpcore.NetworkStream:
        seconds = self._deadline.within(CONNECT_SECONDS)
        stream = self._stream.start_tls(ssl_context, server_hostname, seconds)
        return _Stream(stream, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class _Network(httpcore.NetworkBackend):
    """Makes connections under a deadline."""

    def __init__(self, deadline: Deadline) -> None:
        self._network, self._deadline = httpcore.SyncBackend(), deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - ours is nearer
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        seconds = self._deadline.within(CONNECT_SECONDS)
        stream = self._network.connect_tcp(
            host, port, seconds, local_address, socket_options
        )
        return _Stream(stream, self._deadline)


class _Body(httpx.SyncByteStream):
    """The body of an answer, as it comes."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    def close(self) -> None:
        """Give the connection back, or up."""
        self._answer.close()


class Transport(httpx.BaseTransport):
    """Sends requests over connections under a deadline."""

    def __init__(self, deadline: Deadline, *, is_secure: bool) -> None:
        """Make no connection yet; certificates are read where they will be needed."""
        context = httpx.create_ssl_context() if is_secure else None
        self._pool = httpcore.ConnectionPool(
            ssl_context=context, network_backend=_Network(deadline)
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send *request*, and return the answer once its headers are here."""
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer)
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()
