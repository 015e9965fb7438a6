"""Doing what was planned: memory files by the one path that writes them, then history.

Everything is keyed, and each file is whole or as it was: whoever is interrupted runs
it again and comes to the same.
"""

from __future__ import annotations

from crewmem.bundles.plan import (
    APPEND,
    FAILED,
    PLANNED,
    REJECTED,
    UNCHANGED,
    WRITTEN,
)
from crewmem.errors import BusyError, ConflictError, CrewmemError, DataError
from crewmem.errors.files import FileChangedError
from crewmem.files.change import exact, joined
from crewmem.files.write import index, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from crewmem.bundles.plan import Planned
    from crewmem.files.change import Change
    from crewmem.files.place import Place
    from crewmem.files.written import Means

    Tell = Callable[[int, int], None]

OPERATION = "import"

FAILURES = (DataError, BusyError, ConflictError)
"""What is nobody's decision: the same import may succeed later."""


def foresee(
    planned: Iterable[Planned], means: Means, *, restored: Collection[str] = ()
) -> Iterator[Planned]:
    """Yield *planned*, where what would be refused is rejected; nothing is written."""
    for each in planned:
        how = restoring(means) if each.step.ref in restored else means
        is_open = each.step.outcome == PLANNED
        yield _tried(each, how, dry_run=True) if is_open else each


def carry(
    planned: list[Planned],
    means: Means,
    *,
    restored: Collection[str] = (),
    tell: Tell | None = None,
) -> list[Planned]:
    """Do what was *planned*; return the same with what came of each.

    Args:
        planned: What to do.
        means: What files are written with.
        restored: Files whose history comes along and ends with what is written: they
            get no version of the import.
        tell: Is told how many are done.
    """
    done: list[Planned] = []
    written: dict[Place, None] = {}
    without_index = means._replace(indexes=False)
    for number, each in enumerate(planned, 1):
        if each.step.outcome == PLANNED:
            is_restored = each.step.ref in restored
            how = restoring(without_index) if is_restored else without_index
            done.append(_tried(each, how))
            if each.target and done[-1].step.outcome == WRITTEN:
                written[each.target.place] = None
        else:
            done.append(each)
        if tell:
            tell(number, len(planned))
    for place in written:
        index(place, means)  # what fails, the next search brings in
    return done


def restoring(means: Means) -> Means:
    """Return *means* for a file whose history comes along: as it was, whoever it is."""
    return means._replace(history=None, off=frozenset())


def _tried(planned: Planned, means: Means, *, dry_run: bool = False) -> Planned:
    target, document = planned.target, planned.document
    if target is None or document is None:
        return planned
    is_append = planned.step.action == APPEND
    change = _added(document.content) if is_append else exact(document.content)
    try:
        written = write(
            target,
            change,
            means,
            operation=OPERATION,
            expect=planned.present,
            dry_run=dry_run,
        )
    except CrewmemError as error:
        return _not_written(planned, error)
    if dry_run:
        return planned
    changed = planned.outcome(WRITTEN if written.changed else UNCHANGED)
    return changed._replace(step=changed.step._replace(version=written.version))


def _not_written(planned: Planned, error: CrewmemError) -> Planned:
    """Return *planned* with what *error* says came of it.

    Where another import of the same was quicker, the file is what it was to be.
    """
    is_done = (
        isinstance(error, FileChangedError)
        and planned.step.action != APPEND
        and error.sha256 == planned.step.sha256
    )
    if is_done:
        return planned.outcome(UNCHANGED)
    outcome = FAILED if isinstance(error, FAILURES) else REJECTED
    return planned.outcome(outcome, str(error))


def _added(content: bytes) -> Change:
    text = content.decode("utf-8-sig", "surrogateescape")
    return lambda before: joined(before, text)
