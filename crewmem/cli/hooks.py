"""Being called by an agent's program: whatever happens, it is not got in the way of.

Of what a hook ends with 2, the person's prompt is erased by one of these programs.
"""

from __future__ import annotations

from contextlib import suppress

import click

from crewmem.cli.command import Command, option
from crewmem.cli.typed import Number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROGRAMS = ("claude", "codex")
"""Programs whose hooks are known."""

LONGEST = 60.0
"""Seconds of a deadline at most."""

hook_option = option(
    "--hook",
    type=click.Choice(PROGRAMS),
    help="Print what a hook of this program answers; always end with 0.",
)

deadline_option = option(
    "--deadline",
    type=Number(0, LONGEST, min_open=True),
    metavar="SECONDS",
    help="With --hook, print nothing rather than be later.  [2]",
)


class Hooked(Command):
    """A command that ends with 0 for a hook, even if its command line is wrong."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the command line; for a hook only tell what is wrong with it."""
        typed = [*args]
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            if not is_for_hook(typed):
                raise
            world = parent.obj if parent else None
            with suppress(OSError, AttributeError):
                world.stderr.write(f"crewmem: {error.format_message()}\n")  # type: ignore[union-attr]
            raise click.exceptions.Exit(0) from error


def is_for_hook(words: list[str]) -> bool:
    """Tell whether *words* are of a hook, of a command line that may not parse."""
    if "--" in words:
        words = words[: words.index("--")]
    return any(word == "--hook" or word.startswith("--hook=") for word in words)
