"""Bringing an index up to date with the files of its directory."""

from __future__ import annotations

import os

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.files.audience import narrow
from crewmem.files.changes import Changes, changes
from crewmem.files.chunks import iter_chunks
from crewmem.files.indexed import File, Tally
from crewmem.files.listing import pack
from crewmem.files.moving import Moving
from crewmem.files.tiers import Tier, tier_of
from crewmem.files.walk import reason, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crewmem.files.changes import DirectoryChange
    from crewmem.files.chunks import Chunk
    from crewmem.files.indexed import Policy
    from crewmem.files.signs import Known
    from crewmem.files.store import MemoryIndex
    from crewmem.files.walk import Found


FILES_HELD = 200
"""Files that are kept in one statement."""

ZEROS = 4
"""Where more than one byte of so many is zero, and the mark stands before it, a text is
UTF-16: in Latin letters, every second is. A few strays make no such text."""


def refresh(
    root: int,
    index: MemoryIndex,
    found: Sequence[Found],
    policy: Policy,
    *,
    now_ns: int,
    tick: Callable[[int, int], None] | None = None,
    folder: int | None = None,
) -> Tally:
    """Make *index* say what the files below *root* say, in one transaction.

    Whoever may not read a file that it takes in can no longer read the index.

    Args:
        root: Descriptor of the memory directory.
        found: The directory as it was just walked.
        now_ns: When, in nanoseconds since 1970.
        tick: Told after each file how many were looked at, and of how many.
        folder: Descriptor of the directory that holds the index, if one does.
    """
    tally = Tally()
    with index.changing():
        # Another process may have been faster: what is lacking is asked again here.
        known = index.known()
        lacking = changes(found, known.listings)
        moving = Moving(index)
        _drop(index, lacking, tally, moving)
        intake = _Intake(root, index, policy, tally, tick, moving)
        index.add_chunks(intake.rows(lacking))
        intake.flush()
        _remember(index, known, found, lacking)
        index.keep_counts()
        index.tell({"indexed_at": now_ns})
        if folder is not None:  # before what it took in can be read
            narrow(folder, tally.shared)
    return tally


def _drop(index: MemoryIndex, lacking: Changes, tally: Tally, moving: Moving) -> None:
    absent = index.skipped() if lacking.gone else []
    for path in lacking.gone:
        tally.removed += index.forget_directory(path)
        tally.removed -= sum(bool(f.skipped and f.directory == path) for f in absent)
    for change in lacking.directories:
        for name in change.gone:
            if file := index.file(change.path, visible(name)):
                moving.leaves(file)
                index.forget(file)
                tally.removed += not file.skipped


def _remember(
    index: MemoryIndex, known: Known, found: Sequence[Found], lacking: Changes
) -> None:
    """Keep how the directories *found* look, where that is not what is *known*.

    Of what could not be read no name is kept, and so no sign: the next walk is to meet
    it again.
    """
    read = {change.path: pack(change.found) for change in lacking.directories}
    for each in found:
        listing = read.get(each.path, each.listing)
        sign = each.sign if listing == each.listing else b""
        before = known.listings.get(each.path), known.signs.get(each.path)
        if before != (listing, sign):
            index.remember_directory(each.path, listing, sign)


class _Intake:
    """Reads files one by one, so that memory holds one file and not the tree.

    Attributes:
        files: What was read since the last flush.
        looked_at: How many of *suspects* are done with.
    """

    def __init__(
        self,
        root: int,
        index: MemoryIndex,
        policy: Policy,
        tally: Tally,
        tick: Callable[[int, int], None] | None,
        moving: Moving,
    ) -> None:
        self.root, self.index, self.policy = root, index, policy
        self.tally, self.tick, self.moving = tally, tick, moving
        self.looked_at = self.suspects = 0
        self.files: list[File] = []
        self.next_file = self.next_chunk = 0

    def rows(self, lacking: Changes) -> Iterator[tuple[int, int, str, Chunk]]:
        """Yield the rows of chunks to add; `flush` when this has ended."""
        self.next_file, self.next_chunk = self.index.next_ids()
        self.suspects = sum(len(change.suspects) for change in lacking.directories)
        for change in lacking.directories:
            if change.suspects:
                yield from self._directory(change)

    def _directory(
        self, change: DirectoryChange
    ) -> Iterator[tuple[int, int, str, Chunk]]:
        try:
            directory = _opened(self.root, change.path)
        except CrewmemError:
            change.found.clear()  # so that the next walk comes back to it
            return
        with directory:
            for name in change.suspects:
                yield from self._file(directory, change, name)
                self.looked_at += 1
                if self.tick:
                    self.tick(self.looked_at, self.suspects)

    def _file(
        self, directory: int, change: DirectoryChange, name: str
    ) -> Iterator[tuple[int, int, str, Chunk]]:
        stamp = change.found[name]
        before = None if change.is_new else self.index.file(change.path, visible(name))
        try:
            content, skipped = self._content(directory, name)
        except PathMissingError:
            del change.found[name]  # gone since the walk: the next one sees it gone
            return
        digest = None if skipped else _content_hash(content)
        if before and digest and before.content_hash == digest:
            self.index.restamp(before, mtime_ns=stamp[1])
            return
        if before:
            self.index.forget(before)
        text, lossy = _text(content)
        first_chunk, file_id = self.next_chunk, self.next_file
        path = f"{change.path}/{name}" if change.path else name
        tier = tier_of(path, workspace=self.policy.is_workspace)
        by_entry = tier is Tier.LESSONS
        named = visible(name)
        for chunk in iter_chunks(
            text, limit=self.policy.chunk_chars, by_entry=by_entry
        ):
            yield self.next_chunk, file_id, named[:-3], chunk
            self.next_chunk += 1
        self.next_file += 1
        self._count(before, skipped)
        if len(self.files) >= FILES_HELD:
            self.flush()
        file = File(
            id=file_id,
            directory=change.path,
            name=named,
            tier=tier,
            size=max(stamp[0], 0),
            mtime_ns=stamp[1],
            content_hash=digest,
            first_chunk=first_chunk,
            chunks=self.next_chunk - first_chunk,
            lossy=lossy,
            skipped=skipped,
        )
        self.files.append(file)
        self.moving.comes(file)

    def flush(self) -> None:
        """Keep the files that were read since the last time."""
        self.index.add_files(self.files)
        self.files.clear()

    def _count(self, before: File | None, skipped: str) -> None:
        """Count what is in the index: a file that is skipped is not."""
        was_in, is_in = bool(before and not before.skipped), not skipped
        self.tally.added += is_in and not was_in
        self.tally.changed += is_in and was_in
        self.tally.removed += was_in and not is_in

    def _content(self, directory: int, name: str) -> tuple[bytes, str]:
        """Read *name*; return its bytes, and why there are none.

        Raises:
            PathMissingError: If it is no longer there.
        """
        if visible(name) != name:
            return b"", "its name is not UTF-8"
        most = self.policy.max_file_bytes
        try:
            with disk.open_file(directory, name) as file:
                content = file.read(most)
                self.tally.shared &= file.stat.st_mode
        except PathMissingError:
            raise
        except CrewmemError as error:
            return b"", _why(error, most)
        return (b"", "it is UTF-16, not UTF-8") if _is_wide(content) else (content, "")


def _why(error: CrewmemError, most: int) -> str:
    """Return why a file of which up to *most* bytes are read was not read."""
    from crewmem.errors.cli import InputTooLargeError

    if isinstance(error, InputTooLargeError):
        return f"larger than {most:,} bytes"
    return reason(error)


def _opened(root: int, path: str) -> disk.Directory:
    if path:
        return disk.open_directory(root, path)
    return disk.Directory(os.dup(root), "")


def _is_wide(content: bytes) -> bool:
    """Tell whether *content* is UTF-16: as UTF-8, no word of it would be found."""
    is_marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return is_marked and content.count(0) * ZEROS > len(content)


def _text(content: bytes) -> tuple[str, bool]:
    """Decode *content*; return whether bytes had to be replaced, too."""
    try:
        return content.decode("utf-8"), False
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace"), True


def _content_hash(content: bytes) -> bytes:
    """Return what tells *content* from any other."""
    # What hashlib.blake2b is. hashlib itself loads OpenSSL: 4 MB, and 5 ms.
    from _blake2 import blake2b

    return blake2b(content, digest_size=32).digest()
