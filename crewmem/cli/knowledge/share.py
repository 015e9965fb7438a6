"""``crewmem knowledge share``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import (
    as_text,
    as_words,
    labels,
    of_option,
    read_text,
    words_argument,
)
from crewmem.errors.values import BadMemoryError, UnknownKindError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from crewmem.memories.draft import Draft
    from crewmem.memories.memory import Owner


@verb
@words_argument("text", help="What the others should know; - reads it.")
@option(
    "-S",
    "--scope",
    type=click.Choice(["crew", "workspace"]),
    help="With a crew, or with all; by default the own crew.",
)
@option(
    "--crew",
    "crews",
    metavar="NAME",
    multiple=True,
    callback=as_words,
    help="With which crew; may be given again.",
)
@option("--kind", metavar="KIND", default="fact", help="What kind it is.  [fact]")
@option(
    "--title", metavar="TEXT", callback=as_text, help="By default the first clause."
)
@option("--importance", type=int, metavar="N", default=3, help="From 1 to 5.  [3]")
@option(
    "--confidence", type=float, metavar="N", default=0.7, help="From 0 to 1.  [0.7]"
)
@option("--tags", metavar="A,B", callback=as_text, help="Labels, with commas.")
@option("--entities", metavar="A,B", callback=as_text, help="Names that it is about.")
@option("--topic-key", metavar="KEY", callback=as_text, help="The latest word on what.")
@pass_app
def share_command(app: App, **given: Any) -> None:
    """Tell a crew, or the whole workspace, what one knows.

    What a crew's policy lets pass is shared at once; else it waits for the lead or an
    operator: proposals approve. For several crews it is one memory each, linked.
    """
    from crewmem.cli.held import desk
    from crewmem.cli.scanner import scanner
    from crewmem.cli.sharing import policies, shared_lines
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.knowledge.share import share

    owners = _owners(app, given["scope"], given["crews"])
    try:
        drafts = _drafts(app, given, owners)
        allowed = policies(app, owners)
        done = share(
            desk(app),
            drafts,
            allowed,
            scan=scanner(app),
            tokenize=tokenizer(app.truth),
        )
    except (BadMemoryError, UnknownKindError) as error:
        raise of_option(error) from error
    app.out.listing_lines(done, shared_lines(done))


def _owners(app: App, scope: str | None, crews: tuple[str, ...]) -> list[Owner]:
    from crewmem.memories.memory import Owner

    if scope == "workspace":
        if crews:
            raise click.UsageError("--scope workspace is all crews: name none.")
        return [Owner("workspace")]
    if "" in crews:
        raise click.UsageError("--crew names nobody: it is empty.")
    named = list(dict.fromkeys(crews))
    if not named and app.actor.is_operator:
        raise click.UsageError("Name the crew to tell: --crew NAME.")
    return [Owner("crew", crew=name) for name in named or [app.sight.crew or ""]]


def _drafts(app: App, given: dict[str, Any], owners: list[Owner]) -> list[Draft]:
    from crewmem.memories.draft import Draft
    from crewmem.memories.kinds import kind_of
    from crewmem.memories.quality import START

    text = " ".join(given["text"])
    said = read_text(app).rstrip("\n") if text == "-" else text
    kind, subtype = kind_of(given["kind"])
    return [
        Draft(
            said,
            owner,
            kind=kind,
            subtype=subtype,
            title=given["title"] or "",
            importance=given["importance"],
            confidence=given["confidence"],
            base_quality=START,
            tags=labels(given["tags"]),
            entities=labels(given["entities"]),
            topic_key=given["topic_key"],
            origin="share",
        )
        for owner in owners
    ]
