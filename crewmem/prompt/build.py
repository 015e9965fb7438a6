"""`memory prompt` of one agent: what it is shown, put together from the stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crewmem.context import Context
from crewmem.errors import CrewmemError, RefusedError
from crewmem.prompt.budget import Budget
from crewmem.prompt.context import (
    DEFAULT_BUDGET,
    NUDGE_AFTER,
    MemoryFile,
    PromptBlock,
    build_prompt,
    collect_files,
)
from crewmem.search.search import Search
from crewmem.storage.sqlite import transaction

if TYPE_CHECKING:
    from crewmem.journal.store import Journal


def build_agent_prompt(
    home: Any,
    operators: Any,
    agent: str,
    *,
    crew: str | None = None,
    query: str = "",
    opener: str = "",
    session: str = "",
    budget: str | None = None,
    max_total: int = 0,
    nudge: bool = False,
) -> PromptBlock:
    """Build the block of *agent* for its system prompt.

    Args:
        home: A `Home` or `Tree`, as the agent sees it.
        operators: Profiles of people; None for a tree.
        crew: Its home crew, where there is no registry to tell.
        query: Orders topics by relevance to it.
        opener: The person who opened the conversation, whose profile is added.
        session: Of the agent program; it is advised to write once.
        budget: Of pins, crew, workspace and agent; by default 15,000 characters.
        max_total: Most characters of everything; 0 for no limit.
        nudge: Whether advice to write is added when much happened since it last wrote.
    """
    context = home.context
    access = context.access
    if not access.is_operator and access.actor.name != agent:
        raise RefusedError(
            f"{access.actor} may not read the prompt of {agent}: an agent reads its own",
            code="out-of-scope",
        )
    crew = crew or access.home_crew or ""
    is_lead, is_alone, memory_on = False, False, True
    if context.has_db:
        record = home.registry.get_agent(agent)
        crew = record.crew
        memory_on = record.memory
        is_lead = crew in (access.led or ())
        is_alone = len(home.registry.list_agents(crew=crew)) == 1
    files = [
        file
        for file in collect_files(home.memory)
        if _is_shown(file.reference, file.scope, agent=agent, crew=crew)
    ]
    rank = None
    if query:
        ranked = _rank_files(home.searcher, query)

        def rank(found: Sequence[MemoryFile]) -> list[MemoryFile]:
            return sorted(found, key=lambda file: ranked.get(file.reference, len(ranked)))

    advice = ""
    if nudge and context.has_db:
        advice = _make_nudge(context, home.journal, agent, session)
    profile = peer_card = ""
    if opener and operators is not None:
        profile, peer_card = operators.read_profiles(opener, crew=crew, agent=agent)
    return build_prompt(
        context,
        files,
        agent=agent,
        crew=crew,
        is_lead=is_lead,
        is_alone=is_alone,
        budget=Budget.parse(budget) if budget else DEFAULT_BUDGET,
        max_total=max_total,
        rank=rank,
        profile=profile,
        peer_card=peer_card,
        writable=home.memory.is_writable(agent=agent, crew=crew),
        memory_on=memory_on,
        nudge=advice,
    )


def _is_shown(reference: str, scope: str, *, agent: str, crew: str) -> bool:
    """Tell whether a file is the agent's own, its home crew's or the workspace's."""
    if scope == "agent":
        return reference.startswith(f"agent:{crew}/{agent}/") or ":" not in reference
    if scope == "crew":
        return reference.startswith(f"crew:{crew}/") or ":" not in reference
    return True


def _rank_files(search: Search, query: str) -> dict[str, int]:
    """Return the rank of each file that answers *query*, by reference."""
    try:
        result = search.find(query, stores=("memory",), limit=50, include_all=True)
    except CrewmemError:
        return {}
    ranked: dict[str, int] = {}
    for hit in result.hits:
        ranked.setdefault(hit.extra.get("file", hit.ref), len(ranked))
    return ranked


def _make_nudge(context: Context, journal: Journal, agent: str, session: str) -> str:
    """Return advice to write, once a session, when much happened since the agent last did."""
    count = journal.count_since_update(agent)
    if count < NUDGE_AFTER:
        return ""
    if session and not context.read_only:
        with transaction(context.db, local=True):
            context.db.execute(
                "insert or ignore into nudges (session, nudged_at) values (?, ?)",
                (session, context.now_text),
            )
            if context.db.changes() == 0:
                return ""
    return (
        f"{count} journal entries since you last wrote to memory: append recurring patterns to"
        " ~/.memory/AGENT.md."
    )
