"""What sessions did for each request, step by step: material for skill candidates."""

from __future__ import annotations

import re
from typing import NamedTuple

from crewmem.access import Filter
from crewmem.sessions.calls import READERS, get_program
from crewmem.sessions.turns import is_speech
from crewmem.storage.sqlite import Database

GOAL_LENGTH = 120
MAX_STEPS = 20
"""A longer log is no procedure."""

GIT_STEP = re.compile(r"\bgit(?: -\S+)* (?:pull|push|tag|merge|rebase)\b")
"""What git does that others see; in most sessions it looks, and saves work in between."""


class Procedure(NamedTuple):
    """What a session did for a request, in order.

    Attributes:
        session: Its id, ``s_…``.
        goal: What the person asked for; its first line.
        steps: Commands, and changed files as ``edit FILE``.
        turns: Turn numbers of the steps.
        exit_statuses: Of the steps; 0 for all when it succeeded.
    """

    session: str
    goal: str
    steps: tuple[str, ...]
    turns: tuple[int, ...]
    exit_statuses: tuple[int, ...]
    crew: str = ""
    agent: str = ""


def find_procedures(db: Database, access: Filter, *, since: str = "") -> list[Procedure]:
    """Return the runs of commands between two requests of a person.

    Commands that only look are not steps, and git alone makes no procedure. A run with a failed
    step is kept with its status: it is for the caller to judge.
    """
    rows = db.execute(
        "select sessions.id, sessions.crew_id, sessions.agent_id, turns.line, turns.role,"
        " turns.flags, substr(turns.text, 1, 400), calls.command, calls.failed, calls.exit_status"
        " from turns join sessions on sessions.key = turns.session"
        " left join calls on calls.turn = turns.key"
        f" where {access.sql} and sessions.last_at >= :since"
        " and (turns.role = 'user' or calls.command <> '')"
        " order by sessions.key, turns.line, turns.part",
        {**access.params, "since": since},
    )
    runs: list[tuple[str, str, str, str, list[tuple[str, int, int]]]] = []
    for session, crew, agent, line, role, flags, text, command, failed, status in rows:
        if not runs or session != runs[-1][0] or (role == "user" and is_speech(role, flags)):
            goal = " ".join(text.split("\n")[0].split())[:GOAL_LENGTH] if role == "user" else ""
            runs.append((session, goal, crew or "", agent or "", []))
        if command and (get_program(command) not in READERS or GIT_STEP.search(command)):
            step = " ".join(command.split())[:200]
            runs[-1][-1].append((step, line, status if status is not None else int(failed or 0)))
    return [
        Procedure(
            session=session,
            goal=goal,
            steps=tuple(step for step, _, _ in steps),
            turns=tuple(line for _, line, _ in steps),
            exit_statuses=tuple(status for _, _, status in steps),
            crew=crew,
            agent=agent,
        )
        for session, goal, crew, agent, steps in runs
        if goal
        and len(steps) <= MAX_STEPS
        and any(get_program(step) != "git" for step, _, _ in steps)
    ]
