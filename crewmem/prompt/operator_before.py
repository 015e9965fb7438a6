"""Erasing what is known of a person in the older databases that lie beside the home's.

One is there for each step of the schema, and for each import that replaced what was
there. What a version in it kept lies in the home, and is the same as today's.
"""

from __future__ import annotations

from crewmem.db.connect import Mode
from crewmem.db.scrub import older, scrub
from crewmem.files.version_store import VersionStore
from crewmem.journal.purge import purge
from crewmem.journal.purge_store import naming
from crewmem.journal.store import Journal
from crewmem.journal.text_store import settle
from crewmem.prompt.operator_store import OperatorStore, cut_out, has_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    import apsw

    from crewmem.files.version import Version
    from crewmem.prompt.operator_fact import FactField


class Before:
    """What the older databases of a home hold of one person in one workspace."""

    def __init__(
        self,
        home: Path,
        workspace: str,
        slug: str,
        refs: Sequence[str],
        *,
        key: bytes | None,
        now: datetime,
    ) -> None:
        """Look in *home* for the person *slug*, whose cards could be *refs*.

        The *key* signs that entries of the journal were emptied, at *now*.
        """
        self._home, self._workspace = home, workspace
        self._slug, self._refs = slug, refs
        self._key, self._now = key, now

    def erase(self) -> None:
        """Erase everything."""
        for db in self._each():
            store = OperatorStore(db, self._workspace)
            versions = VersionStore(db, self._workspace)
            with store.transaction():
                store.erase(self._slug)
                versions.remove(
                    each.id for ref in self._refs for each in versions.versions(ref)
                )
                self._empty(db, "path", self._refs)
            scrub(db)

    def forget(self, field: FactField, holds: Callable[[Version], bool]) -> None:
        """Erase *field*, and the versions that hold it, as *holds* tells.

        That needs what they kept, so it comes before that is dropped.
        """
        for db in self._each():
            store = OperatorStore(db, self._workspace)
            versions = VersionStore(db, self._workspace)
            with store.transaction():
                for each in store.facts(self._slug):
                    if each.field == field:
                        store.drop(self._slug, each.card, [field])
                ids = [
                    each.id
                    for ref in self._refs
                    for each in versions.versions(ref)
                    if holds(each)
                ]
                cut_out(db, self._workspace, ids)
                self._empty(db, "version_id", ids)
            scrub(db)

    def left(
        self, field: FactField | None, holds: Callable[[Version], bool]
    ) -> tuple[int, int]:
        """Return how many quotes and versions they have; nothing is changed.

        Of *field*, those that *holds* tells hold it; None for all there are.
        """
        facts = versions = 0
        for db in self._each(Mode.READ):
            known = OperatorStore(db, self._workspace).facts(self._slug)
            facts += sum(field in {None, each.field} for each in known)
            kept = VersionStore(db, self._workspace)
            versions += sum(
                field is None or holds(each)
                for ref in self._refs
                for each in kept.versions(ref)
            )
        return facts, versions

    def _each(self, mode: Mode = Mode.WRITE) -> Iterator[apsw.Connection]:
        """Yield each that is new enough to know of persons.

        Raises:
            DataError: If one is damaged, once all others were yielded.
        """
        for db in older(self._home, mode):
            if has_tables(db):
                yield db

    def _empty(self, db: apsw.Connection, field: str, named: Sequence[str]) -> None:
        """Erase what the journal says of writes of the cards, and its words."""
        journal = Journal(db, chain_key=self._key)
        found = naming(db, self._workspace, field, named)
        purge(journal, self._workspace, found, now=self._now)
        settle(db)
