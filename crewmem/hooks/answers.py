"""What is done for each kind of event of a hook."""

import os
import time
from datetime import timedelta
from pathlib import Path

from crewmem.errors import LockedError
from crewmem.home import Home
from crewmem.hooks.action import recall_subjects
from crewmem.hooks.events import COMPACTED, PROMPT, START, Event
from crewmem.hooks.subjects import find_subjects
from crewmem.prompt.recall_log import GivenStore
from crewmem.sessions.context_loss import Lost, has_unrecovered_loss, record_loss
from crewmem.storage.locks import lock
from crewmem.text.statements import count_words, weigh
from crewmem.times import add_span, format_time

RECENT_LOSS = timedelta(hours=6)
"""Age up to which a prompt still is given the recovery block of a context loss."""

LONGEST_WAIT = 120.0
"""Seconds that the sync of a session waits for others."""

SYNC_WAIT = 1.0
"""Seconds that the start of a session waits for the sync of one that ended just before."""

MIN_PROMPT = 8
"""Characters of the shortest prompt that memory is searched for: "yes", "go on" are none."""

COMMAND_WORDS = 3
"""Words from which on a command of the program says what it is for."""


def answer(home: Home, program: str, event: Event, *, started: float) -> str:
    """Return the text to give to the model; "" for none.

    Args:
        home: As the agent sees it.
        program: Who calls.
        event: What it tells.
        started: `time.perf_counter` when the hook began, for its deadline.
    """
    settings = home.settings
    max_bytes = int(settings["hooks.max_bytes"])
    if event.kind == START:
        _wait_for_sync(home)
        if event.is_cleared:
            GivenStore(home.context, event.session).forget()
        return _start(home, event, max_bytes)
    if event.kind == COMPACTED:
        return recover(home, program, event, max_bytes)
    if event.kind == PROMPT:
        return _answer_prompt(home, program, event, max_bytes, started)
    if event.is_of_tool and settings["hooks.before_tools"]:
        subjects = find_subjects(event)
        return recall_subjects(home, subjects, session=event.session, max_bytes=max_bytes)
    return ""


def _wait_for_sync(home: Home) -> None:
    """Wait a moment for the sync of a session that ended just now: it learns what is asked for."""
    try:
        with lock(home.context.lock_path("sessions"), wait=SYNC_WAIT):
            return
    except LockedError:
        return


def recover(home: Home, program: str, event: Event, max_bytes: int, mark: str = "hook") -> str:
    """Return the recovery block after a context loss, or the start block when it is empty."""
    recovery = home.sessions.recover(
        agent=home.context.access.actor.name,
        session=event.session,
        budget=home.settings["recall.budget"],
        mark=mark,
        program=program,
    )
    if recovery.text:
        return recovery.text
    return _start(home, event, max_bytes)


def _start(home: Home, event: Event, max_bytes: int) -> str:
    project = _find_project(event)
    return home.recall_start(budget=f"{max_bytes}b", session=event.session, project=project).text


def _find_project(event: Event) -> Path | None:
    directory = event.directory
    return Path(directory) if directory and os.path.isdir(directory) else None


def _answer_prompt(home: Home, program: str, event: Event, max_bytes: int, started: float) -> str:
    texts = []
    since = format_time(add_span(home.context.now, -RECENT_LOSS))
    if has_unrecovered_loss(home.context, event.session, since=since):
        texts.append(recover(home, program, event, max_bytes, mark=""))
    prompt = event.prompt.strip()
    is_command = prompt.startswith("/") and count_words(prompt) < COMMAND_WORDS
    if weigh(prompt) >= MIN_PROMPT and not is_command:
        recalled = home.recall(
            prompt[:4000],
            use="push",
            session=event.session,
            budget=f"{max_bytes}b",
            project=_find_project(event),
            deadline=started + home.settings.span("hooks.time_limit"),
        )
        texts.append(recalled.text)
    return "\n".join(text for text in texts if text)


def note_loss(home: Home, program: str, event: Event) -> None:
    """Record a context loss where the program takes no text now: the next prompt is given it."""
    context = home.context
    agent, crew = context.access.actor.name, context.access.home_crew
    lost = Lost(agent, crew, session="", native_id=event.session, program=program)
    system = context.as_system("extract")
    record_loss(system, home.journal, lost, at=context.now_text, mark="hook")


def sync(home: Home, program: str, event: Event) -> None:
    """Read what is new in the event's session: index it, and extract facts and embed them.

    The next session is asked about them before any timer runs.

    Raises:
        CrewmemError: If it cannot.
    """
    log = Path(event.log) if event.log else None
    if log is not None and not log.exists():
        log = None
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            home.sessions.sync(
                program=program,
                root=log,
                session="" if log is not None else event.session,
                agent=home.context.access.actor.name,
            )
        except LockedError:
            if time.monotonic() > deadline:
                raise
            continue
        home.embed_new_facts()
        return
