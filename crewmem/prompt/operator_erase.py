"""Erasing what is known of a person, so that nothing of it is left in the home.

Cards and what was left behind beside them, texts in quarantine, indexes, versions and
their contents, evidence, what older databases beside the home's hold of it. The
evidence goes last: it says where to look, should this be interrupted and run again.
"""

from __future__ import annotations

import os
from contextlib import suppress

from crewmem import disk
from crewmem.db.scrub import scrub
from crewmem.errors import CrewmemError, DataError
from crewmem.files import prune, version_store
from crewmem.files.folders import open_place
from crewmem.files.locking import held
from crewmem.files.opening import TREE_NOTE
from crewmem.files.quarantine import FOLDER as QUARANTINE
from crewmem.files.store import INDEX_NAME, SIDECARS
from crewmem.files.target import target_of
from crewmem.files.write import write
from crewmem.journal.purge import purge
from crewmem.journal.purge_store import naming
from crewmem.journal.text_store import settle
from crewmem.prompt.operator_before import Before
from crewmem.prompt.operator_card import fields_of, without
from crewmem.prompt.operator_cards import FOLDERS, card_of, cards, listed
from crewmem.prompt.operator_erased import Erased, nothing_erased
from crewmem.prompt.operator_observe import OPERATION
from crewmem.prompt.operator_store import OperatorStore, cut_out
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from crewmem.files.history import History
    from crewmem.files.place import Place
    from crewmem.files.version import Version
    from crewmem.files.written import Means
    from crewmem.journal.store import Journal
    from crewmem.prompt.operator_fact import FactField

OPT_OUT = "opt_out"
"""What the audit calls it that somebody is not observed any more."""

QUARANTINED_MOST = 64 << 20
"""Most bytes of a text in quarantine, as there."""


class Traces(NamedTuple):
    """Where something of a person is.

    Attributes:
        places: Directories with a card, or of which a card is known.
        refs: The cards that are there, or were.
    """

    places: Sequence[Place]
    refs: Sequence[str]


class Eraser:
    """Erases what is known of one person in one workspace.

    Attributes:
        places: The directories of its crews and agents.
    """

    def __init__(
        self,
        store: OperatorStore,
        history: History,
        places: Sequence[Place],
        slug: str,
        home: Path,
        journal: Journal,
        now: datetime,
    ) -> None:
        self.store, self.history, self.slug = store, history, slug
        self.places = places
        refs = [place.ref(card_of(place, slug)) for place in places]
        self._before = Before(
            home, store.workspace, slug, refs, key=journal.key, now=now
        )

    def traces(self) -> Traces:
        """Return where something of the person is."""
        known = {each.card for each in self.store.facts(self.slug)}
        found = [
            place
            for place in self.places
            if (ref := place.ref(card_of(place, self.slug))) in known
            or self.history.store.count(ref)
            or self._files(place)
            or self._quarantined(place)
        ]
        refs = {place.ref(card_of(place, self.slug)) for place in found} | known
        return Traces(found, sorted(refs))

    def plan(self, action: str) -> Erased:
        """Return what `erase` would come to."""
        return self._planned(self.traces(), action)

    def _planned(self, traces: Traces, action: str) -> Erased:
        consent = self.store.consent(self.slug)
        was_out = bool(consent and consent.opted_out)
        facts = len(self.store.facts(self.slug))
        is_out = was_out or action == OPT_OUT
        return nothing_erased(self.slug, None)._replace(
            opted_out=is_out,
            cards=tuple(traces.refs),
            files=sum(len(self._files(place)) for place in traces.places),
            facts=facts,
            versions=sum(map(self.history.store.count, traces.refs)),
            quarantined=sum(len(self._quarantined(place)) for place in traces.places),
            changed=bool(traces.refs or is_out != was_out or (consent and not is_out)),
            dry_run=True,
        )

    def erase(self, means: Means, action: str) -> Erased:
        """Erase everything; *action* is what the audit calls it."""
        traces = self.traces()
        done = self._planned(traces, action)
        self._empty_entries(means, "path", traces.refs)  # refused without the key
        for place in traces.places:
            self._remove_files(place, self._files(place), means)
            self._remove_files(place, self._quarantined(place), means)
            self._reindex(place, means)
        for ref in traces.refs:
            self.history.erase(ref)
        self._drop_unkept(means)
        with self.store.transaction():
            self.store.erase(self.slug)
            if action == OPT_OUT:
                self.store.decide(self.slug, opted_out=True, now=means.now)
            else:
                self.store.undecide(self.slug)
            self._note(means, action)
        self.scrub()
        return done._replace(dry_run=False, done=True)

    def plan_forget(self, field: FactField) -> Erased:
        """Return what `forget` would come to; no cards if *field* is not known."""
        known = [each for each in self.store.facts(self.slug) if each.field == field]
        cards, files, versions, quarantined = {each.card for each in known}, 0, 0, 0
        for place in self.places:
            ref = place.ref(card_of(place, self.slug))
            held_by = self._holding(ref, field)
            if not (held_by or self._says(place, field) or ref in cards):
                continue
            cards.add(ref)
            files += len(self._beside(place))
            versions += len(held_by)
            quarantined += len(self._quarantined(place))
        return nothing_erased(self.slug, field)._replace(
            cards=tuple(sorted(cards)),
            files=files,
            facts=len(known),
            versions=versions,
            quarantined=quarantined,
            changed=bool(cards),
            dry_run=True,
        )

    def forget(self, field: FactField, means: Means) -> Erased:
        """Erase *field* from every card, with its quotes and the versions with it."""
        done = self.plan_forget(field)
        with suppress(DataError):  # what cannot be read is told at the end
            self._before.forget(field, lambda each: self._holds(each, field))
        for place in self.places:
            if place.ref(card_of(place, self.slug)) in done.cards:
                self._forget(place, field, means)
        self._drop_unkept(means)
        with self.store.transaction():
            for ref in done.cards:
                self.store.drop(self.slug, ref, [field])
            self._note(means, "forget", [field])
        self.scrub(field)
        return done._replace(dry_run=False, done=True)

    def _forget(self, place: Place, field: FactField, means: Means) -> None:
        ref = place.ref(card_of(place, self.slug))
        known = [each.id for each in self._holding(ref, field)]
        self._empty_entries(means, "version_id", known)  # refused without the key
        self._remove_files(place, self._beside(place), means)
        for card in cards([place], self.slug):
            if without(card.content, field):
                self._rewrite(place, field, means)
            elif field in fields_of(card.content):
                self._remove_files(place, [card.file], means)
        self._remove_files(place, self._quarantined(place), means)
        held_by = [each.id for each in self._holding(ref, field)]
        if means.journal and held_by:
            with means.journal.transaction():
                cut_out(self.store.db, self.store.workspace, held_by)
                self._empty_entries(means, "version_id", held_by)
        self._reindex(place, means)

    def _says(self, place: Place, field: FactField) -> bool:
        found = cards([place], self.slug)
        return any(field in fields_of(each.content) for each in found)

    # One directory

    def _rewrite(self, place: Place, field: FactField, means: Means) -> None:
        """Take the lines of *field* from the card in *place*, on which others are."""
        write(
            target_of(place, card_of(place, self.slug)),
            lambda content: without(content, field),
            means._replace(off=frozenset()),  # it is the person's, not the agent's
            operation=OPERATION,
        )

    def _files(self, place: Place) -> list[str]:
        """Return what is named after the person: cards, locks, unfinished writes."""
        with open_place(place) as root:
            return [
                f"{folder}/{name}"
                for folder in sorted({*FOLDERS.values()})
                for name in listed(root, folder)
                if self.slug in name
            ]

    def _beside(self, place: Place) -> list[str]:
        """Return what was left beside the card in *place*."""
        card = card_of(place, self.slug)
        return [each for each in self._files(place) if each != card]

    def _remove_files(self, place: Place, files: Sequence[str], means: Means) -> None:
        if not files:
            return
        timeout = means.access.busy_timeout
        with open_place(place) as root, held(root, timeout):
            for file in files:
                disk.remove(root, file)

    def _quarantined(self, place: Place) -> list[str]:
        """Return what is in quarantine, and speaks of the person's card."""
        name = self.slug.encode()
        with open_place(place) as root:
            return [
                f"{QUARANTINE}/{each}"
                for each in listed(root, QUARANTINE)
                if name in _content(root, f"{QUARANTINE}/{each}")
            ]

    def _reindex(self, place: Place, means: Means) -> None:
        """Make the index of *place* anew, and drop what was kept of it elsewhere."""
        from crewmem.files.reindex import reindex

        if (place.path / INDEX_NAME).exists():  # of a vector the text can be guessed
            reindex(place, means.access, full=True, carry=False)
        cache = means.access.cache
        if cache is None or not cache.is_dir():
            return
        with disk.open_root(cache) as root:
            for name in os.listdir(root):  # noqa: PTH208 - of a descriptor
                if _content(root, f"{name}/{TREE_NOTE}") == bytes(place.path):
                    for file in (INDEX_NAME, *(INDEX_NAME + end for end in SIDECARS)):
                        disk.discard(root, f"{name}/{file}")

    # Versions

    def _holding(self, ref: str, field: FactField) -> list[Version]:
        """Return the versions of *ref* that say something of *field*.

        One whose content cannot be read is among them.
        """
        return [
            each
            for each in self.history.store.versions(ref)
            if self._holds(each, field)
        ]

    def _holds(
        self, version: Version, field: FactField, *, unread: bool = True
    ) -> bool:
        """Tell whether *version* says something of *field*; *unread*: nobody knows."""
        if version.kept is None:
            return False
        try:
            return field in fields_of(self.history.contents.get(version.kept))
        except CrewmemError:
            return unread

    def _empty_entries(self, means: Means, field: str, named: Sequence[str]) -> None:
        """Erase what the journal says of writes of a card beside that they were.

        A card is short: by its hash and its size it can be guessed.
        """
        if means.journal:
            workspace = self.store.workspace
            ids = naming(self.store.db, workspace, field, named)
            purge(means.journal, workspace, ids, now=means.now)

    def _drop_unkept(self, means: Means) -> None:
        """Drop contents that no version keeps, such as of a write that was killed."""
        if means.journal:
            names = [*self.history.contents.names()]
            left = version_store.referred(self.store.db, names)
            unkept = [name for name in names if name not in left]
            prune.drop_unkept(means.journal, self.history.contents, unkept)

    # The database

    def _note(self, means: Means, action: str, fields: Sequence[str] = ()) -> None:
        self.store.note(self.slug, action, actor=means.by, now=means.now, fields=fields)

    def with_left(self, planned: Erased, field: FactField | None) -> Erased:
        """Return *planned*, which is nothing, with what older databases hold still.

        An erasing that was killed at its very end leaves that.
        """
        gone = bool(field) and self.store.was_forgotten(self.slug, str(field))
        facts, versions = self._before.left(
            field, lambda each: bool(field and self._holds(each, field, unread=gone))
        )
        changed = bool(facts or versions)
        return planned._replace(facts=facts, versions=versions, changed=changed)

    def finish(self, left: Erased, field: FactField | None) -> Erased:
        """Erase what is *left* in older databases."""
        self.scrub(field)
        return left._replace(dry_run=False, done=True)

    def settle(self) -> None:
        """Leave nothing of what was erased in the database."""
        with self.store.transaction():
            settle(self.store.db)
        scrub(self.store.db)

    def scrub(self, field: FactField | None = None) -> None:
        """Leave nothing of what was erased in the database, nor in those of before."""
        self.settle()
        if field is None:
            self._before.erase()
        else:
            self._before.forget(field, lambda each: self._holds(each, field))


def _content(root: int, file: str) -> bytes:
    """Return what *file* below *root* holds; nothing if it cannot be read."""
    with suppress(CrewmemError):
        return disk.read(root, file, limit=QUARANTINED_MOST)
    return b""
