"""The agents of sessions, as the hooks of their programs named them.

A job may read a log before the end of a turn does, and an agent may go to a directory of another
project: the session stays that of the agent with which it began.
"""

from typing import NamedTuple

from crewmem.context import Context
from crewmem.registry.membership import find_membership
from crewmem.storage.sqlite import write_unless_busy


class HookedAgent(NamedTuple):
    """The agent of a session."""

    workspace: str
    agent: str


def find_hooked_agent(context: Context, native_id: str) -> HookedAgent | None:
    """Return the agent of the session *native_id*, the program's own id; None if unknown."""
    row = context.db.one(
        "select workspace_id, agent from session_agents where native_id = ?", (native_id,)
    )
    found = HookedAgent(*row) if row is not None else None
    return found if found is not None and find_membership(context.db, *found) else None


def record_hooked_agent(context: Context, native_id: str) -> None:
    """Record that the actor is the agent of the session *native_id*.

    If the database is busy, nothing is recorded: an agent program never waits for it.
    """
    if not native_id or context.read_only:
        return
    hooked = HookedAgent(context.workspace, context.access.actor.name)
    if find_hooked_agent(context, native_id) != hooked:
        statement = "insert or replace into session_agents values (?, ?, ?)"
        write_unless_busy(context.db, (statement, [(native_id, *hooked)]))
