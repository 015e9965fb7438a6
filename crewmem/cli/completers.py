"""TAB completion of references, ids and names."""

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from crewmem.cli.command import get_invocation
from crewmem.cli.output import visible
from crewmem.errors import CrewmemError

MAX_VALUES = 200
"""Maximum number of values offered."""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _complete_from(list_values: Callable[[Any], Iterable[tuple[str, str]]]) -> Complete:
    """Return a completer that offers values of the home; none if the home cannot be opened."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        try:
            values = list(list_values(get_invocation(ctx).app.home))
        except CrewmemError:
            return []
        matches = [(value, text) for value, text in values if value.startswith(incomplete)]
        return [
            CompletionItem(value, help=visible(text, one_line=True))
            for value, text in matches[:MAX_VALUES]
        ]

    return complete


def complete_kind(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the kind of a fact."""
    from crewmem.facts.kinds import KINDS  # only for TAB: every command imports completers

    return [CompletionItem(kind) for kind in KINDS if kind.startswith(incomplete)]


complete_file = _complete_from(
    lambda home: ((info.file, info.tier) for info in home.memory_reader.list_files())
)
complete_fact = _complete_from(
    lambda home: ((fact.id, fact.title) for fact in home.fact_reader.list(limit=MAX_VALUES).facts)
)
complete_entry = _complete_from(
    lambda home: (
        (entry.id, entry.summary) for entry in home.journal_reader.list(limit=MAX_VALUES).entries
    )
)
complete_session = _complete_from(
    lambda home: ((each.id, each.title) for each in home.sessions.list(limit=MAX_VALUES).sessions)
)
complete_review_item = _complete_from(
    lambda home: ((item.id, item.title) for item in home.review.list_items(limit=MAX_VALUES).items)
)
complete_run = _complete_from(
    lambda home: ((run.id, run.suite) for run in home.evaluation.runs.list_runs(limit=MAX_VALUES))
)
complete_crew = _complete_from(
    lambda home: ((crew.name, crew.description) for crew in home.registry.list_crews())
)
complete_agent = _complete_from(
    lambda home: ((agent.slug, agent.description) for agent in home.registry.list_agents())
)
complete_actor = _complete_from(
    lambda home: (
        (f"{role}:{agent.slug}", agent.description)
        for role in ("agent", "lead")
        for agent in home.registry.list_agents()
        if role == "agent" or agent.led
    )
)
complete_share_target = _complete_from(
    lambda home: (
        ("workspace", ""),
        *((f"crew:{crew.name}", crew.description) for crew in home.registry.list_crews()),
    )
)
complete_workspace = _complete_from(
    lambda home: ((each.name, each.description) for each in home.registry.list_workspaces())
)
