"""``crewmem journal add``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.journal.filters import PRIORITIES, SEVERITIES
from crewmem.cli.typed import as_text, json_object, read_text, words_argument
from crewmem.errors.registry import OutOfScopeError
from crewmem.errors.values import BadEntryError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crewmem.journal.entry import Draft, Entry

ACTOR_TYPES = ("agent", "user", "system", "keeper", "sidecar", "orchestrator")
"""As in journal/entry.py; a test compares."""


class Who(NamedTuple):
    """Whose an entry is, and who did what it tells of."""

    crew: str | None
    agent: str | None
    actor_type: str
    actor_id: str | None


@verb
@argument("type", metavar="TYPE", callback=as_text, help="As memory.updated.")
@words_argument("summary", help="What happened; - reads it.")
@option(
    "--severity", type=click.Choice(SEVERITIES), default="info", help="How bad.  [info]"
)
@option(
    "--priority",
    type=click.Choice(PRIORITIES),
    default="normal",
    help="How much it matters later.  [normal]",
)
@option(
    "--payload",
    metavar="JSON",
    callback=as_text,
    help="More of it, a JSON object; - reads it.",
)
@option(
    "--refs",
    metavar="JSON",
    callback=as_text,
    help="What it refers to, a JSON object; - reads it.",
)
@option("--crew", metavar="NAME", callback=as_text, help="Crew that it belongs to.")
@option("--agent", metavar="SLUG", callback=as_text, help="Agent that it belongs to.")
@option("--mission", metavar="ID", callback=as_text, help="Mission that it is part of.")
@option("--trace", metavar="ID", callback=as_text, help="Session that it is part of.")
@option("--span", metavar="ID", callback=as_text, help="Step of the session.")
@option("--ts", metavar="TIME", help="When it happened; by default now.")
@option("--expires", metavar="TIME", help="When it stops to matter.")
@option(
    "--actor-type",
    type=click.Choice(ACTOR_TYPES),
    help="What did it; by default what you act as.",
)
@option("--actor-id", metavar="NAME", callback=as_text, help="Who did it.")
@option("--embed", is_flag=True, help="Embed it at once, if recall is to find it.")
@pass_app
def add_command(app: App, **given: Any) -> None:
    """Add an entry to the journal.

    It is of the agent that adds it, in its home crew; an operator says whose it is.
    Types are dotted lower-case names; any will do. What recall should find may be
    tagged with --refs '{"episodic": true}'.
    """
    from crewmem.journal.entry import require_valid
    from crewmem.journal.written import written

    who = _who(app, given)
    draft = _draft(app, given, who)
    try:
        require_valid(draft)
        made = written(draft, app.workspace, "", app.now)  # before anything else is
        (entry,) = app.journal.append(app.workspace, [draft], now=app.now)
    except BadEntryError as error:
        raise click.UsageError(str(error)) from error
    _warn(app, draft)
    if made.is_cut:
        from crewmem.cli.journal.shown import CUT

        app.out.warn(CUT)
    if given["embed"]:
        _embed(app, entry)
    app.out.record(entry, [["Added ", ("bold", entry.id), f", {entry.entry_type}."]])


def _draft(app: App, given: dict[str, Any], who: Who) -> Draft:
    from crewmem.journal.entry import Draft

    if [given["payload"], given["refs"], " ".join(given["summary"])].count("-") > 1:
        raise click.UsageError("Standard input can be read once.")
    return Draft(
        entry_type=given["type"],
        summary=_text(app, " ".join(given["summary"])),
        crew_id=who.crew,
        agent_id=who.agent,
        mission_id=given["mission"],
        ts=app.instant("--ts", given["ts"]),
        severity=given["severity"],
        priority=given["priority"],
        actor_type=who.actor_type,
        actor_id=who.actor_id,
        payload=json_object(app, "--payload", given["payload"]),
        refs=json_object(app, "--refs", given["refs"]),
        trace_id=given["trace"],
        span_id=given["span"],
        expires_at=app.instant("--expires", given["expires"]),
    )


def _text(app: App, typed: str) -> str:
    return read_text(app).strip() if typed == "-" else typed


def _who(app: App, given: dict[str, Any]) -> Who:
    """Decide whose the entry is.

    Raises:
        OutOfScopeError: If an agent would write as somebody else, or elsewhere.
    """
    kind, name = given["actor_type"], given["actor_id"]
    if app.actor.is_operator:
        crew = given["crew"] or _home_crew(app, given["agent"])
        own = kind is None and name is None
        return Who(
            crew,
            given["agent"],
            kind or "user",
            app.actor.name if own else name,
        )
    slug = app.actor.name
    if (given["agent"] or slug, kind or "agent", name or slug) != (slug, "agent", slug):
        rule = "agents and leads write as themselves"
        raise OutOfScopeError(str(app.actor), "write as somebody else", rule)
    crew = given["crew"] or app.sight.crew
    if crew and app.sight.crews is not None and crew not in app.sight.crews:
        rule = "agents and leads write in their crews"
        raise OutOfScopeError(str(app.actor), f"write in crew {crew}", rule)
    return Who(crew, slug, "agent", slug)


def _home_crew(app: App, agent: str | None) -> str | None:
    """Return the crew that *agent* is at home in, if it is registered."""
    if agent is None or not (app.home.is_dir() and app.truth_to_read):
        return None
    from crewmem.registry.crews_store import crews_of

    crews = crews_of(app.truth_to_read, app.workspace, agent)
    if not crews:
        app.out.warn(
            f"there is no agent {agent!r} here; the entry names it all the same"
        )
    return crews[0] if crews else None


def _embed(app: App, entry: Entry) -> None:
    """Embed *entry*, rather than leave it to the next sweep."""
    from crewmem.cli.embedding.now import embed_now
    from crewmem.cli.remembered import stores

    opened = stores(app)
    if opened.episodes.owner_of([entry.seq]):
        embed_now(app, opened, [entry.seq], asked=True)
    else:
        app.out.warn(
            f"not embedded: {entry.entry_type} is not selected for recall "
            f"(crewmem episodes add {entry.id})"
        )


def _warn(app: App, draft: Draft) -> None:
    """Say of a tag that it does nothing, on what is never recalled."""
    from crewmem.episodes.selection import is_never, is_tagged

    if is_never(draft.entry_type) and is_tagged(draft.payload, draft.refs):
        app.out.warn(
            f"{draft.entry_type} is not recalled, tagged or not; "
            "episodes add takes the one entry"
        )
