"""Saving a session when its program says so: its log is read, and a context loss is recorded."""

import time
from pathlib import Path

from crewmem.errors import LockedError
from crewmem.home import Home
from crewmem.hooks.programs.base import Event, Program
from crewmem.sessions.context_loss import Lost, record_loss

LONGEST_WAIT = 120.0
"""Seconds that the sync of a session waits for others."""


def note_loss(home: Home, program: Program, event: Event) -> None:
    """Record a context loss where the program takes no text now: the next prompt is given it."""
    context = home.context
    agent, crew = context.access.actor.name, context.access.home_crew
    lost = Lost(agent, crew, session="", native_id=event.session, program=program.name)
    system = context.as_system("extract")
    record_loss(system, home.journal, lost, at=context.now_text, mark="hook")


def sync(home: Home, program: Program, event: Event) -> None:
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
                program=program.name,
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
