"""The file whose versions a command is about, and how versions are shown."""

from __future__ import annotations

from crewmem.cli.output import Table
from crewmem.cli.places import beginnings, located
from crewmem.errors import CrewmemError
from crewmem.errors.files import MemoryFileMissingError
from crewmem.errors.versions import NoHistoryError, NoVersionsError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App
    from crewmem.cli.places import Chosen
    from crewmem.files.kept import Kept
    from crewmem.files.place import Place
    from crewmem.files.version import Version
    from crewmem.files.version_store import VersionStore
    from crewmem.scope import Sight

HASH_SHOWN = 12
"""Characters of a hash in a listing."""


class Subject(NamedTuple):
    """A memory file with a history.

    Attributes:
        file: Its path below the directory.
        store: Its versions; None where there is no database yet.
        contents: What they kept.
        sight: Of who asks.
    """

    place: Place
    file: str
    store: VersionStore | None
    contents: Kept
    sight: Sight

    @property
    def ref(self) -> str:
        """Its name, whatever directory is asked."""
        return self.place.ref(self.file)

    def newest(self) -> Version | None:
        """Return its newest version; None if it has none."""
        return self.store.newest(self.ref) if self.store else None

    def version(self, name: str | None) -> Version:
        """Return the version called *name*, or the newest.

        Raises:
            VersionMissingError: If there is none of that name.
            NoVersionsError: If there is none at all.
        """
        newest = self.newest()
        if self.store is None or newest is None:
            raise NoVersionsError(self.ref)
        return newest if name is None else self.store.find(self.ref, name)

    def content(self, version: Version) -> bytes:
        """Return what *version* kept, verified; b"" where the file was gone.

        Raises:
            ContentMissingError: If it is not there.
            ContentDamagedError: If it is not what was kept.
        """
        return b"" if version.kept is None else self.contents.get(version.kept)


def subject(app: App, chosen: Chosen, name: str) -> Subject:
    """Return the file that goes by *name*, there or no longer there.

    An operator finds by its ref what was in a directory that is gone.

    Raises:
        NoHistoryError: If it lies in no home, so that no versions of it are kept.
        MemoryFileMissingError: If there is none, and never was.
        OutOfScopeError: If it is not for the actor.
    """
    from crewmem.files.homed import of_ref
    from crewmem.files.kept import Kept
    from crewmem.files.read import named, parsed
    from crewmem.files.version_store import VersionStore

    found, sight = _looked_in(app, chosen)
    in_home = any(place.kept for place in found)
    db = app.truth_to_read if in_home else None
    store = VersionStore(db, app.workspace) if db else None
    cwd, base = beginnings(app, chosen)
    try:
        place, file = named(
            found,
            parsed(name).file,
            sight,
            cwd=cwd,
            base=base,
            is_known=lambda place, file: bool(
                store and place.kept and store.newest(place.ref(file))
            ),
        )
    except MemoryFileMissingError:
        was = of_ref(app.home, app.workspace, name)
        if not (was and store and sight.actor.is_operator and store.newest(name)):
            raise
        place, file = was
    if not place.kept:
        raise NoHistoryError(place.path / file)
    return Subject(place, file, store, Kept(app.home), sight)


def _looked_in(app: App, chosen: Chosen) -> tuple[Sequence[Place], Sight]:
    """Return where files are looked for, and what is seen there."""
    found, sight = located(app, chosen)
    if not chosen.path:
        return found, sight
    from crewmem.cli.writing_place import at_home

    known = [at_home(app, place, sight) for place in found]
    sight = next((each for place, each in known if place.kept), sight)
    return [place for place, _ in known], sight


def as_it_stands(app: App, it: Subject) -> bytes | None:
    """Return what the file holds now; None if it is not there.

    Raises:
        CrewmemError: If it cannot be read.
    """
    from crewmem import disk
    from crewmem.errors.disk import NotADirectoryPathError, PathMissingError
    from crewmem.files.folders import open_place

    try:
        with open_place(it.place) as directory:
            return disk.read(directory, it.file, limit=app.settings.max_file_bytes)
    except (PathMissingError, NotADirectoryPathError):
        return None


def harmless(app: App, it: Subject, content: bytes, *, raw: bool) -> bytes:
    """Return *content* as it is shown: unless *raw*, without poison and secrets."""
    if raw:
        return content
    from crewmem.cli.scanner import scanner
    from crewmem.files.version import harmless as without

    shown, rules = without(content, it.ref, scanner(app))
    if rules:
        app.out.warn(
            f"{it.ref} is not shown as it is ({', '.join(rules)}); --raw shows it"
        )
    return shown


def unrecorded(app: App, it: Subject) -> str:
    """Say that the file is not as its newest version has it; "" if it is."""
    from crewmem.digests import sha256
    from crewmem.files.version import GONE

    try:
        content = as_it_stands(app, it)
    except CrewmemError as error:
        return f"{it.ref} cannot be compared with its newest version: {error}"
    newest = it.newest()
    now = GONE if content is None else sha256(content)
    if now == (newest.sha256 if newest else GONE):
        return ""
    if newest is None:
        return f"no version of {it.ref} is recorded yet; the next sweep records it"
    done = "was removed" if content is None else "has changed"
    return f"{it.ref} {done} since its newest version; the next sweep records it"


def names(versions: Sequence[Version]) -> dict[str, str]:
    """Return for each version a short name by which its file finds it."""
    from crewmem.ids import shortest

    return shortest([each.id for each in versions])


def versions_table(app: App, versions: Sequence[Version]) -> Table:
    """Return a row for each version."""
    from crewmem import times
    from crewmem.cli.memory.shown import size

    short = names(versions)
    return Table(
        ("VERSION", "WRITTEN", "BY", "DONE", "SIZE", "SHA256", "NOTE"),
        [
            (
                short[each.id],
                times.ago(each.written_at, app.now),
                each.written_by,
                each.operation,
                size(each.bytes) if each.sha256 else "",
                each.sha256[:HASH_SHOWN],
                "without its secrets" if each.is_redacted else "",
            )
            for each in versions
        ],
        right=frozenset({"SIZE"}),
    )
