"""``crewmem memories correct``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text, id_argument, read_text, words_argument


@verb
@id_argument
@words_argument("text", help="What is so instead; - reads it.")
@option("--reason", metavar="TEXT", required=True, callback=as_text, help="Why.")
@pass_app
def correct_command(app: App, *, id: str, text: tuple[str, ...], reason: str) -> None:
    """Say what is so in the place of a memory.

    A new memory of its kind, tags and topic takes its place; the old one says what
    superseded it, and stays in its history.
    """
    from crewmem.cli.held import desk, named
    from crewmem.cli.memories.withheld import tell
    from crewmem.cli.scanner import scanner
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.correct import correct

    if not reason.strip():
        raise click.UsageError("--reason says nothing.")
    typed = " ".join(text)
    memory = named(app, id)
    done = correct(
        desk(app, restricted=True),
        memory,
        read_text(app).rstrip("\n") if typed == "-" else typed,
        reason=reason,
        scan=scanner(app),
        tokenize=tokenizer(app.truth),
    )
    tell(app, done, f"took the place of {memory.id}", done.by or memory)
