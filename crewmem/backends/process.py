"""Running a program of somebody's: with an end to everything, and no shell.

A program that is asked something may be missing, fail, hang, answer without end, not
read what it is given, or leave others behind that hold its output. It is given one
span for all it does, and as many bytes as an answer has; when that is over, or
whoever waits is interrupted, it is killed with all that it started.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from subprocess import PIPE, Popen, TimeoutExpired

from crewmem.backends.said import visible
from crewmem.errors.backends import BadReplyError, ProgramFailedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

TICK = 0.01
"""Seconds between two looks at whether it has ended, while it says nothing."""

BLOCK = 64 << 10
"""Bytes that are read or written at once: as many as a pipe holds."""

TOLD = 64 << 10
"""Bytes that are kept of what it says beside its answer: the end tells why."""

REAP = 1.0
"""Seconds that a program which was killed has to be gone."""

SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASS")
"""What the name of a variable holds whose value is never repeated."""

SECRET_LEAST = 8
"""Characters of a value that is worth hiding: a shorter one is in any word."""


def run(
    words: Sequence[str],
    given: bytes,
    *,
    name: str,
    seconds: float,
    most: int,
    environ: Mapping[str, str],
    clock: Callable[[], float] = time.monotonic,
) -> bytes:
    """Run a program, give it *given* on standard input, and return its output.

    Args:
        words: The program and its arguments; the program is looked for in ``PATH``.
        given: What it may read, or leave.
        name: What it is called in messages.
        seconds: From its start to its end, whatever it does.
        most: Bytes of its output.
        environ: Its environment; what is secret in it is in no message.
        clock: Seconds, of a clock that never goes back.

    Raises:
        ProgramFailedError: If it cannot be started, does not end in time, or ends
            with another status than 0.
        BadReplyError: If it says more than *most*.
    """
    until = clock() + seconds
    process = _started(words, name, environ)
    talk = _Talk(process, given)
    try:
        while not talk.turn() and len(talk.output) <= most:
            if clock() >= until:
                reason = f"it took more than {seconds:g} seconds"
                raise ProgramFailedError(name, reason)
    finally:
        talk.end(most)
    if len(talk.output) > most:
        raise BadReplyError(name, f"it has more than {most:,} bytes")
    if process.returncode:
        raise ProgramFailedError(name, _why(process.returncode, talk.told, environ))
    return bytes(talk.output)


def _started(
    words: Sequence[str], name: str, environ: Mapping[str, str]
) -> Popen[bytes]:
    try:
        # A session of its own: what it starts can be killed with it, and a ^C is
        # for whoever waits.
        return Popen(  # noqa: S603 - it is what the person set, and no shell reads it
            list(words),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            bufsize=0,
            env=dict(environ),
            start_new_session=True,
        )
    except FileNotFoundError as error:
        reason = "there is no such program, or not what runs it"
        raise ProgramFailedError(name, reason) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ProgramFailedError(name, reason) from error


def _why(status: int, told: bytearray, environ: Mapping[str, str]) -> str:
    """Say how it ended, and the end of what it said of it."""
    ended = f"it was killed by signal {-status}" if status < 0 else f"status {status}"
    lines = told.decode("utf-8", "replace").strip().splitlines()
    secrets = [
        value
        for name, value in environ.items()
        if len(value) >= SECRET_LEAST
        and any(each in name.upper() for each in SECRET_NAMES)
    ]
    said = visible(lines[-1], secrets) if lines else ""
    return f"{ended}: {said}" if said else ended


class _Talk:
    """What goes to a program and comes from it, as far as it went.

    Attributes:
        output: What it said on standard output.
        told: The end of what it said on standard error.
    """

    def __init__(self, process: Popen[bytes], given: bytes) -> None:
        self.output, self.told = bytearray(), bytearray()
        self._process, self._left = process, memoryview(given)
        pipes = (process.stdin, process.stdout, process.stderr)
        self._pipes = [each for each in pipes if each]  # all: mypy cannot know
        self._stdin, self._stdout, self._stderr = self._pipes
        self._open = DefaultSelector()
        for each in self._pipes:
            os.set_blocking(each.fileno(), False)
            event = EVENT_WRITE if each is self._stdin else EVENT_READ
            self._open.register(each, event, each)

    def turn(self) -> bool:
        """Exchange what there is to exchange; tell whether the program has ended."""
        for key, event in self._open.select(TICK):
            if event == EVENT_WRITE:
                self._give()
            else:
                self._take(key.data)
        # It is not reaped yet: until then no other process has its number.
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, how) is not None
        except ChildProcessError:  # whoever started crewmem ignores SIGCHLD
            return True

    def end(self, most: int) -> None:
        """Kill what is left of it, and read what it had said, up to over *most*."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(TimeoutExpired):
            self._process.wait(REAP)
        for each in (self._stdout, self._stderr):
            while len(self.output) <= most and self._take(each):
                pass
        self._open.close()
        for each in self._pipes:
            each.close()

    def _give(self) -> None:
        """Write what there is room for; close it at the end, or if nobody reads."""
        try:
            written = os.write(self._stdin.fileno(), self._left[:BLOCK])
        except BlockingIOError:
            return
        except OSError:  # it need not read what it is given
            written = len(self._left)
        self._left = self._left[written:]
        if not self._left:
            self._close(self._stdin)

    def _take(self, pipe: IO[bytes]) -> bool:
        """Read what there is; tell whether there was something."""
        if pipe.closed:
            return False
        try:
            block = os.read(pipe.fileno(), BLOCK)
        except BlockingIOError:
            return False
        if not block:
            self._close(pipe)
        elif pipe is self._stdout:
            self.output += block
        else:
            self.told = (self.told + block)[-TOLD:]
        return bool(block)

    def _close(self, pipe: IO[bytes]) -> None:
        self._open.unregister(pipe)
        pipe.close()
