"""Carrying out a plan: files, facts, journal entries, archive.

Applying is idempotent, so that a killed run may start again: a line that stands in its section is
not added again, a fact with the same content is the same fact, a note that was moved is not there
to be moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256

from crewmem.consolidation.pins import HEADING
from crewmem.consolidation.plan import Change
from crewmem.consolidation.sections import add_lines, render_section
from crewmem.consolidation.store import CandidateStore
from crewmem.context import Context
from crewmem.errors import ConflictError, NotFoundError, RefusedError
from crewmem.facts.store import Facts
from crewmem.files.memory import Memory
from crewmem.files.tiers import archive_name
from crewmem.journal.store import Journal
from crewmem.origins import lowest_origin
from crewmem.storage.sqlite import transaction
from crewmem.times import parse_when

ATTEMPTS = 3
"""Times that a file is read and written anew when somebody changed it meanwhile."""

FACTS_AT_ONCE = 50
"""Facts of one transaction: few enough that other writers do not wait for long."""


@dataclass(frozen=True, slots=True)
class PlanApplier:
    """Applies changes, one method for each kind of action."""

    context: Context
    files: TargetFiles
    facts: Facts
    journal: Journal
    candidates: CandidateStore

    def apply(self, changes: Sequence[Change]) -> list[str]:
        """Apply changes; return the ids of the entries ``memory.consolidated``.

        Where the scanner or a cap refuses a change, the others are applied: it becomes a warning,
        and its candidate is rejected.
        """
        entries: list[str] = []
        lines = [each for each in changes if each.action == "line"]
        for target in dict.fromkeys(each.target for each in lines):
            entries += self._add_lines([each for each in lines if each.target == target])
        for change in changes:
            if change.action == "rule":
                entries += self._append_rule(change)
            elif change.action == "pins":
                self._write_pins(change)
        facts = [each for each in changes if each.action == "fact"]
        for start in range(0, len(facts), FACTS_AT_ONCE):
            entries += self._add_facts(facts[start : start + FACTS_AT_ONCE])
        for change in changes:
            if change.action == "archive":
                self.files.archive(change.target, change.digest)
        return entries

    def _add_lines(self, changes: Sequence[Change]) -> list[str]:
        """Add lines to the section of the one file that is their target."""
        lines = [each.line for each in changes]
        if not self._edit(changes, partial(add_lines, new=lines)):
            return []
        return self._record((each, each.target) for each in changes)

    def _append_rule(self, change: Change) -> list[str]:
        block = "\n".join(change.lines)

        def append(text: str) -> str:
            if block in text:
                return text
            return f"{text.rstrip()}\n\n{block}\n" if text.strip() else f"{block}\n"

        return self._record([(change, change.target)]) if self._edit([change], append) else []

    def _write_pins(self, change: Change) -> None:
        self._edit([change], partial(render_section, lines=change.lines, heading=HEADING))

    def _add_facts(self, changes: Sequence[Change]) -> list[str]:
        stored = []
        with transaction(self.context.db):
            for change in changes:
                try:
                    stored.append((change, add_fact(self.facts, change, self.context)))
                except RefusedError as error:
                    self._reject([change], change.text[:60], error)
            return self._record(stored)

    def _edit(self, changes: Sequence[Change], edit: Callable[[str], str]) -> bool:
        """Rewrite the file that is the target of *changes*; tell whether it took them."""
        target = changes[0].target
        try:
            self.files.rewrite(target, edit, lowest_origin(each.origin for each in changes))
        except RefusedError as error:
            self._reject(changes, target, error)
            return False
        return True

    def _reject(self, changes: Sequence[Change], refused: str, error: RefusedError) -> None:
        """Warn of what was refused, and settle its candidates."""
        self.context.warn("consolidation-refused", f"{refused}: {error.message}")
        self.candidates.set_status([each.candidate for each in changes], "rejected")

    def _record(self, promoted: Iterable[tuple[Change, str]]) -> list[str]:
        """Append an entry for each promoted statement, related to the entries that support it.

        Its candidate is settled.

        Args:
            promoted: Changes, each with the file or the id of the fact that holds it now.
        """
        ids = []
        with transaction(self.context.db):
            for change, target in promoted:
                sources = [each for each in change.evidence if each.startswith("j_")]
                entry = self.journal.append(
                    "memory.consolidated",
                    change.text,
                    payload={
                        "kind": change.kind,
                        "file": target,
                        "evidence": change.evidence,
                        "score": change.score.get("total", 0.0),
                    },
                    refs={"source_entry_ids": sources},
                    crew=change.crew,
                    agent=change.agent,
                    origin=change.origin,
                )
                for source in sources:
                    self.journal.add_relation(entry, source, "supports")
                ids.append(entry)
                if change.candidate:
                    self.candidates.set_status([change.candidate], "applied", target=target)
        return ids


def end_of_day(day: str, context: Context) -> datetime:
    """Return the end of that day, but never later than now."""
    return min(parse_when(day, now=context.now, zone=context.zone, end=True), context.now)


def add_fact(facts: Facts, change: Change, context: Context) -> str:
    """Store the fact of a change; return its id."""
    added = facts.add(
        change.text,
        kind=change.kind,
        scope="agent" if change.agent else "crew" if change.crew else "workspace",
        agent=change.agent or None,
        crew=change.crew or None,
        origin=change.origin,
        confidence=change.confidence,
        # The note does not say when: it was before the end of its day.
        occurred_at=end_of_day(change.day, context) if change.day else None,
        metadata={"candidate": change.candidate, "evidence": change.evidence},
        tags=["consolidated"],
    )
    return added.id


class TargetFiles:
    """The memory files that a plan edits, through the write path of memory files."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def read(self, reference: str) -> bytes | None:
        """Return the content of a file; None when it does not exist."""
        target, _ = self._memory.locator.resolve(reference, must_exist=False)
        try:
            return target.read()
        except NotFoundError:
            return None

    def rewrite(self, reference: str, edit: Callable[[str], str], origin: str) -> None:
        """Replace the text of a file by what *edit* makes of it, if that differs.

        When somebody else writes it meanwhile, it is read and edited anew.

        Args:
            origin: Origin class of what is new. The file gets the lower of it and its own
                class, because its old text is still in it.
        """
        for attempt in range(ATTEMPTS):
            before = self.read(reference)
            current = (before or b"").decode("utf-8", "surrogateescape")
            text = edit(current)
            if text == current:
                return
            versions = self._memory.versions
            newest = versions.newest(reference) if versions and before is not None else None
            try:
                self._memory.write(
                    text,
                    file=reference,
                    mode="replace",
                    origin=lowest_origin([origin, *([newest.origin] if newest else [])]),
                    expect=sha256(before).hexdigest() if before is not None else "",
                    operation="consolidate",
                    # Only leads and operators run consolidation or approve its plans, which was
                    # checked before. So a lead may change files of its agents here.
                    authorized=True,
                )
                return
            except ConflictError:
                if attempt == ATTEMPTS - 1:
                    raise

    def archive(self, reference: str, digest: str) -> None:
        """Move a note to ``daily/archive/YYYY/``, unless it has changed or is gone."""
        content = self.read(reference)
        if content is None or sha256(content).hexdigest() != digest:
            return
        target, _ = self._memory.locator.resolve(reference)
        self._memory.move(target, archive_name(target.file), operation="archive")
