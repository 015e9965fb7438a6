"""What is to be done to import a source: read whole, before anything is done.

It reads the source and what is here already, and changes neither.
"""

from __future__ import annotations

from crewmem.bundles import members
from crewmem.bundles.layouts import AUTO, detected, layout
from crewmem.bundles.manifest import (
    ARCHIVED,
    CONTENTS,
    ENTRIES,
    EPISODES,
    MEMORIES,
    PERSONS,
    PRIORITIES,
    PROPOSALS,
    REGISTRY,
    RELATIONS,
    TRANSCRIPTS,
    VERSIONS,
    owner_of_ref,
)
from crewmem.bundles.members import Members
from crewmem.bundles.plan import (
    OPTED_OUT,
    Planned,
    is_of_person,
    plan,
    without_persons,
)
from crewmem.bundles.reading import LeftOut
from crewmem.bundles.restore import read_histories
from crewmem.bundles.versions_store import newest_hashes
from crewmem.errors.bundles import LayoutUnknownError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    import apsw

    from crewmem.bundles.histories import History
    from crewmem.bundles.manifest import Item as BundleItem
    from crewmem.bundles.reading import Aim, Reading
    from crewmem.bundles.source import Source
    from crewmem.memories.dump import Item
    from crewmem.memories.importing import Items
    from crewmem.registry.store import Registry

REGISTRY_MOST = 8 << 20
"""Most bytes of what a bundle says of crews and agents."""

TOLD = 3
"""Files that were left out that are named where nothing else is left."""

PARTS = frozenset(
    {
        *(ENTRIES, PRIORITIES, ARCHIVED, RELATIONS, EPISODES),
        *(VERSIONS, MEMORIES, PROPOSALS, TRANSCRIPTS, PERSONS, REGISTRY),
    }
)
"""What a bundle of ours has besides memory files, and what these kept."""

PARTLY = "it is of all that the bundle holds; without --crew and --agent it comes along"

FOR_OPERATORS = "only operators import it"


class Place(NamedTuple):
    """The home that is imported into, as far as it is there.

    Attributes:
        path: The home.
        db: Its database; None where there is none yet.
        registry: Who works in it.
        opted_out: What stands for the persons who do not want to be known.
    """

    path: Path
    workspace: str
    db: apsw.Connection | None
    registry: Registry | None
    opted_out: frozenset[str] = frozenset()


class Work(NamedTuple):
    """What is to be done, and what it is done with.

    Attributes:
        members: Crews and agents that are missing, and who does not want to be known.
        histories: Of each file, as the bundle has them.
        restored: Files whose history comes along, and ends with what they will hold.
        with_parts: Whether journal, versions and registry come along.
        warnings: What a person should know.
        memories: Makes the memories that it holds anew, whenever it is asked; None:
            it holds none, or they stay out.
    """

    source: Source
    format: str
    merge: str
    reading: Reading
    planned: tuple[Planned, ...]
    left_out: tuple[LeftOut, ...]
    members: Members
    histories: Mapping[str, History]
    restored: frozenset[str]
    with_parts: bool
    warnings: tuple[str, ...] = ()
    memories: Items | None = None

    @property
    def parts(self) -> Mapping[str, BundleItem]:
        """What comes along that is no memory file, by its path."""
        return self.reading.parts if self.with_parts else {}


def format_of(source: Source, wanted: str) -> str:
    """Return how *source* is laid out, or *wanted*, if that was said.

    Raises:
        LayoutUnknownError: If nobody can tell.
    """
    found = detected(source) if wanted == AUTO else wanted
    if found is None:
        left = [f"{each.source} ({each.reason})" for each in source.left_out[:TOLD]]
        raise LayoutUnknownError(source.name, left)
    return found


def work(
    source: Source,
    form: str,
    aim: Aim,
    place: Place,
    *,
    merge: str,
    is_operator: bool,
) -> Work:
    """Return what is to be done to import *source*, which is laid out as *form*.

    Raises:
        BundleDamagedError: If it cannot be read.
        GroupNeededError: If it has several groups, and none was named.
    """
    reading = layout(form).read(source, aim)
    with_parts = is_operator and aim.crew is None and aim.agent is None
    left_out = [*_unread(source, reading), *reading.left_out]
    if not with_parts:
        why = PARTLY if is_operator else FOR_OPERATORS
        left_out += _parts_left_out(reading, why)
    parts = reading.parts if with_parts else {}
    missing = _missing(source, parts, place)
    found, troubles = read_histories(source, parts, place.db, place.workspace)
    opted_out = place.opted_out | {*missing.opted_out}
    found = {path: _allowed(path, each, opted_out) for path, each in found.items()}
    planned = plan(
        reading.documents, reading.rejected, place.path, place.workspace, merge
    )
    planned = [without_persons(each, opted_out) for each in planned]
    return Work(
        source=source,
        format=form,
        merge=merge,
        reading=reading,
        planned=tuple(planned),
        left_out=tuple(sorted(left_out)),
        members=missing,
        histories=found,
        restored=frozenset(
            _restored(planned, found, place, is_whole=with_parts and reading.is_whole)
        ),
        with_parts=with_parts,
        warnings=tuple(troubles),
        memories=_memories(source, reading, parts),
    )


def _unread(source: Source, reading: Reading) -> Iterator[LeftOut]:
    """Yield the files that nobody can read, but for those the bundle promised."""
    promised = {each.source for each in reading.rejected}
    yield from (each for each in source.left_out if each.source not in promised)


def _memories(source: Source, reading: Reading, parts: Collection[str]) -> Items | None:
    """Return what makes the memories that *source* holds; None: it holds none."""
    if (found := reading.memories) is not None:
        return lambda: found
    if MEMORIES not in parts:
        return None

    def items() -> Iterator[Item]:
        from crewmem.memories.dump import in_lines

        with source.opened(MEMORIES) as stream:
            yield from in_lines(stream)

    return items


def _parts_left_out(reading: Reading, why: str) -> list[LeftOut]:
    names = sorted(reading.parts)
    contents = any(name.startswith(CONTENTS) for name in names)
    found = [LeftOut(name, why) for name in names if name in PARTS]
    return [*found, LeftOut(CONTENTS, why)] if contents else found


def _missing(source: Source, parts: Collection[str], place: Place) -> Members:
    if REGISTRY not in parts:
        return Members()
    content = source.read(REGISTRY, REGISTRY_MOST)
    found = members.read(content, place.workspace, source.name)
    return members.missing(place.registry, place.workspace, found)


def _allowed(path: str, history: History, opted_out: Collection[str]) -> History:
    """Return *history*, of which nothing comes that a person does not want kept."""
    owner = owner_of_ref(path)
    if owner and is_of_person(owner.file, opted_out):
        return history._replace(new=(), reason=OPTED_OUT, is_newest=False)
    return history


def _restored(
    planned: list[Planned],
    found: Mapping[str, History],
    place: Place,
    *,
    is_whole: bool,
) -> Iterator[str]:
    """Yield the files that come with their history, and go on what is here.

    Of a whole bundle that is every file that never was here: what its history does
    not tell, it did not tell where it comes from.
    """
    newest = newest_hashes(place.db, place.workspace) if place.db else {}
    for each in planned:
        ref = each.step.ref
        history = found.get(ref)
        if history is None:
            if is_whole and not each.present and ref not in newest:
                yield ref
        elif (
            history.is_newest
            and (history.new or history.rows[-1].sha256 == each.step.sha256)
            and each.present in {"", newest.get(ref, ""), each.step.sha256}
        ):
            yield ref
