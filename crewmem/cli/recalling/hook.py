"""Answering a hook of an agent's program, in time or not at all.

Both programs read ``hookSpecificOutput`` of a JSON object, and refuse what they do not
know in it; both take an empty output for no answer. Of long answers the model is shown
the beginning only, so an answer is short.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without names: 0.5 ms
import os
import sys
import time
from contextlib import contextmanager, suppress
from io import StringIO

import click

from crewmem.cli.text import visible
from crewmem.encode import encoded
from crewmem.errors import CrewmemError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TextIO

    from crewmem.cli.app import App
    from crewmem.cli.places import Chosen
    from crewmem.cli.recalling.run import Done
    from crewmem.prompt.budget import Budget

ANSWER_BYTES = 1_800
"""Most bytes that are printed: of more than 2 KB the model sees a preview."""

DEADLINE = 2.0
"""Seconds until an answer is no longer waited for, if nobody says otherwise."""

AGAIN = 0.05
"""Seconds until the deadline is told again: what it raises may get lost in code whose
exceptions are ignored."""

INPUT_MOST = 4 << 20
"""Most bytes of a hook's input: a person pastes a file."""

PROMPT, START = "UserPromptSubmit", "SessionStart"

EVENTS = frozenset({PROMPT, START, "SubagentStart"})
"""Events to whose hooks both programs take context from; others print nothing."""

QUESTION_CHARS = 4_000
"""Characters of a prompt that are asked with, from its beginning."""


class OverdueError(BaseException):
    """The answer is too late. Nothing but `answer_in_time` answers it."""


class Call(NamedTuple):
    """What a hook was called for.

    Attributes:
        question: None: the session starts.
    """

    event: str
    question: str | None


class Room(NamedTuple):
    """The room of an answer: all that is printed, and the budget of the block."""

    event: str
    budget: Budget

    def fits(self, text: str) -> bool:
        """Tell whether *text* is within it, as it is printed."""
        is_short = len(answer(self.event, text)) <= ANSWER_BYTES
        return is_short and self.budget.fits(text)


def answer(event: str, context: str) -> str:
    """Return what is printed; ASCII, so that characters are bytes."""
    told = {"hookEventName": event, "additionalContext": context}
    return f"{encoded({'hookSpecificOutput': told})}\n"


def answer_hook(
    app: App, query: tuple[str, ...] | None, chosen: Chosen, given: dict[str, Any]
) -> None:
    """Print the answer to a hook, or nothing; never fail."""

    def make() -> tuple[str, Callable[[], object] | None]:
        text, done = _answered(app, query, chosen, given)
        return text, (lambda: _keep(done, app)) if done else None

    answer_in_time(app, given["deadline"] or DEADLINE, make)


def answer_in_time(
    app: App,
    seconds: float,
    make: Callable[[], tuple[str, Callable[[], object] | None]],
    failed: Callable[[BaseException], object] | None = None,
) -> None:
    """Print what *make* returns within so many *seconds*, or nothing; never fail.

    Args:
        app: The world.
        seconds: The deadline.
        make: Returns what is printed, and what is done when that is out: nobody waits.
        failed: Is told why there is no answer, in what is left of the time.
    """
    ends = time.monotonic() + seconds
    text, then = "", None
    trouble: BaseException | None = None
    try:
        with _deadline(seconds):
            text, then = make()
    except OverdueError as error:
        _tell(app, f"no answer within {seconds:g} s")
        trouble = error
    except (CrewmemError, OSError, click.ClickException) as error:
        _tell(app, str(getattr(error, "message", error)))
        trouble = error
    except Exception as error:  # noqa: BLE001 - whatever is broken, the agent goes on
        _tell(app, f"this is a bug in crewmem: {type(error).__name__}: {error}")
        _report(app, error)
        trouble = error
    _print(app, text)
    rest = max(ends - time.monotonic(), AGAIN)
    with suppress(Exception, OverdueError), _deadline(rest):
        if trouble and failed:
            failed(trouble)
        elif then:
            then()


def _answered(
    app: App, query: tuple[str, ...] | None, chosen: Chosen, given: dict[str, Any]
) -> tuple[str, Done | None]:
    """Return what is printed, and what it was made of; nothing where nothing is."""
    from crewmem.cli.recalling.asking import subject, told_off
    from crewmem.cli.recalling.run import budget_of, lay

    call = _call(app, query)
    if call is None:
        return "", None
    whose = subject(app, chosen)
    if whose.is_off:
        told_off(whose)
        return "", None
    if not whose.settings.get("auto_recall", True):
        app.out.warn(f"{whose.agent} has auto_recall off")
        return "", None
    room = Room(call.event, budget_of(whose, given, call.question))
    done = lay(whose, call.question, chosen, given, room)
    context = done.laying.laid.text
    return answer(call.event, context) if context else "", done


def _keep(done: Done, app: App) -> None:
    """Count what was delivered, and keep the question; nobody waits for it."""
    from crewmem.cli.recalling.run import counted, kept

    counted(done, patience=0.0)
    kept(done, str(app.actor))


def _report(app: App, error: Exception) -> None:
    """Write down what nobody foresaw, as for any command."""
    from crewmem.cli.incident import report

    with suppress(Exception):
        report(sys.argv[1:], app.world.environ, error)


# What the hook says


def _call(app: App, query: tuple[str, ...] | None) -> Call | None:
    """Return what is asked for; None where nothing is, as for another event.

    *query* is what was typed; None where a session starts in any case.
    """
    if query and query != ("-",):
        return Call(PROMPT, _question(" ".join(query)))
    said = hook_input(app.world.stdin)
    prompt = said.get("prompt")
    event = said.get("hook_event_name", START if prompt is None else PROMPT)
    if not isinstance(event, str) or event not in EVENTS:
        return None
    if event != PROMPT or query is None:
        return Call(event, None)
    return Call(PROMPT, _question(prompt)) if isinstance(prompt, str) else None


def _question(prompt: str) -> str:
    """Return *prompt* as plain words: who writes to a model means no operators."""
    from crewmem.retrieval.query import SIGNS

    text = prompt[:QUESTION_CHARS].encode("utf-8", "replace").decode()
    for sign in SIGNS:
        text = text.replace(sign, sign.lower() if sign.isalpha() else " ")
    return text


def hook_input(stdin: TextIO) -> dict[str, object]:
    """Return the hook's input; nothing of a terminal, or where there is none."""
    if stdin.isatty():
        return {}
    content = _read(stdin)
    if not content.strip():
        return {}
    from crewmem.journal.reading import json_object

    try:
        return dict(json_object(content))
    except ValueError as error:
        message = f"standard input holds nothing that a hook says: {error}"
        raise click.UsageError(message) from error


def _read(stdin: TextIO) -> bytes:
    """Return what is on *stdin*, without waiting for its end once there is all of it.

    Who keeps it open and says nothing is answered by the deadline.
    """
    try:
        number = stdin.fileno()
    except (OSError, ValueError):  # a test's
        return stdin.read().encode("utf-8", "surrogateescape")
    content = b""
    while len(content) <= INPUT_MOST:
        piece = os.read(number, 1 << 16)
        content += piece
        if not piece or _is_whole(content):
            break
    return content


def _is_whole(content: bytes) -> bool:
    """Tell whether *content* is a JSON object to its end."""
    if not content.rstrip().endswith(b"}"):
        return False
    from json import loads

    try:
        loads(content)
    except (ValueError, RecursionError):
        return False
    return True


# In time


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise `OverdueError` in what is done inside once *seconds* are over."""

    def ring(_: int, __: object) -> None:
        raise OverdueError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            yield
        finally:
            _disarm()
    except OverdueError:
        _disarm()  # it may have rung in the middle of that
        raise
    finally:
        signal.signal(signal.SIGALRM, before)


def _disarm() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _print(app: App, text: str) -> None:
    """Print *text*, if anybody takes it."""
    try:
        app.world.stdout.write(text)
        app.world.stdout.flush()
    except (OSError, ValueError):
        app.world.stdout = StringIO()  # nothing is left to be flushed at the end


def _tell(app: App, text: str) -> None:
    """Say on standard error why there is no answer, for whoever looks."""
    with suppress(OSError, ValueError):
        app.world.stderr.write(f"crewmem: {visible(text)}\n")
