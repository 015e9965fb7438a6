"""What waits to be embedded, found by reading a few numbers."""

from __future__ import annotations

from crewmem.episodes.anchor import is_foreign
from crewmem.episodes.spaces import Model, links_of, space_of
from crewmem.records import NamedTuple
from crewmem.scope import Reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from crewmem.episodes.store import Episodes
    from crewmem.vectors.space import Failure, Space
    from crewmem.vectors.store import VectorStore


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
    episodes: Episodes,
    vectors: VectorStore,
    workspace: str,
    model: Model | None,
    now: datetime,
    *,
    without: Collection[str] = (),
) -> Backlog:
    """Return what waits in *workspace* for vectors of *model*, if any were made yet.

    Args:
        without: Agents whose episodes do not wait for any.
    """
    owners = episodes.owners(Reach(workspace), without=without)
    if model is None:
        count = episodes.count(owners)
        return Backlog(count, 0, bool(count))
    if is_foreign(episodes, vectors.spaces(), workspace):
        return Backlog(episodes.count(owners), 0, is_due=True)
    space = space_of(workspace, model.name, model.dim)
    mark = vectors.mark(space)
    failures = failures_of(episodes, vectors, space, owners)
    now_ms = int(now.timestamp() * 1000)
    behind = episodes.count_after(mark, owners)
    is_due = (
        bool(behind)
        or any(each.is_due(now_ms) for each in failures)
        or vectors.mark(links_of(space)) < mark
    )
    tried = sum(each.tries > 0 for each in failures)
    return Backlog(lacking(behind, failures, mark), tried, is_due)


def failures_of(
    episodes: Episodes, vectors: VectorStore, space: Space, owners: Collection[int]
) -> list[Failure]:
    """Return what of the episodes of *owners* could not be embedded."""
    failures = vectors.failures(space)
    owner_of = episodes.owner_of([each.key for each in failures])
    return [each for each in failures if owner_of.get(each.key) in owners]


def lacking(behind: int, failures: Iterable[Failure], mark: int) -> int:
    """Return how many episodes have no vector: those *behind* the mark, and failures.

    A failure behind the *mark* as well is of an entry that was to be embedded at once.
    """
    return behind + sum(each.key <= mark for each in failures)
