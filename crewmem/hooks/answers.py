"""Answers hooks, by kind of event."""

import os
import time
from datetime import timedelta
from pathlib import Path

from crewmem.errors import LockedError
from crewmem.home import Home
from crewmem.hooks.events import COMPACTED, PROMPT, START, Event
from crewmem.hooks.subjects import find_subjects
from crewmem.hooks.tool_calls import recall_subjects
from crewmem.prompt.recall_log import GivenStore
from crewmem.sessions.context_loss import LostContext, has_unrecovered_loss, record_loss
from crewmem.sessions.hooked_agents import record_hooked_agent
from crewmem.sessions.turns import Loss
from crewmem.storage.locks import lock
from crewmem.text.statements import count_words, measure_width
from crewmem.times import add_span, format_time

RECENT_LOSS = timedelta(hours=6)
"""Maximum age of a context loss for which a prompt still gets the recovery block."""

MAX_WAIT = 120.0
"""Maximum seconds that a sync of logs waits for other processes."""

SYNC_WAIT = 1.0
"""Maximum seconds that the start of a session waits for the sync of the previous one."""

MIN_PROMPT = 8
"""Minimum width of a prompt that is searched; "yes" and "go on" are shorter."""

COMMAND_WORDS = 3
"""Minimum words of a slash command that is searched; shorter ones do not state a purpose."""


def answer_event(home: Home, program: str, event: Event, *, started: float) -> str:
    """Return the text to give to the model; "" for none.

    Args:
        home: The home, with the agent as actor.
        program: Name of the program that ran the hook.
        started: `time.perf_counter` at the start of the hook, for its deadline.
    """
    settings, access = home.settings, home.context.access
    if not access.is_operator and not home.registry.get_agent(access.actor.name).memory:
        return ""  # the agent's memory is off
    max_bytes = int(settings["hooks.max_bytes"])
    if not event.is_of_tool:
        record_hooked_agent(home.context, event.session)
    if event.kind == START:
        _wait_for_sync(home)
        if event.is_cleared:
            GivenStore(home.context, event.session).forget()
        return _make_start_block(home, event, max_bytes)
    if event.kind == COMPACTED:
        return recover(home, program, event, max_bytes)
    if event.kind == PROMPT:
        return _answer_prompt(home, program, event, max_bytes, started)
    if event.is_of_tool and settings["hooks.before_tools"]:
        subjects = find_subjects(event)
        return recall_subjects(home, subjects, session=event.reader, max_bytes=max_bytes)
    return ""


def _wait_for_sync(home: Home) -> None:
    """Wait briefly for the sync of the previous session, whose facts may be needed."""
    if home.context.read_only:
        return  # there is no sync, and the lock cannot be taken
    try:
        with lock(home.context.lock_path("sessions"), wait=SYNC_WAIT):
            return
    except LockedError:
        return


def recover(home: Home, program: str, event: Event, max_bytes: int, mark: str = "hook") -> str:
    """Return the recovery block after a context loss; if it is empty, the start block."""
    recovery = home.sessions.recovery.restore(
        agent=home.context.access.actor.name,
        session=event.session,
        budget=home.settings["recall.budget"],
        mark=mark,
        program=program,
    )
    if recovery.text:
        return recovery.text
    return _make_start_block(home, event, max_bytes)


def _make_start_block(home: Home, event: Event, max_bytes: int) -> str:
    from crewmem.prompt.start import recall_start  # too slow to import for hooks before tools

    project = _find_project(event)
    return recall_start(home, budget=f"{max_bytes}b", session=event.session, project=project).text


def _find_project(event: Event) -> Path | None:
    """Return the directory of the event, if it exists."""
    directory = event.directory
    return Path(directory) if directory and os.path.isdir(directory) else None


def _answer_prompt(home: Home, program: str, event: Event, max_bytes: int, started: float) -> str:
    """Return the recovery block after a recent context loss, and recalled memory."""
    texts = []
    since = format_time(add_span(home.context.now, -RECENT_LOSS))
    if has_unrecovered_loss(home.context, event.session, since=since):
        texts.append(recover(home, program, event, max_bytes, mark=""))
    prompt = event.prompt.strip()
    is_command = prompt.startswith("/") and count_words(prompt) < COMMAND_WORDS
    if measure_width(prompt) >= MIN_PROMPT and not is_command:
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


def record_event_loss(home: Home, program: str, event: Event) -> None:
    """Record a context loss; the next prompt gets the recovery block."""
    context = home.context
    agent, crew = context.access.actor.name, context.access.home_crew
    lost = LostContext(agent, crew, session="", native_id=event.session, program=program)
    system = context.as_system("extract")
    record_loss(system, home.journal, lost, Loss("hook"))


def sync_session(home: Home, program: str, event: Event) -> None:
    """Index the new part of the event's session, and extract and embed facts.

    The next session may need them before a timer runs.

    Raises:
        CrewmemError: If the session cannot be read.
    """
    log = Path(event.log)
    if event.log and log.is_file():
        _sync_logs(home, program, root=log)
        subagents = log.with_suffix("")  # the directory of the logs of its sub-agents, if any
        if subagents.is_dir():
            _sync_logs(home, program, root=subagents)
    elif event.session:
        _sync_logs(home, program, session=event.session)
    home.embed_new_facts()


def _sync_logs(home: Home, program: str, *, root: Path | None = None, session: str = "") -> None:
    """Sync a file or directory of logs, or a session among all logs of the program."""
    deadline = time.monotonic() + MAX_WAIT
    agent = home.context.access.actor.name
    while True:
        try:
            home.sessions.logs.sync(program=program, root=root, session=session, agent=agent)
            return
        except LockedError:
            if time.monotonic() > deadline:
                raise
