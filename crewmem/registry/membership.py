"""Crews of agents, and the rights that follow from them. Every command needs these first.

This module is separate from `store` so that a search does not import the whole registry.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from crewmem.access import Access, Actor
from crewmem.context import Context
from crewmem.errors import NotFoundError, RefusedError, suggest
from crewmem.storage.sqlite import Database


class Membership(NamedTuple):
    """The crews of an agent.

    Attributes:
        home_crew: The crew where its files are.
        crews: All its crews.
        led: Crews that it leads.
    """

    home_crew: str
    crews: frozenset[str]
    led: frozenset[str]


def is_slug(text: str) -> bool:
    """Return whether *text* is a valid name of a workspace, crew or agent."""
    return re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", text) is not None


def has_workspace(db: Database, name: str) -> bool:
    """Return whether a workspace is registered."""
    sql = "select 1 from workspaces where name = ? and removed_at is null"
    return db.one(sql, (name,)) is not None


def find_membership(db: Database, workspace: str, slug: str) -> Membership | None:
    """Return the membership of an agent; None if it is not registered."""
    home = db.value(
        "select crew from agents where workspace_id = ? and slug = ? and removed_at is null",
        (workspace, slug),
    )
    if home is None:
        return None
    others = db.column(
        "select memberships.crew from memberships join crews"
        " on crews.workspace_id = memberships.workspace_id and crews.name = memberships.crew"
        " where memberships.workspace_id = ? and agent = ? and crews.removed_at is null",
        (workspace, slug),
    )
    led = db.column(
        "select name from crews where workspace_id = ? and lead = ? and removed_at is null",
        (workspace, slug),
    )
    return Membership(home, frozenset((home, *others, *led)), frozenset(led))


def is_registered(db: Database, slug: str) -> bool:
    """Return whether an agent is registered in any workspace."""
    sql = "select exists (select 1 from agents where slug = ? and removed_at is null)"
    return bool(db.value(sql, (slug,)))


def get_membership(context: Context, slug: str) -> Membership:
    """Return the membership of an agent in the context's workspace.

    Raises:
        NotFoundError: If it is not registered.
    """
    membership = find_membership(context.db, context.workspace, slug)
    if membership is None:
        slugs = context.db.column(
            "select slug from agents where workspace_id = ? and removed_at is null",
            (context.workspace,),
        )
        raise not_found_error(context, "agent", slug, slugs)
    return membership


def find_access(context: Context, actor: Actor, *, needs_workspace: bool = True) -> Access:
    """Return the rights of *actor* in the workspace of *context*.

    Args:
        needs_workspace: Whether the workspace must be registered.

    Raises:
        NotFoundError: If the workspace or agent is not registered. An empty result would be
            misleading, because the name may be misspelled.
        RefusedError: If the actor is a lead but leads no crew.
    """
    db, workspace = context.db, context.workspace
    if needs_workspace and not has_workspace(db, workspace):
        raise not_found_error(
            context,
            "workspace",
            workspace,
            db.column("select name from workspaces where removed_at is null"),
        )
    if actor.is_operator:
        return Access(actor, workspace)
    crews = get_membership(context, actor.name)
    if actor.kind == "lead" and not crews.led:
        raise RefusedError(
            f"agent '{actor.name}' leads no crew",
            code="not-a-lead",
            hint=context.command("crew set", crews.home_crew or "NAME", "--lead", actor.name),
        )
    return Access(actor, workspace, crews.home_crew, crews.crews, crews.led)


def warn_of_unknown(context: Context, names: Mapping[str, str]) -> None:
    """Warn about crews and agents that were never registered, because they may be misspelled.

    This is not an error, because imported texts may have such names.

    Args:
        names: Names by kind, ``agent`` or ``crew``.
    """
    access = context.access
    for kind, name in names.items():
        if kind == "crew" and not access.is_member(name):
            context.warn("out-of-scope", access.not_member_error(name).message)
            continue
        sql = {"agent": "select slug from agents", "crew": "select name from crews"}[kind]
        known = context.db.column(f"{sql} where workspace_id = ?", (context.workspace,))
        if name not in known:
            error = not_found_error(context, kind, name, known)
            context.warn(error.code, error.message, error.hint)


def name_workspace(context: Context, workspace: str) -> Context:
    """Return a context whose hints name *workspace*, or none if it is ""."""
    words = context.command_prefix
    if "--workspace" in words:
        at = words.index("--workspace")
        words = (*words[:at], *words[at + 2 :])
    named = ("--workspace", workspace) if workspace else ()
    return replace(context, command_prefix=(*words, *named))


def not_found_error(context: Context, kind: str, name: str, known: list[str]) -> NotFoundError:
    """Return the error for a workspace, crew or agent that is not registered."""
    access = context.access
    if not access.is_operator:  # the registry is for operators
        own = {"crew": access.crews, "agent": (access.actor.name,)}.get(kind)
        known = [each for each in known if own is None or each in own]
    similar = suggest(name, known)
    message = f"there is no {kind} '{name}'"
    command = context.command
    if kind == "workspace":
        command = name_workspace(context, "").command
    else:
        message += f" in workspace '{context.workspace}'"
    if similar:
        message += f"; did you mean '{similar}'?"
    may_be_new = is_slug(name) and not similar
    hint = command(f"{kind} add", name) if may_be_new else command(f"{kind} list")
    return NotFoundError(message, code=f"{kind}-not-found", hint=hint)


def find_agents_in(db: Database, home: Path, directory: Path) -> list[tuple[str, str]]:
    """Find the agents whose directory or project contains *directory*, as (workspace, slug).

    An agent's directory below *home* takes precedence. Of nested projects, the innermost counts.
    Work trees of a git repository count as one project. Agents may share a project.
    """
    path = Path(os.path.realpath(directory))
    agent = _parse_agent_directory(path, Path(os.path.realpath(home)))
    if agent is not None:
        return [agent]
    from_projects = (
        " from agent_projects join agents on agents.workspace_id = agent_projects.workspace_id"
        " and agents.slug = agent_projects.agent where removed_at is null and "
    )
    parents = [str(parent) for parent in (path, *path.parents) if _is_utf8(str(parent))]
    rows = db.all(
        f"select length(directory), agent_projects.workspace_id, agent {from_projects}"
        f" directory in ({', '.join('?' * len(parents))})",
        parents,
    )
    if not rows:
        repository, subdirectory = find_repository(path)
        if repository and _is_utf8(repository):
            rows = [
                (len(project), workspace, slug)
                for project, workspace, slug in db.all(
                    f"select subdirectory, agent_projects.workspace_id, agent {from_projects}"
                    " repository = ?",
                    (repository,),
                )
                if project == "" or f"{subdirectory}/".startswith(f"{project}/")
            ]
    innermost = max((length for length, _, _ in rows), default=0)
    return sorted((workspace, slug) for length, workspace, slug in rows if length == innermost)


def find_repository(directory: Path) -> tuple[str, str]:
    """Return the common git directory of *directory*, and its path in the work tree.

    All work trees of a repository have the same common directory. Outside git the result is
    ("", "").
    """
    for parent in (directory, *directory.parents):
        marker = parent / ".git"
        try:
            if marker.is_dir():
                git_directory = marker
            elif marker.is_file():
                text = marker.read_text(encoding="utf-8", errors="replace")[:4096]
                if not text.startswith("gitdir:"):
                    continue
                git_directory = parent / text.removeprefix("gitdir:").strip()
            else:
                continue
            common = git_directory / "commondir"
            if common.is_file():
                git_directory /= common.read_text(encoding="utf-8", errors="replace")[:4096].strip()
        except (OSError, ValueError):
            continue
        subdirectory = directory.relative_to(parent).as_posix()
        return os.path.realpath(git_directory), "" if subdirectory == "." else subdirectory
    return "", ""


def is_same_project(a: Path, b: Path) -> bool:
    """Return whether one directory contains the other, or both are of one git repository."""
    a, b = Path(os.path.realpath(a)), Path(os.path.realpath(b))
    if a.is_relative_to(b) or b.is_relative_to(a):
        return True
    repository, _ = find_repository(a)
    return repository != "" and find_repository(b)[0] == repository


def _parse_agent_directory(path: Path, home: Path) -> tuple[str, str] | None:
    """Return (workspace, slug) if *path* is in ``workspaces/W/crews/C/agents/S`` below *home*."""
    try:
        parts = path.relative_to(home).parts
    except ValueError:
        return None
    if len(parts) >= 6 and (parts[0], parts[2], parts[4]) == ("workspaces", "crews", "agents"):
        return parts[1], parts[5]
    return None


def _is_utf8(path: str) -> bool:
    """Return whether a path is valid UTF-8; other paths cannot be registered."""
    return path.isascii() or not any(0xD800 <= ord(character) <= 0xDFFF for character in path)
