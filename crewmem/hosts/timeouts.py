"""A PostgreSQL connection that times out if the server stops responding."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import waiting

from crewmem.storage.locks import NOTICE_AFTER, announce_wait

ANSWER_SECONDS = 10.0
"""Maximum silence of the server; most statements are answered in milliseconds."""


class TimeoutConnection(psycopg.Connection[Any]):
    """A connection whose statements end in bounded time.

    TCP detects a host that is gone. A server that is stopped, or a proxy that lost it, keeps the
    connection open without sending anything, so the time without a byte is measured here. A
    statement that times out or is interrupted closes the connection, and the server rolls back.

    Attributes:
        max_silence: Maximum seconds without a byte from the server.
        resource: What a long statement waits for, to tell the user; "" for nothing.
        timed_out: Whether the connection was closed because the server sent nothing.
    """

    max_silence = ANSWER_SECONDS
    resource = ""
    timed_out = False

    @contextlib.contextmanager
    def allow_silence(self, seconds: float, *, resource: str = "") -> Iterator[None]:
        """Set `max_silence` and `resource` inside the block."""
        before, self.max_silence, self.resource = self.max_silence, seconds, resource
        try:
            yield
        finally:
            self.max_silence, self.resource = before, ""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Run a psycopg operation; overrides `psycopg.Connection.wait`."""
        try:
            return waiting.wait(self._watch(gen), self.pgconn.socket, interval=interval)
        except psycopg.Error:
            raise
        except BaseException:  # Ctrl-C or SIGTERM; psycopg would send a cancel request and wait
            self.pgconn.finish()
            raise

    def _watch(self, gen: Any) -> Any:
        """Run the generator *gen*; close the connection after a silence of `max_silence`."""
        last = time.monotonic()
        try:
            state = next(gen)
            while True:
                ready = yield state
                now = time.monotonic()
                if ready:
                    last = now
                elif now - last > self.max_silence:
                    self.timed_out = True
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"no answer for {self.max_silence:.0f} s")
                elif self.resource and now - last > NOTICE_AFTER:
                    announce_wait(self.resource)
                    self.resource = ""
                state = gen.send(ready)
        except StopIteration as end:
            return end.value
