"""What waits to be embedded, found by reading a few numbers."""

from __future__ import annotations

from typing import NamedTuple

from crewmem.episodes.spaces import Model, links_of, space_of
from crewmem.scope import Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from crewmem.episodes.stores import Stores


class Backlog(NamedTuple):
    """What waits in one workspace.

    Attributes:
        waiting: Episodes that have no vector yet, those that failed among them.
        failed: Episodes that could not be embedded so far.
        is_due: Whether a sweep has something to do now.
    """

    waiting: int
    failed: int
    is_due: bool


def backlog(
    stores: Stores, workspace: str, model: Model | None, now: datetime
) -> Backlog:
    """Return what waits in *workspace* for vectors of *model*, if any were made yet."""
    owners = stores.episodes.owners(Reach(workspace))
    if model is None:
        count = stores.episodes.count(owners)
        return Backlog(count, 0, bool(count))
    space = space_of(workspace, model.name, model.dim)
    mark = stores.vectors.mark(space)
    failures = stores.vectors.failures(space)
    now_ms = int(now.timestamp() * 1000)
    behind = stores.episodes.count_after(mark, owners)
    is_due = (
        bool(behind)
        or any(each.due_ms <= now_ms for each in failures)
        or stores.vectors.mark(links_of(space)) < mark
    )
    return Backlog(behind + len(failures), len(failures), is_due)
