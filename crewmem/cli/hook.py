"""The command `crewmem hook`, which agent programs call. It always ends with status 0."""

import json
import os
import sys
import threading
import time
from functools import partial
from pathlib import Path

import click

from crewmem.cli.app import App
from crewmem.cli.command import Command, pass_app
from crewmem.errors import NotFoundError
from crewmem.hooks.events import LOST, START, Event, format_answer, parse_event
from crewmem.hooks.log import add_problem
from crewmem.storage import locks
from crewmem.times import format_time

MAX_EVENT = 10_000_000
"""Maximum size of an event, in bytes."""

TIME_LIMIT = 4.5
"""Seconds after which a hook gives up. Programs stop hooks after five; some then complain."""

TOLERANT = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "help_option_names": ["-h", "--help"],
}
"""Click settings that ignore unknown options, which a newer installation may pass."""


@click.command(cls=Command, context_settings=TOLERANT)
@click.argument("program", required=False, default="")
@click.option("--agent", metavar="SLUG", default="", help="Short for --as agent:SLUG.")
@click.option(
    "--fallback", metavar="SLUG", default="", help="Agent for directories outside of all projects."
)
@pass_app
def hook(app: App, program: str, agent: str, fallback: str) -> None:
    """Answer a hook of an agent program.

    Reads the event as JSON on standard input and prints the answer for the program. It always
    ends with status 0. If anything fails it prints nothing; `crewmem hooks status` shows why.
    """
    started = time.perf_counter()
    locks.on_wait = None  # programs show all output of a hook
    if app.environ.get("CREWMEM_HOOKS_OFF"):
        return
    event_name = ""

    def give_up() -> None:
        _log(app, program, event_name, TimeoutError(f"it took longer than {TIME_LIMIT} s"))
        os._exit(0)

    watchdog = threading.Timer(TIME_LIMIT, give_up)
    watchdog.daemon = True
    watchdog.start()
    try:
        try:
            payload = json.loads(sys.stdin.buffer.read(MAX_EVENT))
        except ValueError:
            payload = None
        if not isinstance(payload, dict):
            raise TypeError("the event is not a JSON object")
        # A program may cut a text inside a character, and half a character cannot be encoded.
        encodable = json.dumps(payload, ensure_ascii=False).encode(errors="replace")
        payload = json.loads(encodable)
        event_name = str(payload.get("hook_event_name") or "")
        event = parse_event(program, payload)
        if event is not None:
            text = _run(app, program, event, agent, fallback, started)
            watchdog.cancel()  # an answer is printed completely or not at all
            if text:
                sys.stdout.write(format_answer(event, text) + "\n")
                sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - no error may stop the agent
        _log(app, program, event_name, error)
    finally:
        watchdog.cancel()


def _run(app: App, program: str, event: Event, agent: str, fallback: str, started: float) -> str:
    """Return the text for the model, or ""; slow work continues in the background."""
    session = "" if event.kind == START else event.session
    open_home = partial(
        app.open_agent_home, agent, fallback, directory=event.directory, session=session
    )
    home = open_home()
    if home is None:
        if app.has_home and not fallback:
            raise NotFoundError(
                f"not exactly one agent works in {event.directory or 'this directory'}",
                code="agent-not-found",
            )
        return ""
    if event.is_of_tool:
        from crewmem.hooks.subjects import filter_mentioned, find_subjects

        subjects = find_subjects(event) if home.settings["hooks.before_tools"] else []
        if not filter_mentioned(home.context, subjects):
            home.close()
            return ""
    if not event.wants_sync:
        from crewmem.hooks.answers import answer_event

        with home:
            return answer_event(home, program, event, started=started)
    with home:
        can_write = not home.context.read_only
        if can_write and event.kind == LOST:
            from crewmem.hooks.answers import record_event_loss

            record_event_loss(home, program, event)  # the next prompt may follow at once
    if can_write and _detach():
        try:
            from crewmem.hooks.answers import sync_session

            reopened = open_home()
            assert reopened is not None
            with reopened as home:
                sync_session(home, program, event)
        except Exception as error:  # noqa: BLE001
            _log(app, program, event.name, error)
        finally:
            os._exit(0)
    return ""


def _detach() -> bool:
    """Fork into the background; return True there, False in the foreground.

    The agent program waits until the foreground process ends and closes its output.
    """
    sys.stdout.flush()
    if os.fork():
        return False
    os.setsid()
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(devnull, descriptor)
    return True


def _log(app: App, program: str, event: str, error: Exception) -> None:
    from crewmem.security.secrets import redact  # only for a problem

    try:
        at = format_time(app.clock())
    except Exception:  # noqa: BLE001 - --now may be the problem
        at = ""
    message = getattr(error, "message", "") or str(error) or type(error).__name__
    texts = map(redact, (program, event, message))
    add_problem(Path(app.home_path), at, *texts)
