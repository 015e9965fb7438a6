"""Apply a plan: edit files, add facts, append journal entries, archive notes.

Applying is idempotent, so that an interrupted run can be repeated. A line that is in its section, a
fact with the same content, and a journal entry with the same text, file and evidence are not added
again. A note that was moved is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from crewmem.consolidation.pins import HEADING
from crewmem.consolidation.plan import Change
from crewmem.consolidation.sections import add_lines, render_section
from crewmem.consolidation.store import CandidateStore
from crewmem.errors import ConflictError, CrewmemError, NotFoundError, RefusedError
from crewmem.files.directories import Target
from crewmem.files.memory import Memory
from crewmem.files.tiers import archive_name
from crewmem.journal.entry import MAX_SUMMARY
from crewmem.origins import lowest_origin
from crewmem.storage.sqlite import transaction
from crewmem.times import parse_when

if TYPE_CHECKING:
    from crewmem.home import Home

FOR_GOOD = ("attack", "attack-refused", "quarantined")
"""Codes of refusals by the scanner. Others, such as a file without room, may end."""

ATTEMPTS = 3
"""Maximum number of attempts to edit a file while other programs change it."""

FACTS_PER_TRANSACTION = 50
"""Few enough that other writers do not wait long."""


class PlanApplier:
    """Applies the changes of plans.

    Attributes:
        refused: Changes that were refused by the scanner, a size cap or a read-only file.
        postponed: Those among them that a later run tries again.
    """

    def __init__(self, home: Home, candidates: CandidateStore) -> None:
        self.context, self.memory = home.context, home.memory
        self.facts, self.journal = home.reviewed_facts, home.journal
        self.candidates = candidates
        self.refused: list[Change] = []
        self.postponed: list[Change] = []

    def apply(self, changes: Sequence[Change]) -> list[Change]:
        """Apply changes.

        If a change is refused, there is a warning, and the other changes are applied. Its candidate
        is rejected if the scanner refused it, else open, and notes with it are not archived.

        Returns:
            The applied changes, without refused ones and notes that have changed since planning.
        """
        applied: list[Change] = []
        lines: dict[str, list[Change]] = {}
        for change in changes:
            if change.action == "line":
                lines.setdefault(change.target, []).append(change)
        for target, edits in lines.items():
            if self._edit_file(edits, partial(add_lines, new=[each.line for each in edits])):
                self._record([(each, target) for each in edits])
                applied += edits
        for change in changes:
            if change.action == "rule":
                if self._edit_file([change], partial(append_block, block="\n".join(change.lines))):
                    self._record([(change, change.target)])
                    applied.append(change)
            elif change.action == "pins":
                replace_pins = partial(render_section, lines=change.lines, heading=HEADING)
                if self._edit_file([change], replace_pins):
                    applied.append(change)
        facts = [each for each in changes if each.action == "fact"]
        for start in range(0, len(facts), FACTS_PER_TRANSACTION):
            applied += self._add_facts(facts[start : start + FACTS_PER_TRANSACTION])
        applied += self._archive([each for each in changes if each.action == "archive"])
        return applied

    def _edit_file(self, changes: Sequence[Change], edit: Callable[[str], str]) -> bool:
        """Edit the target file of *changes*; return False if the edit was refused.

        If another program changes the file meanwhile, it is read and edited again.
        """
        target = changes[0].target
        attempts = 0
        while True:
            attempts += 1
            try:
                before = read_target(self.memory, target)
                current = (before or b"").decode("utf-8", "surrogateescape")
                text = edit(current)
                if text == current:
                    return True
                self.memory.write(
                    text,
                    file=target,
                    mode="replace",
                    origin=lowest_origin(each.origin for each in changes),
                    expect="" if before is None else sha256(before).hexdigest(),
                    operation="consolidate",
                    keeps=True,
                    # Only leads and operators may run consolidation or approve a plan. That was
                    # checked before, so a lead may edit the files of its agents here.
                    authorized=True,
                )
                return True
            except (RefusedError, NotFoundError) as error:  # not found: its agent has moved
                self._reject(changes, target, error)
                return False
            except ConflictError:
                if attempts == ATTEMPTS:
                    raise

    def _add_facts(self, changes: Sequence[Change]) -> list[Change]:
        """Add facts in one transaction; return the changes that were applied."""
        context = self.context
        stored = []
        with transaction(context.db):
            for change in changes:
                occurred_at = None
                if change.day:  # a note has no time, so use the end of its day
                    end = parse_when(change.day, now=context.now, zone=context.zone, end=True)
                    occurred_at = min(end, context.now)
                try:
                    added = self.facts.add(
                        change.text,
                        kind=change.kind,
                        scope="agent" if change.agent else "crew" if change.crew else "workspace",
                        agent=change.agent or None,
                        crew=change.crew or None,
                        origin=change.origin,
                        confidence=change.confidence,
                        occurred_at=occurred_at,
                        metadata={"candidate": change.candidate, "evidence": change.evidence},
                        tags=["consolidated"],
                    )
                except RefusedError as error:
                    self._reject([change], change.text[:60], error)
                else:
                    stored.append((change, added.id))
            self._record(stored)
        return [change for change, _ in stored]

    def _archive(self, changes: Sequence[Change]) -> list[Change]:
        """Move notes to ``daily/archive/YYYY/``, unless they have changed since planning.

        Returns:
            The changes whose note is in the archive now.
        """
        archived: list[Change] = []
        moved: list[tuple[Change, Target]] = []
        needed = list_documents(self.postponed)
        for change in changes:
            if change.target in needed:
                continue
            try:
                target = self.memory.locator.resolve(
                    change.target, must_exist=False, authorized=True
                )
            except NotFoundError:  # its agent has moved to another crew
                continue
            try:
                content = target.read()
            except NotFoundError:  # an interrupted run moved it
                archived.append(change)
                continue
            if sha256(content).hexdigest() == change.digest:
                moved.append((change, target))
        moves = [(target, archive_name(target.file)) for _, target in moved]
        self.memory.move(moves, operation="archive")
        return archived + [change for change, target in moved if not target.path.exists()]

    def _reject(self, changes: Sequence[Change], name: str, error: CrewmemError) -> None:
        """Warn that changes were refused; reject their candidates, or postpone them."""
        is_for_good = error.code in FOR_GOOD
        self.refused.extend(changes)
        if not is_for_good:
            self.postponed.extend(changes)
        self.context.warn("consolidation-refused", f"{name}: {error.message}")
        status = "rejected" if is_for_good else "open"
        with transaction(self.context.db):
            self.candidates.set_status([each.candidate for each in changes], status)

    def _record(self, promoted: Sequence[tuple[Change, str]]) -> None:
        """Mark candidates as applied, and append a journal entry for each promoted statement.

        The relation `supports` links it to each journal entry in its evidence. A promotion that is
        recorded already is not recorded again.

        Args:
            promoted: Changes, each with the file or the id of the fact that contains it now.
        """
        with transaction(self.context.db):
            recorded = self.candidates.list_consolidated([change.text for change, _ in promoted])
            new = []
            for change, target in promoted:
                if change.candidate:
                    self.candidates.set_status([change.candidate], "applied", target=target)
                if (change.text[:MAX_SUMMARY], target, tuple(change.evidence)) not in recorded:
                    sources = [each for each in change.evidence if each.startswith("j_")]
                    new.append((change, target, sources))
            entries = self.journal.append_all(
                (
                    "memory.consolidated",
                    change.text,
                    {
                        "payload": {
                            "kind": change.kind,
                            "file": target,
                            "evidence": change.evidence,
                            "score": change.score.get("total", 0.0),
                        },
                        "refs": {"source_entry_ids": sources},
                        "crew": change.crew,
                        "agent": change.agent,
                        "origin": change.origin,
                    },
                )
                for change, target, sources in new
            )
            for entry, (_, _, sources) in zip(entries, new, strict=True):
                for source in sources:
                    self.journal.add_relation(entry, source, "supports")


def list_documents(changes: Iterable[Change]) -> set[str]:
    """Return the files and ids in the evidence of changes."""
    places = (place.partition("@")[0] for change in changes for place in change.evidence)
    return {place.rpartition(":")[0] or place for place in places}


def read_target(memory: Memory, reference: str) -> bytes | None:
    """Return the content of a file that a plan edits; None if the file does not exist.

    Whoever decides about a plan may see what it edits: a lead the files of its agents, but not of
    those that have moved to another crew.
    """
    try:
        return memory.locator.resolve(reference, must_exist=False, authorized=True).read()
    except NotFoundError:
        return None


def append_block(text: str, block: str) -> str:
    """Return *text* with *block* as its last paragraph, unless the text contains it."""
    if block in text:
        return text
    return f"{text.rstrip()}\n\n{block}\n" if text.strip() else f"{block}\n"
