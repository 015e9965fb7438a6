"""``crewmem memories correct``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import (
    as_text,
    id_argument,
    of_option,
    read_text,
    words_argument,
)
from crewmem.errors.values import BadMemoryError


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
    from crewmem.cli.reasons import reason_of
    from crewmem.cli.scanner import scanner
    from crewmem.journal.tokenizer import tokenizer
    from crewmem.memories.correct import correct

    typed = " ".join(text)
    if typed == reason == "-":
        raise click.UsageError("Standard input can be read once.")
    if not (why := reason_of(app, reason)):
        raise click.UsageError("--reason says nothing.")
    memory = named(app, id)
    try:
        done = correct(
            desk(app, restricted=True),
            memory,
            read_text(app).rstrip("\n") if typed == "-" else typed,
            reason=why,
            scan=scanner(app),
            tokenize=tokenizer(app.truth),
        )
    except BadMemoryError as error:
        raise of_option(error) from error
    tell(app, done, f"took the place of {memory.id}", done.by or memory)
