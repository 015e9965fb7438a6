"""How proposals are shown to a person."""

from __future__ import annotations

from crewmem import times
from crewmem.cli.output import Table
from crewmem.proposals.proposal import OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.memories.store import Memories
    from crewmem.memories.view import View
    from crewmem.proposals.proposal import Proposal


def named(app: App, name: str) -> tuple[Memories, View, Proposal]:
    """Return the proposal that *name* names, and with what and as whom it is seen.

    Raises:
        ProposalMissingError: If there is none that the actor may see.
        ProposalAmbiguousError: If there are several.
    """
    from crewmem.cli.held import memories_to_read, view
    from crewmem.errors.proposals import ProposalMissingError
    from crewmem.proposals.store import Proposals

    memories = memories_to_read(app)
    if memories is None:
        raise ProposalMissingError(name, app.workspace)
    told = view(app)
    return memories, told, Proposals(memories.db).find(name, told, app.actor)


ID_MOST, ID_SHOWN = 20, 16
"""Characters of an id that is shown whole, and of a longer one."""


def status_of(each: Proposal) -> str:
    """Return the status of a proposal: approving, where that has begun."""
    is_begun = each.status == OPEN and each.body.get("claim")
    return "approving" if is_begun else each.status


def short(name: str) -> str:
    """Return an id, of a long one its beginning."""
    return name if len(name) <= ID_MOST else f"{name[:ID_SHOWN]}…"


def proposals_table(listed: Sequence[Proposal]) -> Table:
    """Return a row for each proposal."""
    return Table(
        ("ID", "KIND", "FOR", "STATUS", "BY", "MADE", "TITLE"),
        [
            (
                each.id,
                each.kind,
                each.crew or each.scope,
                status_of(each),
                each.created_by,
                times.to_text(each.created_at)[:10],
                each.title,
            )
            for each in listed
        ],
    )


def proposal_lines(each: Proposal, now: datetime) -> Iterator[Line]:
    """Yield everything that there is to know of a proposal."""
    yield [("bold", each.id), f"  [{each.kind}] {each.title}"]
    yield from (f"  {line}" for line in str(each.body.get("content", "")).splitlines())
    made = f"{times.ago(each.created_at, now)} by {each.created_by}"
    facts = {
        "for": f"crew {each.crew}" if each.crew else each.scope,
        "rests on": ", ".join(map(short, each.evidence)) or None,
        "made": made,
        "status": status_of(each),
        "decided": f"by {each.decided_by}" if each.decided_by else None,
        "because": each.reason or None,
        "outcome": each.outcome,
    }
    for name, value in facts.items():
        if value is not None:
            yield [("dim", f"  {name:9}"), f" {value}"]
