"""Keeping what memory files held, and recording who changed them."""

from __future__ import annotations

import os

from crewmem import ids
from crewmem.errors.versions import ContentMissingError
from crewmem.files import listings_store
from crewmem.files.kept import Kept
from crewmem.files.updated import updated
from crewmem.files.version import without_secrets
from crewmem.files.version_store import VersionStore, referred

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import apsw

    from crewmem.files.version import New, Version
    from crewmem.journal.store import Journal
    from crewmem.threats.rule import Scan


class History:
    """The versions of the memory files of one workspace of a home."""

    def __init__(
        self,
        db: apsw.Connection,
        journal: Journal,
        home: Path,
        workspace: str,
        randomness: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """Keep rows in *db*, which is the *journal*'s, and contents in *home*."""
        self.store, self.contents = VersionStore(db, workspace), Kept(home)
        self._db, self._journal = db, journal
        self._workspace, self._randomness = workspace, randomness
        self._unrecorded: dict[str, bytes] = {}

    def newest(self, ref: str) -> Version | None:
        """Return the newest version of the file *ref*; None if it has none."""
        return self.store.newest(ref)

    def keep(self, content: bytes, scan: Scan) -> str:
        """Keep *content* for a version to come, durably; return the hash of it.

        Where it holds secrets they are left out, and the hash is another than its own.
        """
        whole, _ = without_secrets(content, scan)
        return self.keep_as_is(whole)

    def keep_as_is(self, content: bytes) -> str:
        """Keep *content*, which holds no secret, as `keep` does."""
        name = self.contents.put(content)
        self._unrecorded[name] = content
        return name

    def record(self, new: New) -> Version:
        """Record *new* as the newest version of its file, and that in the journal."""
        with self._journal.transaction():
            return self._recorded(new, self.newest(new.ref))

    def record_first(self, new: New) -> Version | None:
        """Record *new*, unless its file has a version already."""
        with self._journal.transaction():
            return None if self.newest(new.ref) else self._recorded(new, None)

    def record_changes(self, changed: Iterable[New]) -> list[Version]:
        """Record those of *changed* whose file has other bytes than its newest version.

        All of them or none. What another process has recorded meanwhile is left out.
        """
        found: list[Version] = []
        with self._journal.transaction():
            for new in changed:
                before = self.newest(new.ref)
                if new.sha256 != (before.sha256 if before else ""):
                    found.append(self._recorded(new, before))
        return found

    def _recorded(self, new: New, before: Version | None) -> Version:
        # Here nobody else writes: what is there now is not dropped before the row is.
        if new.kept is not None and not self.contents.has(new.kept):
            if (content := self._unrecorded.get(new.kept)) is None:
                raise ContentMissingError(self.contents.path(new.kept))
            self.contents.put(content)
        version_id = ids.new("v", self._randomness)
        version = self.store.add(version_id, new, before.id if before else None)
        if new.is_event or new.secrets:
            entry = updated(new, version, before)
            self._journal.append(
                self._workspace, [entry], now=new.at, randomness=self._randomness
            )
        self._unrecorded.pop(new.kept or "", None)
        return version

    def listings(self, place: str) -> dict[str, bytes]:
        """Return what lay in *place* when its files were last compared."""
        return listings_store.listings(self._db, self._workspace, place)

    def remember(
        self, place: str, found: Mapping[str, bytes], gone: Sequence[str]
    ) -> None:
        """Keep what was *found* in *place* when its files were so compared."""
        with self._journal.transaction():
            listings_store.remember(self._db, self._workspace, place, found, gone)

    def erase(self, ref: str) -> int:
        """Erase all versions of the file *ref*; return how many there were.

        What they kept goes as well, unless a version of another file keeps the same.
        """
        with self._journal.transaction():
            every = self.store.versions(ref)
            self.store.remove(each.id for each in every)
            kept = {each.kept for each in every if each.kept}
            for name in sorted(kept - referred(self._db, kept)):
                self.contents.drop(name)
        return len(every)
