"""``crewmem recover``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option
from crewmem.cli.hooks import PROGRAMS, Hooked
from crewmem.cli.typed import Number, as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST = 60.0
"""Seconds of a deadline at most."""

TOKENS_MOST = 100_000

LOG = "log"


@click.command(cls=Hooked)
@argument(
    "what",
    required=False,
    type=click.Choice([LOG]),
    metavar="[log]",
    help="With log, list when context was lost, and what was given back.",
)
@option(
    "--agent", metavar="SLUG", callback=as_text, help="Agent that lost its context."
)
@option("--session", metavar="ID", callback=as_text, help="Session that it was in.")
@option(
    "--max-tokens",
    type=click.IntRange(1, TOKENS_MOST),
    metavar="N",
    help="Most tokens of the block.  [2000]",
)
@option(
    "--hook",
    type=click.Choice(PROGRAMS),
    help="Print what a hook of this program answers; always end with 0.",
)
@option(
    "--deadline",
    type=Number(0, LONGEST, min_open=True),
    metavar="SECONDS",
    help="With --hook, print nothing rather than be later.  [2]",
)
@option("-l", "--limit", type=int, metavar="N", help="Losses of the log.  [20]")
@pass_app
def recover_command(app: App, *, what: str | None, **given: Any) -> None:
    """Lay before an agent that lost its context what it was doing.

    Who it is, what was decided, learned and worked on in the last day, its notes of the
    session, what other agents were corrected for in the like, and the last five
    messages of the person. It is data, as all memory before a model: scanned, each on a
    line of its own, within its budget. What is given back is counted, and told by the
    journal as compaction.recovered; what cannot be, as compaction.failed.

    With --hook it is the command of the hook SessionStart, as crewmem recover --hook
    claude --agent SLUG: it answers where the session starts because it was compacted,
    with at most 1,800 bytes, and ends with 0 whatever is broken.
    """
    if what == LOG:
        from crewmem.cli.recovering.log import show_log

        show_log(app, given)
        return
    from crewmem.cli.recovering.run import run

    run(app, given)
