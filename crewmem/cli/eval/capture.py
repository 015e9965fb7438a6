"""``crewmem eval capture``."""

from __future__ import annotations

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import option, verb
from crewmem.cli.typed import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.evaluation.capturing import Captured

SINCE = "30d"
"""As long as recalls are kept."""


@verb
@option("--since", metavar="TIME", help="Only what was asked then or later.  [30d]")
@option(
    "--into",
    metavar="FILE",
    callback=as_text,
    help="Add the cases to this file; those in it are left alone.",
)
@pass_app
def capture_command(app: App, *, since: str | None, into: str | None) -> None:
    """Make cases of a suite out of what was really asked.

    A question of which something was laid before a model is a case, once it is known
    what of that was good: memories that votes confirm or that were read whole, and what
    entries of the journal refer to, answer it; where votes contradict all that was laid
    out, nothing should have been. A question that was asked again is one case.

    The cases are printed as lines of JSON, or added to FILE. Look at them: a suite is
    as good as its cases. For operators.
    """
    from crewmem.cli.evaluating.capturing import add, cases
    from crewmem.scope import require_operator

    require_operator(app.actor, "look into what was asked")
    found = cases(app, app.instant("--since", since or SINCE) or app.now)
    if into is None:
        app.out.listing_lines(found, _lines(found))
        if not found:
            app.out.note("Nothing that was asked is known to be answered yet.")
        return
    added = add(app, into, found)
    app.out.listing_lines(added, [f"{len(added):,} cases added to {into}"])


def _lines(found: Sequence[Captured]) -> list[str]:
    from crewmem.encode import encoded

    return [encoded(each) for each in found]
