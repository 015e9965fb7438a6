"""``crewmem memories list``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.journal.filters import OneOrMore, cursor_of, required_words
from crewmem.cli.scope_choice import ScopeChoice
from crewmem.cli.typed import as_text, kinds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from crewmem.memories.held import Held
    from crewmem.memories.store import Filter, Memories

    Function = TypeVar("Function", bound=Callable[..., Any])

USUAL, MOST = 20, 200
"""Memories that are listed, and that are at most."""

STATUSES = ("active", "warm", "stale", "superseded", "archived", "quarantined")
"""As in memories/lifecycle.py, which is imported only when it is used."""

SENSITIVITIES = ("public", "internal", "restricted")


def list_options(function: Function) -> Function:
    """Add the options that say what is listed."""
    for add in reversed(OPTIONS):
        function = add(function)
    return function


OPTIONS = (
    option(
        "--kind", "kinds", type=OneOrMore(), metavar="KIND", help="Only of this kind."
    ),
    option(
        "--tag", "tags", type=OneOrMore(), metavar="TAG", help="Only with this tag."
    ),
    option(
        "--status",
        "statuses",
        type=OneOrMore((*STATUSES, "all")),
        metavar="STATUS",
        help="By default active, warm and stale; all is every one.",
    ),
    option(
        "--query", metavar="TEXT", callback=as_text, help="Only what holds these words."
    ),
    option(
        "-S",
        "--scope",
        type=ScopeChoice(),
        help="Only what agents, crews or the workspace hold.",
    ),
    option("--agent", metavar="SLUG", callback=as_text, help="Only of this agent."),
    option("--crew", metavar="NAME", callback=as_text, help="Only of this crew."),
    option("--since", metavar="TIME", help="Only what changed then or later."),
    option("--sensitivity", type=click.Choice(SENSITIVITIES), help="Only of this one."),
    option("--topic-key", metavar="KEY", callback=as_text, help="Only on this topic."),
    option("--project", metavar="NAME", callback=as_text, help="Only of this project."),
    option(
        "--min-importance",
        type=click.IntRange(1, 5),
        metavar="N",
        help="Only of this or more, 1 to 5.",
    ),
    option(
        "--include-restricted", is_flag=True, help="Also one's own restricted ones."
    ),
    option("--expired", is_flag=True, help="Also what has stopped to be so."),
    option(
        "--review",
        is_flag=True,
        help="Only what waits for a person: quarantined, or voted down.",
    ),
    option("--after", metavar="CURSOR", help="Go on where a listing ended."),
)


@verb
@list_options
@option("-l", "--limit", type=int, metavar="N", help="Most memories, 1 to 200.  [20]")
@pass_app
def list_command(app: App, *, limit: int | None, **chosen: Any) -> None:
    """List what is held to be true, latest change first.

    With --query every word has to be there, in the title, the text, a tag or an
    entity. What is forgotten or superseded is listed with --status. With --review it is
    what a person should look at, who restores it, forgets it, or purges it. What is
    pinned has its pin behind its status.
    """
    show_page(app, chosen, app.clamped("--limit", limit, USUAL, MOST))


def show_page(
    app: App, chosen: dict[str, Any], limit: int, *, is_shared: bool = False
) -> None:
    """Show the first *limit* memories that are *chosen*, after the cursor if any."""
    from crewmem.cli.held import memories_to_read
    from crewmem.memories.held import held

    cursor = cursor_of(chosen["after"])
    memories = memories_to_read(app)
    if memories is None:
        _show(app, None, [], None)
        return
    wanted = _filter(app, memories, chosen)._replace(is_shared=is_shared)
    found = memories.page(wanted, limit=limit, after=cursor)
    more = str(found.next) if found.next else None
    _show(app, memories, held(memories.db, found.memories, app.now), more)


def _filter(app: App, memories: Memories, chosen: dict[str, Any]) -> Filter:
    from crewmem.cli.held import view
    from crewmem.memories.store import Filter

    statuses = chosen["statuses"] or ()
    restricted = chosen["include_restricted"] or chosen["sensitivity"] == "restricted"
    return Filter(
        view=view(app, restricted=restricted),
        now=app.now,
        kinds=kinds_of(chosen["kinds"], "--kind"),
        tags=chosen["tags"] or (),
        statuses=STATUSES if "all" in statuses else statuses,
        scope=None if chosen["scope"] == "all" else chosen["scope"],
        agent=chosen["agent"],
        crew=chosen["crew"],
        sensitivity=chosen["sensitivity"],
        topic_key=chosen["topic_key"],
        project=chosen["project"],
        min_importance=chosen["min_importance"],
        since=app.instant("--since", chosen["since"]),
        words=required_words(app, memories.db, chosen["query"]),
        expired=chosen["expired"] or chosen["review"],
        is_for_review=chosen["review"],
    )


def _show(
    app: App, memories: Memories | None, listed: Sequence[Held], cursor: str | None
) -> None:
    from crewmem.cli.memories.shown import memories_table

    names = {}
    if memories and not app.out.is_json:
        from crewmem.ids import shortest

        ids = [each.memory.id for each in listed]
        names = shortest(ids, among=memories.beside(app.workspace, ids))
    app.out.listing(listed, memories_table(listed, names), cursor=cursor)
    if not listed:
        app.out.note("No memory fits.")
    if cursor:
        app.out.note(f"There is more: --after {cursor}")
