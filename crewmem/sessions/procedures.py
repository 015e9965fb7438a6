"""Find the steps that sessions took for each request, as input for skill candidates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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


class _Step(NamedTuple):
    """A command, its turn and its exit status."""

    command: str
    turn: int
    exit_status: int


@dataclass(slots=True)
class _Run:
    """What a session ran between two requests; *goal* is "" if it does not begin with one."""

    session: str
    goal: str
    crew: str
    agent: str
    steps: list[_Step] = field(default_factory=list)

    @property
    def is_procedure(self) -> bool:
        """Whether it has a goal, not too many steps, and more than git commands."""
        has_program = any(get_program(step.command) != "git" for step in self.steps)
        return bool(self.goal) and len(self.steps) <= MAX_STEPS and has_program

    def make_procedure(self) -> Procedure:
        return Procedure(
            session=self.session,
            goal=self.goal,
            steps=tuple(step.command for step in self.steps),
            turns=tuple(step.turn for step in self.steps),
            exit_statuses=tuple(step.exit_status for step in self.steps),
            crew=self.crew,
            agent=self.agent,
        )


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
    runs: list[_Run] = []
    for session, crew, agent, line, role, flags, text, command, status in rows:
        is_request = role == "user" and is_speech(role, flags)
        if is_request or not runs or runs[-1].session != session:
            goal = " ".join(text.split("\n")[0].split())[:GOAL_LENGTH] if role == "user" else ""
            runs.append(_Run(session, goal, crew, agent))
        if command and (get_program(command) not in READERS or GIT_STEP.search(command)):
            runs[-1].steps.append(_Step(" ".join(command.split())[:200], line, status))
    return [run.make_procedure() for run in runs if run.is_procedure]
