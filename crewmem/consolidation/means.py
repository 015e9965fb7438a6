"""What consolidation works with, and the files that it may write."""

from __future__ import annotations

from contextlib import nullcontext

from crewmem import disk
from crewmem.consolidation.plan import File
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.files.folders import open_place
from crewmem.files.homed import of_ref
from crewmem.files.put import present
from crewmem.files.target import target_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from crewmem.episodes.relations_store import Relations
    from crewmem.files.target import Target
    from crewmem.files.written import Means as Pen
    from crewmem.journal.store import Journal


class Means(NamedTuple):
    """What a plan is carried out with.

    Attributes:
        home: Where the workspaces are.
        workspace: Which is worked in.
        journal: Of the home; its database holds proposals as well.
        relations: Where edges between entries are kept.
        pen: What files are written with, as nobody: the system.
        now: The time.
        today: The day, as the operator counts: ``2026-05-01``.
        randomness: Returns that many random bytes.
        tick: Told after each note that is put away how many are, and of how many.
    """

    home: Path
    workspace: str
    journal: Journal
    relations: Relations
    pen: Pen
    now: datetime
    today: str
    randomness: Callable[[int], bytes]
    tick: Callable[[int, int], None] | None = None

    def target(self, ref: str) -> Target:
        """Return the file that *ref* names.

        Raises:
            PathMissingError: If a home has no such file.
        """
        found = of_ref(self.home, self.workspace, ref)
        if found is None:
            raise PathMissingError(ref)
        return target_of(*found)

    def file(self, ref: str) -> File:
        """Return what is there of the file *ref*, to be planned with."""
        return self.files([ref])[ref]

    def files(self, refs: Iterable[str]) -> dict[str, File]:
        """Return what is there of the files *refs*, by their names.

        Each directory is opened once.
        """
        found: dict[str, File] = {}
        by_folder: dict[tuple[Path, str], list[tuple[str, Target]]] = {}
        for ref in refs:
            try:
                target = self.target(ref)
            except CrewmemError as error:
                found[ref] = File(ref, None, None, str(error))
            else:
                where = target.place.path, target.file.rpartition("/")[0]
                by_folder.setdefault(where, []).append((ref, target))
        for (_, folder), here in by_folder.items():
            try:
                with open_place(here[0][1].place) as root, _folder(root, folder) as at:
                    found |= {ref: self._file(at, ref, one) for ref, one in here}
            except CrewmemError as error:
                found |= {ref: File(ref, None, None, str(error)) for ref, _ in here}
        return found

    def _file(self, folder: int | None, ref: str, target: Target) -> File:
        try:
            name = target.file.rpartition("/")[2]
            content = None if folder is None else present(folder, name)
        except CrewmemError as error:
            return File(ref, None, None, str(error))
        if target.place.agent in self.pen.off:
            why = f"the memory of {target.place.agent} is off"
            return File(ref, content, None, why)
        return File(ref, content, self.pen.caps.files.get(target.tier))

    def before(self, ref: str) -> str | None:
        """Return the version that the file *ref* had before its newest one."""
        newest = self.pen.history.newest(ref) if self.pen.history else None
        return newest.parent if newest else None


def _folder(root: int, path: str) -> AbstractContextManager[int | None]:
    """Open the folder *path* below *root*; None where it is not there."""
    if not path:
        return nullcontext(root)
    try:
        return disk.open_directory(root, path)
    except PathMissingError:
        return nullcontext()
