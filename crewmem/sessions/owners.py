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
from crewmem.sessions.hooked_agents import find_hooked_agent
from crewmem.sessions.index import SessionOwner
from crewmem.sessions.turns import State


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
    # The log of a sub-agent names its session before "/".
    hooked = find_hooked_agent(context, state.session.partition("/")[0])
    if hooked is not None:
        return make_owner(context, hooked.agent) if hooked.workspace == context.workspace else None
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
