"""Making a plan that every file can take: what could not be written is not in it."""

from __future__ import annotations

from crewmem.consolidation.apply import write_items
from crewmem.consolidation.due import due, freed
from crewmem.consolidation.plan import every_target, plan
from crewmem.errors import CrewmemError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.consolidation.item import Dropped, Gathered, Item, Settled
    from crewmem.consolidation.means import Means
    from crewmem.consolidation.plan import File, Placed, Plan
    from crewmem.consolidation.sighting import Sighting


class Sorted(NamedTuple):
    """What was gathered, looked at once more.

    Attributes:
        items: What may be kept.
        known: Ids of items that were kept once. Where one is gone from its file,
            somebody took it out.
        refused: Ids of items that the scanner refuses.
        dropped: Why.
    """

    items: tuple[Item, ...]
    known: tuple[str, ...]
    refused: tuple[str, ...]
    dropped: tuple[Dropped, ...]


def planned(
    means: Means, crew: str, gathered: Gathered, found: Sorted, *, is_auto: bool
) -> tuple[Plan, dict[str, File], list[str]]:
    """Return the plan, its files, and why old notes stay where they are.

    Notes that only wait for what is applied with it are put away with it.
    """
    archives, stay = due(means, crew, gathered.settled)
    made, files = _placed(means, found.items, archives)
    if is_auto:
        made, files = _seen(means, gathered.seen, made, files)
    if is_auto and made.placed:
        kept = {each.item.id for each in made.placed} | {*found.known}
        more, why = due(means, crew, freed(means, gathered, kept))
        made = made._replace(archives=(*archives, *more))
        stay += why
    return made, files, stay


def _seen(
    means: Means, seen: Sequence[Sighting], made: Plan, files: dict[str, File]
) -> tuple[Plan, dict[str, File]]:
    """Return the plan with what was *seen* again, as far as its files can be written.

    What cannot be is told the journal alone.
    """
    files = files | means.files({each.ref for each in seen} - files.keys())
    fits: list[Sighting] = []
    for ref in dict.fromkeys(each.ref for each in seen):
        here = [each for each in seen if each.ref == ref]
        placed = _at(made, ref)
        if not files[ref].trouble and not _trouble(means, ref, placed, here):
            fits += here
    return made._replace(seen=tuple(fits)), files


def _placed(
    means: Means, items: Sequence[Item], archives: Sequence[Settled]
) -> tuple[Plan, dict[str, File]]:
    """Return the plan, every edit of which could be written now, and its files."""
    files = means.files(every_target(items, means.today))
    while True:
        made = plan(items, files, archives, means.today)
        troubles = {
            ref: trouble
            for ref in dict.fromkeys(each.ref for each in made.placed)
            if (trouble := _trouble(means, ref, _at(made, ref)))
        }
        if not troubles:
            return made, files
        for ref, trouble in troubles.items():
            files[ref] = files[ref]._replace(trouble=trouble)


def _at(made: Plan, ref: str) -> list[Placed]:
    return [each for each in made.placed if each.ref == ref]


def _trouble(
    means: Means, ref: str, placed: Sequence[Placed], seen: Sequence[Sighting] = ()
) -> str:
    """Return why the file *ref* could not be written as planned, else ""."""
    try:
        write_items(means, ref, placed, seen, dry_run=True)
    except CrewmemError as error:
        return str(error)
    return ""
