"""A connection that gives up on a server which stopped answering."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import waiting

from crewmem.storage.locks import NOTICE_AFTER, announce_wait

ANSWER_SECONDS = 10.0
"""Most statements are answered in milliseconds."""


class PatientConnection(psycopg.Connection[Any]):
    """A connection whose statements end in bounded time.

    TCP notices a host that is gone. A server that is stopped, or a proxy that lost it, keeps the
    connection alive and says nothing, so the time without a byte is measured here. A statement
    that was given up, or interrupted, ends the connection: the server rolls back.

    Attributes:
        patience: Seconds without a byte.
        waits_for: What a long statement waits for, where people should be told.
        is_silent: Whether the connection ended because the server said nothing.
    """

    patience = ANSWER_SECONDS
    waits_for = ""
    is_silent = False

    @contextlib.contextmanager
    def wait_at_most(self, seconds: float, *, waits_for: str = "") -> Iterator[None]:
        """Allow a silence of *seconds* inside the block."""
        before, self.patience, self.waits_for = self.patience, seconds, waits_for
        try:
            yield
        finally:
            self.patience, self.waits_for = before, ""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Run an operation of psycopg to its end."""
        try:
            return waiting.wait(self._watch(gen), self.pgconn.socket, interval=interval)
        except psycopg.Error:
            raise
        except BaseException:  # Ctrl-C or SIGTERM; psycopg would ask the server first, and wait
            self.pgconn.finish()
            raise

    def _watch(self, gen: Any) -> Any:
        """Pass *gen* through, and end the connection when nothing moves for too long."""
        last = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                now = time.monotonic()
                if ready:
                    last = now
                elif now - last > self.patience:
                    self.is_silent = True
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"no answer for {self.patience:.0f} s")
                elif self.waits_for and now - last > NOTICE_AFTER:
                    announce_wait(self.waits_for)
                    self.waits_for = ""
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value
