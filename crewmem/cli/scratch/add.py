"""``crewmem scratch add``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.scratch.sessions import session_option
from crewmem.cli.typed import of_option, read_text, words_argument
from crewmem.errors.values import BadMemoryError, BadTimeError


@verb
@words_argument("text", help="What to note; - reads it.")
@session_option
@option("--ttl", metavar="SPAN", default="24h", help="How long it is there.  [24h]")
@pass_app
def add_command(app: App, *, text: tuple[str, ...], session: str, ttl: str) -> None:
    """Note something for a session.

    Only who wrote it sees it, and after its time nobody does. What is worth more is
    kept with scratch digest, or with remember.
    """
    from crewmem import times
    from crewmem.cli.held import desk
    from crewmem.cli.scanner import scanner
    from crewmem.memories.scratch import add

    typed = " ".join(text)
    said = read_text(app).rstrip("\n") if typed == "-" else typed
    try:
        note = add(desk(app), session, said, times.span(ttl), scanner(app))
    except BadTimeError as error:
        raise click.UsageError(f"--ttl: {error}") from error
    except BadMemoryError as error:
        raise of_option(error) from error
    end = times.to_text(note.expires_at)
    app.out.record(note, [["Noted ", ("bold", note.id), f", until {end}."]])
