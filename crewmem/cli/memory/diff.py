"""``crewmem memory diff``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option, verb
from crewmem.cli.places import Chosen, place_options
from crewmem.cli.typed import file_argument


@verb
@file_argument
@argument("a", required=False, metavar="[A]", help="A version; by default the newest.")
@argument("b", required=False, metavar="[B]", help="By default the file as it stands.")
@option(
    "--context",
    type=click.IntRange(0, 1_000),
    metavar="N",
    default=3,
    help="Lines around.  [3]",
)
@option("--raw", is_flag=True, help="Show what is there, whatever is in it.")
@option("--exit-code", is_flag=True, help="End with 1 when they differ.")
@place_options
@pass_app
def diff_command(
    app: App,
    *,
    file: str,
    a: str | None,
    b: str | None,
    context: int,
    raw: bool,
    exit_code: bool,
    chosen: Chosen,
) -> None:
    """Show how two versions of a memory file differ.

    With no version named it is what changed in the file since its newest version, with
    one what changed since that one, and with two what changed from the one to the
    other. A and B are named as memory show takes them. It is a unified diff, in
    colours on a terminal. Hidden instructions and secrets are not shown, unless with
    --raw.
    """
    from crewmem.cli.memory.differing import (
        difference,
        show_difference,
        standing,
        versioned,
    )
    from crewmem.cli.memory.versions import subject

    it = subject(app, chosen, file)
    one = versioned(app, it, it.version(a), raw=raw)
    if b:
        other = versioned(app, it, it.version(b), raw=raw)
    else:
        other = standing(app, it, raw=raw)
    for side in (one, other):
        if side.version and side.version.is_redacted:
            app.out.warn(
                f"{side.version.id} was kept without the secrets that the file held"
            )
    found = difference(it.ref, one, other, context=context)
    show_difference(app, found, one, other)
    app.conclude(ok=not (exit_code and found.differs))
