"""Carrying out a plan: files, facts, journal entries, archive.

Applying is idempotent, so that a killed run may start again: a line that stands in its section is
not added again, a fact with the same content is the same fact, an entry that says the same of the
same evidence is not appended again, a note that was moved is not there to be moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from crewmem.consolidation.pins import HEADING
from crewmem.consolidation.plan import Change
from crewmem.consolidation.sections import add_lines, render_section
from crewmem.consolidation.store import CandidateStore
from crewmem.errors import ConflictError, NotFoundError, RefusedError
from crewmem.files.memory import Memory
from crewmem.files.tiers import archive_name
from crewmem.journal.entry import MAX_SUMMARY
from crewmem.origins import lowest_origin
from crewmem.storage.sqlite import transaction
from crewmem.times import parse_when

if TYPE_CHECKING:
    from crewmem.home import Home

ATTEMPTS = 3
"""Times that a file is read and written anew when somebody changed it meanwhile."""

FACTS_AT_ONCE = 50
"""Facts of one transaction: few enough that other writers do not wait for long."""


class PlanApplier:
    """Applies changes of plans.

    Attributes:
        refused: Changes that the scanner, a cap or a read-only file refused.
    """

    def __init__(self, home: Home, candidates: CandidateStore) -> None:
        self.context, self.memory = home.context, home.memory
        self.facts, self.journal = home.reviewed_facts, home.journal
        self.candidates = candidates
        self.refused: list[Change] = []

    def apply(self, changes: Sequence[Change]) -> list[Change]:
        """Apply changes.

        Where the scanner or a cap refuses a change, the others are applied: it becomes a warning,
        and its candidate is rejected.

        Returns:
            What was applied: not what was refused, and not notes that stay because they changed.
        """
        applied: list[Change] = []
        lines: dict[str, list[Change]] = {}
        for change in changes:
            if change.action == "line":
                lines.setdefault(change.target, []).append(change)
        for target, added in lines.items():
            if self._edit(added, partial(add_lines, new=[each.line for each in added])):
                self._record([(each, target) for each in added])
                applied += added
        for change in changes:
            if change.action == "rule":
                if self._edit([change], partial(append_block, block="\n".join(change.lines))):
                    self._record([(change, change.target)])
                    applied.append(change)
            elif change.action == "pins":
                pins = partial(render_section, lines=change.lines, heading=HEADING)
                if self._edit([change], pins):
                    applied.append(change)
        facts = [each for each in changes if each.action == "fact"]
        for start in range(0, len(facts), FACTS_AT_ONCE):
            applied += self._add_facts(facts[start : start + FACTS_AT_ONCE])
        applied += self._archive([each for each in changes if each.action == "archive"])
        return applied

    def _edit(self, changes: Sequence[Change], edit: Callable[[str], str]) -> bool:
        """Rewrite the file that is the target of *changes*; tell whether it took them.

        When somebody else writes it meanwhile, it is read and edited anew.
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
                    # Only leads and operators run consolidation or approve its plans, which was
                    # checked before. So a lead may change files of its agents here.
                    authorized=True,
                )
                return True
            except RefusedError as error:
                self._reject(changes, target, error)
                return False
            except ConflictError:
                if attempts == ATTEMPTS:
                    raise

    def _add_facts(self, changes: Sequence[Change]) -> list[Change]:
        """Add facts in one transaction; return the changes that were not refused."""
        context = self.context
        stored = []
        with transaction(context.db):
            for change in changes:
                occurred_at = None
                if change.day:  # the note does not say when: it was before the end of its day
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
        """Move notes to ``daily/archive/YYYY/``; return those that left. Changed ones stay."""
        left, moves = [], []
        for change in changes:
            target, _ = self.memory.locator.resolve(change.target, must_exist=False)
            try:
                content = target.read()
            except NotFoundError:  # a killed run moved it
                left.append(change)
                continue
            if sha256(content).hexdigest() == change.digest:
                left.append(change)
                moves.append((target, archive_name(target.file)))
        self.memory.move(moves, operation="archive")
        return left

    def _reject(self, changes: Sequence[Change], refused: str, error: RefusedError) -> None:
        """Warn of what was refused, and settle its candidates."""
        self.refused.extend(changes)
        self.context.warn("consolidation-refused", f"{refused}: {error.message}")
        with transaction(self.context.db):
            self.candidates.set_status([each.candidate for each in changes], "rejected")

    def _record(self, promoted: Sequence[tuple[Change, str]]) -> None:
        """Append an entry for each promoted statement, related to the entries that support it.

        A statement that has its entry gets no other one. Its candidate is settled.

        Args:
            promoted: Changes, each with the file or the id of the fact that holds it now.
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


def read_target(memory: Memory, reference: str) -> bytes | None:
    """Return the content of a file that a plan edits; None when it does not exist."""
    target, _ = memory.locator.resolve(reference, must_exist=False)
    try:
        return target.read()
    except NotFoundError:
        return None


def append_block(text: str, block: str) -> str:
    """Return *text* with *block* as its last paragraph, if it is not in it."""
    if block in text:
        return text
    return f"{text.rstrip()}\n\n{block}\n" if text.strip() else f"{block}\n"
