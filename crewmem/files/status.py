"""How the index of a memory directory stands."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime

from crewmem import disk
from crewmem.db.connect import Mode
from crewmem.errors import DataError
from crewmem.files.caps import is_archive
from crewmem.files.changes import changes
from crewmem.files.existing import existing
from crewmem.files.folders import open_place
from crewmem.files.listing import sizes as sizes_of
from crewmem.files.listing import unpack
from crewmem.files.skipped import Skipped, skipped
from crewmem.files.store import INDEX_NAME
from crewmem.files.tiers import tier_of
from crewmem.files.walk import walk
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from crewmem.files.existing import Existing
    from crewmem.files.place import Place
    from crewmem.files.store import MemoryIndex
    from crewmem.files.walk import Found


class Standing(NamedTuple):
    """How the index of one memory directory stands.

    Attributes:
        scope: Agent, crew or workspace.
        owner: Whose the directory is, as ``crew/agent``.
        path: The directory.
        files: Memory files that are there.
        bytes: Their sizes together.
        share: Of the cap of the directory, from 0 on; over 1 it is over its cap. Notes
            that were put away do not count.
        indexed: Files in the index.
        chunks: Pieces in the index.
        stale: Files that are new, changed or gone since they were indexed.
        skipped: Files that are not in the index, or only with loss, with the reason.
        indexed_at: When the index was last changed; None if there is none.
        state: Of the index: ``fresh``, ``stale``, ``missing`` or ``unusable``.
        trouble: Why it is unusable, else "".
        vectors: Chunks that have a vector.
        mode: How a search finds: ``words``, or ``hybrid``: by vectors as well. That is
            where there are some, and an embedder of their model.
    """

    scope: Scope
    owner: str
    path: Path
    files: int
    bytes: int
    share: float
    indexed: int
    chunks: int
    stale: int
    skipped: tuple[Skipped, ...]
    indexed_at: datetime | None
    state: str
    trouble: str
    vectors: int
    mode: str


def standing(
    place: Place,
    *,
    cap: int,
    hidden: Collection[str] = (),
    busy_timeout: float,
    found: Sequence[Found] | None = None,
    embeds: Callable[[str], bool] | None = None,
    root: disk.Directory | None = None,
    counted: bool = True,
) -> Standing:
    """Look at *place* and its index; nothing is written, and nothing brought in.

    Args:
        place: The directory.
        cap: Most bytes of memory files in it.
        hidden: Tiers whose files are not counted.
        busy_timeout: Seconds to wait for a writer.
        found: The directory as it was just walked; if None, it is walked here.
        embeds: Tells whether there is an embedder for vectors of a model; None: there
            is, for any.
        root: The directory, if it is open.
        counted: Whether vectors are counted; if not, there is 1, or none.
    """
    with ExitStack() as stack:
        root = root or stack.enter_context(open_place(place))
        found = list(walk(root)) if found is None else found
        there = _existing(root, place.path, busy_timeout)
    sizes = _sizes(found, _Shown(place, hidden))
    facts = _Facts(
        state="unusable" if there.reason else "missing",
        trouble=there.reason,
        stale=len(sizes),
    )
    if there.memory:
        try:
            facts = _facts(there.memory, found, _Shown(place, hidden), counted=counted)
        except DataError as error:
            facts = facts._replace(state="unusable", trouble=str(error))
        finally:
            there.memory.close()
    return Standing(
        scope=place.scope,
        owner=place.owner,
        path=place.path,
        files=len(sizes),
        bytes=sum(sizes),
        share=_share(found, sizes, _Shown(place, hidden), cap),
        indexed=facts.files,
        chunks=facts.chunks,
        stale=facts.stale,
        skipped=facts.skipped,
        indexed_at=facts.indexed_at,
        state=facts.state,
        trouble=facts.trouble,
        vectors=facts.vectors,
        mode=_mode(facts, embeds),
    )


def _mode(facts: _Facts, embeds: Callable[[str], bool] | None) -> str:
    is_hybrid = facts.vectors and (embeds is None or embeds(facts.model))
    return "hybrid" if is_hybrid else "words"


class _Facts(NamedTuple):
    """What an index says of itself."""

    state: str
    trouble: str = ""
    stale: int = 0
    files: int = 0
    chunks: int = 0
    skipped: tuple[Skipped, ...] = ()
    indexed_at: datetime | None = None
    vectors: int = 0
    model: str = ""


class _Shown:
    """Tells which files of a place are shown to whoever asks."""

    def __init__(self, place: Place, hidden: Collection[str]) -> None:
        self.hidden = hidden
        self._is_workspace = place.scope is Scope.WORKSPACE

    def __call__(self, directory: str, name: str = "any") -> bool:
        """Tell whether the file *name* of *directory* may be counted."""
        if not self.hidden:
            return True
        file = f"{directory}/{name}".lstrip("/")
        return tier_of(file, workspace=self._is_workspace) not in self.hidden


def _sizes(found: Sequence[Found], is_shown: _Shown) -> list[int]:
    if not is_shown.hidden:
        every: list[int] = []
        for each in found:
            every += sizes_of(each.listing)
        return every if min(every, default=0) >= 0 else [max(size, 0) for size in every]
    return [
        max(stamp[0], 0)
        for each in found
        for name, stamp in unpack(each.listing).items()
        if is_shown(each.path, name)
    ]


def _share(
    found: Sequence[Found], sizes: Sequence[int], is_shown: _Shown, cap: int
) -> float:
    """Return the share of *cap* that is used, but for notes that were put away."""
    counting = [each for each in found if not is_archive(each.path)]
    if len(counting) < len(found):
        sizes = _sizes(counting, is_shown)
    return round(sum(sizes) / cap, 4)


def _existing(root: int, where: Path, busy_timeout: float) -> Existing:
    mode = Mode.FROZEN if disk.is_read_only(where) else Mode.READ
    return existing(root, where / INDEX_NAME, mode, busy_timeout=busy_timeout)


def _facts(
    index: MemoryIndex, found: Sequence[Found], is_shown: _Shown, *, counted: bool
) -> _Facts:
    lacking = changes(found, index.known().listings)
    stale = sum(
        is_shown(change.path, name)
        for change in lacking.directories
        for name in (*change.suspects, *change.gone)
    ) + sum(map(is_shown, lacking.gone))
    files, chunks, _ = index.counts(is_shown.hidden)
    stamp = index.about().get("indexed_at")
    vectors, model = _vectors(index, is_shown.hidden, counted=counted)
    return _Facts(
        state="stale" if stale else "fresh",
        stale=stale,
        files=files,
        chunks=chunks,
        skipped=skipped(index, found, hidden=is_shown.hidden),
        indexed_at=(
            datetime.fromtimestamp(stamp / 1e9, UTC) if isinstance(stamp, int) else None
        ),
        vectors=vectors,
        model=model,
    )


def _vectors(
    index: MemoryIndex, hidden: Collection[str], *, counted: bool
) -> tuple[int, str]:
    """Return how many chunks have a vector, and of which model."""
    if not index.has_vectors:
        return 0, ""
    vectors = index.vectors
    if counted:
        return vectors.embedded(hidden)
    return int(bool(vectors.model)), vectors.model
