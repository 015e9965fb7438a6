"""Fetching a file of known size over HTTP; what it holds is for the caller to check.

Unlike requests to services it follows redirects anywhere: files are kept on other
hosts than they are listed on, nothing is sent, and what comes is compared by hash.
"""

from __future__ import annotations

from crewmem.backends.http import REDIRECTS, TRIES, Timing, failed
from crewmem.backends.said import MEANINGS, visible
from crewmem.errors.backends import BadAnswerError, UnreachableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    Tick = Callable[[int, int], None]

MOST_SECONDS = 1_800
"""Most that a file takes: 90 MB at 50 KB/s."""

MOST_REDIRECTS = 5

WHOLE, PART = 200, 206


def fetch(
    url: str, size: int, *, timing: Timing | None = None, tick: Tick | None = None
) -> bytes:
    """Return the *size* bytes at *url*; what was broken off is taken up again.

    Raises:
        UnreachableError: If it cannot be had.
        BadAnswerError: If it is of another size.
    """
    from crewmem.backends.libraries import httpx
    from crewmem.backends.transport import FAILURES, Deadline, Transport

    timing = timing or Timing()
    deadline = Deadline(timing.clock)
    deadline.until = timing.clock() + MOST_SECONDS
    held = bytearray()
    transport = Transport(deadline, is_secure=True)
    with httpx.Client(transport=transport, trust_env=False) as client:
        for left in reversed(range(TRIES)):
            try:
                _read(client, url, size, held, tick)
                return bytes(held)
            except FAILURES as error:
                if not left:
                    raise UnreachableError(url, failed(error)) from error
            timing.sleep(TRIES - left)
    raise AssertionError(url)  # the last try returns or raises


def _read(
    client: httpx.Client, url: str, size: int, held: bytearray, tick: Tick | None
) -> None:
    """Add to *held* what of *url* is missing in it."""
    for _ in range(MOST_REDIRECTS):
        headers = {"accept-encoding": "identity", "user-agent": "crewmem"}
        if held:
            headers["range"] = f"bytes={len(held)}-"
        with client.stream("GET", url, headers=headers) as reply:
            if reply.status_code in REDIRECTS:
                url = str(reply.request.url.join(reply.headers.get("location", "")))
                continue
            _take(reply, size, held, tick)
            return
    raise BadAnswerError(url, "it redirects without an end")


def _take(reply: httpx.Response, size: int, held: bytearray, tick: Tick | None) -> None:
    status, host = reply.status_code, visible(str(reply.request.url), ())
    if status not in {WHOLE, PART}:
        reason = MEANINGS.get(status, "it was not to be had")
        raise UnreachableError(host, f"HTTP {status}: {reason}")
    if status == WHOLE:
        held.clear()
    for block in reply.iter_raw():
        held += block
        if len(held) > size:
            break
        if tick:
            tick(len(held) >> 10, size >> 10)
    if len(held) != size:
        raise BadAnswerError(host, f"it is not {size:,} bytes long")
