"""``crewmem remember``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import (
    as_text,
    json_object,
    labels,
    of_option,
    read_text,
    words_argument,
)
from crewmem.errors.values import BadMemoryError, BadTimeError, UnknownKindError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from crewmem.memories.draft import Draft
    from crewmem.memories.memory import Owner
    from crewmem.memories.remember import Remembered

SENSITIVITIES = ("public", "internal", "restricted")
"""As in memories/memory.py, which is imported only when it is used; a test compares."""

EXISTS = ("skip", "error", "update")


@verb
@words_argument("text", help="What is so; - reads it.")
@option("--kind", metavar="KIND", default="fact", help="What kind it is.  [fact]")
@option(
    "--title", metavar="TEXT", callback=as_text, help="By default the first clause."
)
@option("--importance", type=int, metavar="N", help="From 1 to 5.  [3]")
@option("--priority", type=int, metavar="N", help="The same as other tools: 1 to 10.")
@option("--confidence", type=float, metavar="N", help="From 0 to 1.  [0.5]")
@option(
    "--sensitivity",
    type=click.Choice(SENSITIVITIES),
    help="A restricted one is for its owner alone.  [internal]",
)
@option("--tags", metavar="A,B", callback=as_text, help="Labels, with commas.")
@option("--entities", metavar="A,B", callback=as_text, help="Names that it is about.")
@option(
    "--topic-key",
    metavar="KEY",
    callback=as_text,
    help="What it is the latest word on: what was said of it before is replaced.",
)
@option("--expires", metavar="TIME", help="When it stops to be so, or a span from now.")
@option("--occurred", metavar="TIME", help="When it happened.")
@option("--session", metavar="ID", callback=as_text, help="Session it was learned in.")
@option("--project", metavar="NAME", callback=as_text, help="Project it is about.")
@option("--issue", metavar="NAME", callback=as_text, help="Issue it is about.")
@option("--metadata", metavar="JSON", callback=as_text, help="More, a JSON object.")
@option(
    "-S",
    "--scope",
    type=click.Choice(["agent", "crew", "workspace"]),
    help="Whose it is; by default the agent's, of an operator the workspace's.",
)
@option("--agent", metavar="SLUG", callback=as_text, help="Agent whose it is.")
@option("--crew", metavar="NAME", callback=as_text, help="Crew whose it is.")
@option(
    "--if-exists",
    type=click.Choice(EXISTS),
    default="skip",
    help="What to do if that is held already.  [skip]",
)
@pass_app
def remember_command(app: App, **given: Any) -> None:
    """Hold something to be true.

    The same again, of the same owner, is not written twice: the id of what is there
    is the answer. What says nearly the same is linked and told, never merged. With
    --topic-key there is one memory of that key: it says the new, keeps its id and its
    votes, and what it said before stays in its history.

    Kinds are fact, decision, preference, lesson, correction, pattern, action_item,
    error, workflow, context, summary, feedback and meeting; words of other tools, as
    todo, are taken for the nearest.

    What looks like an attack or a secret is quarantined for a person to look at, with
    its secrets taken out; that ends with 8.
    """
    from crewmem.cli.embedding.now import embed_memory_now
    from crewmem.cli.held import desk
    from crewmem.cli.scanner import scanner
    from crewmem.errors.memories import QuarantinedError
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.draft import require_valid
    from crewmem.memories.remember import remember

    try:
        draft = _draft(app, given)
        require_valid(draft)  # before anything is made
        done = remember(
            desk(app, restricted=True),
            draft,
            scan=scanner(app),
            tokenize=tokenizer(app.truth),
            if_exists=given["if_exists"],
        )
    except (BadMemoryError, UnknownKindError) as error:
        raise of_option(error) from error
    if done.action == "quarantined":
        raise QuarantinedError(done.memory.id, done.rules)
    if done.action != "unchanged":
        embed_memory_now(app, done.memory.seq)
    _tell(app, done)


def _tell(app: App, done: Remembered) -> None:
    from crewmem.cli.memories.shown import changed_line

    for rule in done.rules:
        app.out.warn(f"it looks like {rule}; it was kept all the same")
    said = {"created": "remembered", "updated": "rewritten", "unchanged": "known"}
    lines = [changed_line(done.memory, said[done.action])]
    lines += [
        ["  much like ", ("bold", each.id), f": {each.title} ({each.similarity:.2f})"]
        for each in done.similar
    ]
    app.out.record(done, lines)


def _draft(app: App, given: dict[str, Any]) -> Draft:
    from crewmem.memories.draft import Draft, importance_of
    from crewmem.memories.kinds import kind_of

    text = " ".join(given["text"])
    if text == "-" and given["metadata"] == "-":
        raise click.UsageError("Standard input can be read once.")
    if given["importance"] is not None and given["priority"] is not None:
        raise click.UsageError("--importance and --priority say the same: name one.")
    importance = given["importance"]
    if given["priority"] is not None:
        importance = importance_of(given["priority"])
    kind, subtype = kind_of(given["kind"])
    return Draft(
        read_text(app).rstrip("\n") if text == "-" else text,
        _owner(app, given),
        kind=kind,
        subtype=subtype,
        title=given["title"] or "",
        importance=3 if importance is None else importance,
        confidence=0.5 if given["confidence"] is None else given["confidence"],
        sensitivity=given["sensitivity"],
        tags=labels(given["tags"]),
        entities=labels(given["entities"]),
        topic_key=given["topic_key"],
        metadata=json_object(app, "--metadata", given["metadata"]),
        occurred_at=app.instant("--occurred", given["occurred"]),
        expires_at=_end(app, given["expires"]),
        session=given["session"] or None,
        project=given["project"] or None,
        issue=given["issue"] or None,
    )


def _end(app: App, text: str | None) -> datetime | None:
    """Read when something ends: of a span, so long from now on."""
    if text is None:
        return None
    from crewmem import times

    try:
        end = app.now + times.span(text)
    except OverflowError as error:
        message = f"--expires: {text!r} is not {times.A_YEAR}."
        raise click.UsageError(message) from error
    except BadTimeError:
        end = _instant(app, text)
    if end <= app.now:
        raise click.UsageError(f"--expires: {text!r} is over already.")
    return end


def _instant(app: App, text: str) -> datetime:
    from crewmem import times

    try:
        return times.read(text, now=app.now, zone=app.zone)
    except BadTimeError as error:
        wanted = error.wanted.replace("back from now", "from now on")
        message = f"--expires: {text[:80]!r} is not {wanted}."
        raise click.UsageError(message) from error


def _owner(app: App, given: dict[str, Any]) -> Owner:
    """Decide whose the memory is to be."""
    from crewmem.memories.memory import Owner

    agent, crew, scope = given["agent"], given["crew"], given["scope"]
    for option_of, name in (("--agent", agent), ("--crew", crew)):
        if name == "":  # of a variable that is not set: not to be told to all
            raise click.UsageError(f"{option_of} names nobody: it is empty.")
    if agent and crew:
        raise click.UsageError("A memory is an agent's or a crew's: name one.")
    own = None if app.actor.is_operator else app.actor.name
    scope = scope or ("agent" if agent else "crew" if crew else None)
    scope = scope or ("agent" if own else "workspace")
    if scope == "workspace":
        if agent or crew:
            raise click.UsageError("--scope workspace is nobody's: name no owner.")
        return Owner("workspace")
    if scope == "crew":
        named = crew or (app.sight.crew if own else None)
        if agent or not named:
            raise click.UsageError("Name the crew whose it is: --crew NAME.")
        _require_crew(app, named)
        return Owner("crew", crew=named)
    if crew or not (agent or own):
        raise click.UsageError("Name the agent whose it is: --agent SLUG.")
    slug = agent or own or ""
    _require_agent(app, slug)
    return Owner("agent", agent=slug)


def _require_agent(app: App, slug: str) -> None:
    from crewmem.errors.registry import AgentMissingError
    from crewmem.registry.crews_store import crews_of

    db = app.truth_to_read if app.home.is_dir() else None
    if db is None or not crews_of(db, app.workspace, slug):
        raise AgentMissingError(slug, app.workspace)


def _require_crew(app: App, name: str) -> None:
    registry = app.registry_to_read if app.home.is_dir() else None
    if registry is None:
        from crewmem.errors.registry import CrewMissingError

        raise CrewMissingError(name, app.workspace)
    registry.crew(app.workspace, name)
