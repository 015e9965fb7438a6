"""``crewmem knowledge promote``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_words, id_argument


@verb
@id_argument
@option(
    "--to",
    "targets",
    metavar="WHOM",
    multiple=True,
    required=True,
    callback=as_words,
    help="With crew:NAME or workspace; may be given again.",
)
@option(
    "--sensitivity",
    type=click.Choice(["public", "internal"]),
    help="What it is to be for them; of a restricted memory it has to be said.",
)
@pass_app
def promote_command(
    app: App, *, id: str, targets: tuple[str, ...], sensitivity: str | None
) -> None:
    """Share a memory with a crew, or with the workspace.

    The memory stays as it is; what is shared says where it is from.
    """
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import told_shared
    from crewmem.cli.scanner import scanner
    from crewmem.cli.sharing import owner_of, policies, shared_lines
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.knowledge.share import promoted, share
    from crewmem.memories.view import require_writable

    owners = [owner_of(each) for each in dict.fromkeys(targets)]
    memory = named(app, id)
    opened = desk(app, restricted=True)
    require_writable(app.actor, opened.view, memory.owner)
    drafts = [promoted(memory, owner, sensitivity) for owner in owners]
    done = share(
        opened,
        drafts,
        policies(app, owners),
        scan=scanner(app),
        tokenize=tokenizer(app.truth),
        source=memory,
    )
    shown = told_shared(app, done, memory)
    app.out.listing_lines(shown, shared_lines(shown))
