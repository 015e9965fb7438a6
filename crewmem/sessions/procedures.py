"""Find the steps that sessions took for each request, as input for skill candidates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from crewmem.access import Filter
from crewmem.sessions.calls import READERS, get_program
from crewmem.sessions.turns import USER, is_speech
from crewmem.storage.sqlite import Database

GOAL_LENGTH, STEP_LENGTH = 120, 200
"""Maximum characters of a goal and of a step."""

MAX_STEPS = 20
"""Maximum steps of a procedure; longer runs are left out."""

GIT_STEP = re.compile(r"\bgit(?: -\S+)* (?:pull|push|tag|merge|rebase)\b")
"""Git commands that count as steps. The others inspect, or save intermediate work."""


@dataclass(slots=True)
class Procedure:
    """The steps of a session for a request, in order.

    Attributes:
        session: Id of the session, ``s_…``.
        goal: First line of the request; "" for what came before the first one.
        steps: Commands.
        turns: Turn numbers of the steps.
        exit_statuses: Exit statuses of the steps.
    """

    session: str
    goal: str
    crew: str = ""
    agent: str = ""
    steps: list[str] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    exit_statuses: list[int] = field(default_factory=list)


def find_procedures(db: Database | None, access: Filter) -> list[Procedure]:
    """Return the commands that sessions ran between two requests of a person.

    Commands that only read are not steps, and git alone is not a procedure. Procedures with failed
    steps are included.

    Args:
        db: The index of sessions; None if nothing was indexed yet.
        access: The sessions that the actor may read.
    """
    if db is None:
        return []
    rows = db.execute(
        "select sessions.id, coalesce(sessions.crew_id, ''), coalesce(sessions.agent_id, ''),"
        " turns.line, turns.role, turns.flags, substr(turns.text, 1, 400), calls.command,"
        " coalesce(calls.exit_status, calls.failed, 0)"
        " from turns join sessions on sessions.key = turns.session"
        " left join calls on calls.turn = turns.key"
        f" where {access.sql} and (turns.role = '{USER}' or calls.command <> '')"
        " order by sessions.key, turns.line, turns.part",
        access.params,
    )
    found: list[Procedure] = []
    for session, crew, agent, line, role, flags, text, command, status in rows:
        is_request = role == USER and is_speech(role, flags)
        if is_request or not found or found[-1].session != session:
            goal = " ".join(text.split("\n")[0].split())[:GOAL_LENGTH] if role == USER else ""
            found.append(Procedure(session, goal, crew, agent))
        if command and (get_program(command) not in READERS or GIT_STEP.search(command)):
            found[-1].steps.append(" ".join(command.split())[:STEP_LENGTH])
            found[-1].turns.append(line)
            found[-1].exit_statuses.append(status)
    return [
        each
        for each in found
        if each.goal
        and len(each.steps) <= MAX_STEPS
        and any(get_program(step) != "git" for step in each.steps)
    ]
