"""Owners of sessions: the agent that a session belongs to, or the operator of a workspace."""

from __future__ import annotations

import os
from pathlib import Path

from crewmem.context import Context
from crewmem.registry.membership import (
    find_agents_in,
    find_membership,
    get_membership,
    is_registered,
)
from crewmem.sessions.index import SessionOwner
from crewmem.sessions.turns import State
from crewmem.storage.sqlite import write_unless_busy


def find_owner(context: Context, state: State) -> SessionOwner | None:
    """Return the owner of a session; None if it belongs to another workspace.

    It is the first of: the agent of the setting ``sessions.agents``, the agent that the program
    names, the agent that its hooks named, the only agent with the session's project, the operator.
    """
    named = ""
    longest = -1
    for entry in context.settings["sessions.agents"]:
        directory, _, actor = str(entry).partition("=")
        directory = os.path.abspath(os.path.expanduser(directory.strip()))
        inside = f"{state.project}/".startswith(f"{directory.rstrip('/')}/")
        if inside and len(directory) > longest:
            named, longest = actor.strip().removeprefix("agent:"), len(directory)
    for slug in filter(None, (named, state.agent)):
        if find_membership(context.db, context.workspace, slug):
            return make_owner(context, slug)
        if is_registered(context.db, slug):
            return None
    if named:
        return make_owner(context, named)  # raises an error: there is no such agent
    native_id = state.session.partition("/")[0]  # before it, a sub-agent's log names its session
    hooked = context.db.one(
        "select workspace_id, agent from session_agents where native_id = ?", (native_id,)
    )
    if hooked is not None and hooked[0] != context.workspace:
        return None
    if hooked is not None and find_membership(context.db, *hooked):
        return make_owner(context, hooked[1])
    if state.project and context.home is not None:
        found = find_agents_in(context.db, context.home, Path(state.project))
        mine = [slug for workspace, slug in found if workspace == context.workspace]
        if len(mine) == 1:
            return make_owner(context, mine[0])
        if found and not mine:
            return None
    return SessionOwner(context.workspace, None, None)


def make_owner(context: Context, agent: str) -> SessionOwner:
    """Return an agent as an owner."""
    return SessionOwner(context.workspace, agent, get_membership(context, agent).home_crew)


def record_hooked_agent(context: Context, native_id: str) -> None:
    """Record that the actor is the agent of a session, because the session's hooks say so.

    A job may read the log before a hook does, and finds the agent by this. If the database is
    busy, nothing is recorded: an agent never waits for it.

    Args:
        native_id: The program's own id of the session; nothing is recorded for "".
    """
    if not native_id or context.read_only:
        return
    row = (native_id, context.workspace, context.access.actor.name)
    known = context.db.one(
        "select native_id, workspace_id, agent from session_agents where native_id = ?",
        (native_id,),
    )
    if known != row:
        statement = "insert or replace into session_agents values (?, ?, ?)"
        write_unless_busy(context.db, (statement, [row]))
