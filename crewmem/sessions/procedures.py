"""Find the steps that sessions took for each request, as input for skill candidates."""

from __future__ import annotations

import re
from typing import NamedTuple

from crewmem.access import Filter
from crewmem.sessions.calls import READERS, get_program
from crewmem.sessions.turns import is_speech
from crewmem.storage.sqlite import Database

GOAL_LENGTH = 120
MAX_STEPS = 20
"""Maximum steps of a procedure; longer runs are left out."""

GIT_STEP = re.compile(r"\bgit(?: -\S+)* (?:pull|push|tag|merge|rebase)\b")
"""Git commands that count as steps. The others inspect, or save intermediate work."""


class Procedure(NamedTuple):
    """The steps of a session for a request, in order.

    Attributes:
        session: Id of the session, ``s_…``.
        goal: First line of the request.
        steps: Commands.
        turns: Turn numbers of the steps.
        exit_statuses: Exit statuses of the steps.
    """

    session: str
    goal: str
    steps: tuple[str, ...]
    turns: tuple[int, ...]
    exit_statuses: tuple[int, ...]
    crew: str = ""
    agent: str = ""


def find_procedures(db: Database, access: Filter) -> list[Procedure]:
    """Return the commands that sessions ran between two requests of a person.

    Commands that only read are not steps, and git alone is not a procedure. Procedures with failed
    steps are included.
    """
    rows = db.execute(
        "select sessions.id, coalesce(sessions.crew_id, ''), coalesce(sessions.agent_id, ''),"
        " turns.line, turns.role, turns.flags, substr(turns.text, 1, 400), calls.command,"
        " coalesce(calls.exit_status, calls.failed, 0)"
        " from turns join sessions on sessions.key = turns.session"
        " left join calls on calls.turn = turns.key"
        f" where {access.sql} and (turns.role = 'user' or calls.command <> '')"
        " order by sessions.key, turns.line, turns.part",
        access.params,
    )
    runs: list[tuple[str, str, str, str, list[tuple[str, int, int]]]] = []
    for session, crew, agent, line, role, flags, text, command, status in rows:
        if not runs or session != runs[-1][0] or (role == "user" and is_speech(role, flags)):
            goal = " ".join(text.split("\n")[0].split())[:GOAL_LENGTH] if role == "user" else ""
            runs.append((session, goal, crew, agent, []))
        if command and (get_program(command) not in READERS or GIT_STEP.search(command)):
            runs[-1][-1].append((" ".join(command.split())[:200], line, status))
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
