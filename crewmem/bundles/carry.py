"""Doing what was planned: memory files by the one path that writes them, then history.

Everything is keyed, and each file is whole or as it was: whoever is interrupted runs
it again and comes to the same.
"""

from __future__ import annotations

from crewmem import disk
from crewmem.bundles.plan import (
    APPEND,
    FAILED,
    PLANNED,
    REJECTED,
    UNCHANGED,
    WRITTEN,
)
from crewmem.errors import BusyError, ConflictError, CrewmemError, DataError
from crewmem.errors.disk import PathMissingError
from crewmem.errors.files import WriteRejectedError
from crewmem.files.change import exact, joined
from crewmem.files.draft import drafted, require_fits
from crewmem.files.folders import open_place
from crewmem.files.write import index, require_may, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from crewmem.bundles.plan import Planned
    from crewmem.files.change import Change
    from crewmem.files.place import Place
    from crewmem.files.target import Target
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
    home: Path,
    *,
    restored: Collection[str] = (),
    tell: Tell | None = None,
) -> list[Planned]:
    """Do what was *planned*; return the same with what came of each.

    Args:
        planned: What to do.
        means: What files are written with.
        home: Where directories are made that are missing.
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
            _make(each, how, home)
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


def _make(planned: Planned, means: Means, home: Path) -> None:
    """Make the directory that is missing, for an operator alone."""
    if not means.sight.actor.is_operator or planned.target is None:
        return
    path = planned.target.place.path
    if not path.is_dir():
        with disk.open_root(home) as root:
            disk.make_dirs(root, path.relative_to(home).as_posix())


def _tried(planned: Planned, means: Means, *, dry_run: bool = False) -> Planned:
    target, document = planned.target, planned.document
    if target is None or document is None:
        return planned
    is_append = planned.step.action == APPEND
    change = _added(document.content) if is_append else exact(document.content)
    try:
        if dry_run and not _is_there(target):
            _foresee(target, change, means)
            return planned
        written = write(
            target,
            change,
            means,
            operation=OPERATION,
            expect=planned.present,
            dry_run=dry_run,
        )
    except FAILURES as error:
        return planned.outcome(FAILED, str(error))
    except CrewmemError as error:
        return planned.outcome(REJECTED, str(error))
    if dry_run:
        return planned
    changed = planned.outcome(WRITTEN if written.changed else UNCHANGED)
    return changed._replace(step=changed.step._replace(version=written.version))


def _is_there(target: Target) -> bool:
    try:
        with open_place(target.place):
            return True
    except PathMissingError:
        return False


def _foresee(target: Target, change: Change, means: Means) -> None:
    """Refuse what a write would refuse in a directory that is not there yet."""
    require_may(target, means)
    draft = drafted(target, None, change(b""), means.scan, means.allow)
    if draft.blocking:
        raise WriteRejectedError(target.ref, draft.blocking, draft.rules, "")
    require_fits(target, draft, means.caps.files.get(target.tier), means.scan)


def _added(content: bytes) -> Change:
    text = content.decode("utf-8-sig", "surrogateescape")
    return lambda before: joined(before, text)
