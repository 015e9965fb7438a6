"""``crewmem recover``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, option
from crewmem.cli.hooks import Hooked, deadline_option, hook_option
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
@hook_option
@deadline_option
@option(
    "-l",
    "--limit",
    type=int,
    metavar="N",
    help="With log: most losses, 1 to 1000.  [20]",
)
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
