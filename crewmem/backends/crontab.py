"""The crontab of a user, read and written through ``crontab``."""

from __future__ import annotations

from crewmem.backends.process import run
from crewmem.errors.backends import BadReplyError, ProgramFailedError
from crewmem.errors.jobs import SchedulerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "crontab"

SECONDS = 30.0
"""It answers in milliseconds."""

MOST = 4 << 20
"""Bytes of a crontab: more is none."""

NONE_YET = ("no crontab", "No such file or directory")
"""What cron, cronie and busybox say of a user without one. Whatever else they say, it
is not taken for an empty crontab: that would be written over one that is there."""


class Crontab:
    """The crontab of whoever runs this."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = {**environ, "LC_ALL": "C"}

    def trouble(self) -> str:
        """Say why it cannot be used; "" if it can."""
        try:
            self.read()
        except SchedulerError as error:
            return str(error)
        return ""

    def read(self) -> bytes:
        """Return it; nothing if there is none yet.

        Raises:
            SchedulerError: If it cannot be told.
        """
        try:
            return self._ask(b"", "-l")
        except ProgramFailedError as error:
            if error.reason.startswith("status 1") and any(
                each in error.reason for each in NONE_YET
            ):
                return b""
            raise SchedulerError(NAME, error.reason) from error

    def write(self, content: bytes) -> None:
        """Let *content* take its place, whole or not at all; of nothing none is left.

        Raises:
            SchedulerError: If it is refused, or another stands there afterwards.
        """
        try:
            self._ask(content, *(["-"] if content else ["-r"]))
        except ProgramFailedError as error:
            raise SchedulerError(NAME, error.reason) from error
        if not self.read().endswith(content):  # some put a header before it
            hint = "Look into it with crontab -l."
            raise SchedulerError(NAME, "it does not hold what it was given", hint)

    def _ask(self, given: bytes, *words: str) -> bytes:
        try:
            return run(
                [NAME, *words],
                given,
                name=NAME,
                seconds=SECONDS,
                most=MOST,
                environ=self._environ,
            )
        except BadReplyError as error:
            raise SchedulerError(NAME, str(error)) from error
