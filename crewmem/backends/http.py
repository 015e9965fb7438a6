"""Asking services over HTTP: with an end to everything, and trust in nothing they say.

Only the host of the URL that was set is ever spoken to: proxies that the environment
names are not used, and no redirect to another host is followed, for texts and keys
would go there. Certificates are checked, with those of ``SSL_CERT_FILE`` where it is
set, as other programs do.
"""

from __future__ import annotations

import time
from random import random

from crewmem.backends.said import problem, visible
from crewmem.errors.backends import BadAnswerError, UnreachableError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import httpx

    from crewmem.backends.transport import Deadline

TRIES = 3
"""Most times that one thing is asked."""

FIRST_WAIT, MOST_WAIT = 0.5, 30.0
"""Seconds before the second try, doubled before the third; and most before any,
whatever ``Retry-After`` says."""

MOST_BYTES = 16 << 20
"""Bytes of an answer that are read, unless it is said otherwise."""

MOST_REDIRECTS = 3

OK, TOO_MANY, SERVER_ERROR = 200, 429, 500

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Timing(NamedTuple):
    """Clock, patience and chance.

    Attributes:
        clock: Seconds, of a clock that never goes back.
        sleep: Waits so many seconds.
        chance: A number in [0, 1).
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random


class Answer(NamedTuple):
    """What a service answered.

    Attributes:
        status: The HTTP status.
        document: What the body says in JSON; None if it is none.
        wait: Seconds that it asks to wait before the next try, or 0.
    """

    status: int
    document: object
    wait: float = 0.0

    @property
    def is_passing(self) -> bool:
        """Tell whether the same request may be answered a little later."""
        return self.status == TOO_MANY or self.status >= SERVER_ERROR


class Request:
    """Something that is asked, maybe more than once.

    Attributes:
        path: Where, below the service's URL.
        document: What is sent, as JSON; None if nothing is.
        until: When the answer must be there.
        tries: Tries that are left.
    """

    def __init__(
        self, path: str, document: Mapping[str, object] | None, until: float
    ) -> None:
        self.path, self.document, self.until = path, document, until
        self.tries = TRIES

    @property
    def method(self) -> str:
        """How it is asked."""
        return "GET" if self.document is None else "POST"

    @property
    def usual_wait(self) -> float:
        """Seconds before the next try, which grow with each."""
        return FIRST_WAIT * float(1 << (TRIES - 1 - self.tries))


class Client:
    """Asks one service."""

    def __init__(
        self,
        service: str,
        url: str,
        *,
        seconds: float,
        timing: Timing | None = None,
        secrets: Sequence[str] = (),
        most: int = MOST_BYTES,
        is_slow: bool = False,
    ) -> None:
        """Take the service's name and URL; nothing is asked yet.

        Args:
            service: What messages call it.
            url: What every path is below.
            seconds: Most that one request takes, all tries and waits together.
            timing: Clock, patience and chance.
            secrets: What no message repeats.
            most: Bytes of an answer that are read.
            is_slow: Whether it may be silent for all of *seconds*, as who writes an
                answer whole before saying it.
        """
        self._most, self._is_slow = most, is_slow
        self.service, self._url, self._seconds = service, url.rstrip("/"), seconds
        self._timing, self._secrets = timing or Timing(), secrets
        self._opened: tuple[httpx.Client, Deadline] | None = None

    def now(self) -> float:
        """Return the seconds of a clock that never goes back."""
        return self._timing.clock()

    def request(
        self, path: str, document: Mapping[str, object] | None = None
    ) -> Request:
        """Return what is to be asked; its time begins now."""
        return Request(path, document, self.now() + self._seconds)

    def post(
        self,
        request: Request,
        *,
        headers: Mapping[str, str] | None = None,
        final: Collection[int] = (),
    ) -> Answer:
        """Send *request* and return the answer, after some tries if there must be.

        Args:
            request: What is asked.
            headers: Such as authorisation.
            final: Statuses after which it is not tried again here.

        Raises:
            UnreachableError: If there is no answer in time, or it is elsewhere.
            BadAnswerError: If the answer is too long.
        """
        while True:
            request.tries -= 1
            wait = request.usual_wait
            try:
                answer = self._sent(request, headers or {})
            except UnreachableError:
                if not self._waited(request, wait):
                    raise
                continue
            if answer.status in final or not answer.is_passing:
                return answer
            if not self._waited(request, max(wait, answer.wait)):
                return answer

    def problem(self, answer: Answer) -> str:
        """Say what *answer* says is wrong."""
        return problem(answer.status, answer.document, self._secrets)

    def close(self) -> None:
        """Close every connection."""
        if self._opened:
            self._opened[0].close()
            self._opened = None

    def _waited(self, request: Request, seconds: float) -> bool:
        """Wait about *seconds*, if there is another try and time for it."""
        seconds = min(seconds * (1 + self._timing.chance() / 2), MOST_WAIT)
        if not request.tries or self._timing.clock() + seconds >= request.until:
            return False
        self._timing.sleep(seconds)
        return True

    def _sent(self, request: Request, headers: Mapping[str, str]) -> Answer:
        """Send *request* once, and to where on the same host it is sent on to."""
        from crewmem.backends.transport import FAILURES, TIMEOUTS

        client, deadline = self._open()
        deadline.until = request.until
        url = f"{self._url}{request.path}"
        try:
            for _ in range(MOST_REDIRECTS):
                with client.stream(
                    request.method, url, json=request.document, headers=headers
                ) as reply:
                    if reply.status_code not in REDIRECTS:
                        return self._answer(reply)
                    url = self._redirected(reply)
        except TIMEOUTS as error:
            if deadline.left <= 0:
                reason = f"it did not answer within {self._seconds:g} seconds"
            else:
                reason = "it does not answer"
            raise UnreachableError(self.service, reason) from error
        except FAILURES as error:
            raise UnreachableError(self.service, failed(error)) from error
        raise BadAnswerError(self.service, "it redirects without an end")

    def _open(self) -> tuple[httpx.Client, Deadline]:
        """Return what sends requests, and the deadline that it keeps."""
        if self._opened is None:
            from crewmem.backends.libraries import httpx
            from crewmem.backends.transport import Deadline, Transport

            deadline = Deadline(self._timing.clock)
            if self._is_slow:
                deadline.patience = self._seconds
            is_secure = self._url.startswith("https:")
            client = httpx.Client(
                transport=Transport(deadline, is_secure=is_secure),
                trust_env=False,
                headers={"accept-encoding": "identity", "user-agent": "crewmem"},
            )
            self._opened = client, deadline
        return self._opened

    def _redirected(self, reply: httpx.Response) -> str:
        """Return where *reply* says to ask instead.

        Raises:
            BadAnswerError: If that is another host, or no place at all.
        """
        from crewmem.backends.libraries import httpx

        try:
            asked = reply.request.url
            url = asked.join(reply.headers.get("location", ""))
        except (httpx.InvalidURL, ValueError) as error:
            raise BadAnswerError(self.service, "it redirects to nowhere") from error
        origins = [(each.scheme, each.host, each.port) for each in (asked, url)]
        if origins[0] != origins[1]:
            where = visible(f"{url.scheme}://{url.host}", self._secrets)
            reason = f"it redirects to another host, {where}, which is not followed"
            raise BadAnswerError(self.service, reason)
        return str(url)

    def _answer(self, reply: httpx.Response) -> Answer:
        import json

        body = bytearray()
        for block in reply.iter_raw():
            body += block
            if len(body) > self._most:
                reason = f"its answer is longer than {self._most >> 20} MiB"
                raise BadAnswerError(self.service, reason)
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            document = None
        return Answer(reply.status_code, document, _wait(reply.headers))


def failed(error: Exception) -> str:
    """Say what went wrong with a connection, without the number of it."""
    text = visible(str(error), ())
    if text.startswith("[Errno "):
        text = text.partition("] ")[2].lower()
    return text or type(error).__name__


def _wait(headers: httpx.Headers) -> float:
    """Return how many seconds ``Retry-After`` asks to wait, 0 if it does not."""
    text = headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return float(text[:9])
    from email.utils import parsedate_to_datetime

    try:
        then = parsedate_to_datetime(text)
        return (then - parsedate_to_datetime(headers["date"])).total_seconds()
    except (KeyError, TypeError, ValueError):
        return 0.0
