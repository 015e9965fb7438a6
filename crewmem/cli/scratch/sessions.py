"""The sessions that notes are of."""

from __future__ import annotations

import click

from crewmem.cli.command import option

NAME_MOST = 200
"""Most characters of a session's name."""


def session_of(name: str) -> str:
    """Return *name*, if a session can be called that."""
    if not (name.strip() and name.isprintable() and len(name) <= NAME_MOST):
        raise click.UsageError(
            f"--session is a name in one line, of at most {NAME_MOST} characters."
        )
    return name


session_option = option(
    "--session",
    metavar="ID",
    required=True,
    callback=lambda _, __, name: session_of(name),
    help="Of which session.",
)
