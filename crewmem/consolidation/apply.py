"""Carrying out a plan: files, facts, journal entries, archive.

Each part can be repeated: a line that stands in its section is not added again, a fact with the
same content is the same fact, a note that was moved is not there to be moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any

from crewmem.access import lowest_origin
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
from crewmem.storage.sqlite import transaction
from crewmem.times import parse_when

ATTEMPTS = 3
"""Times that a file is read and written anew when somebody changed it meanwhile."""


def apply_changes(
    changes: Sequence[Change],
    *,
    context: Context,
    files: TargetFiles,
    facts: Facts,
    journal: Journal,
    store: CandidateStore,
) -> list[str]:
    """Apply changes; return the ids of the entries ``memory.consolidated``.

    A file that refuses the text (the scanner, a cap) costs its lines, not the run: they are
    reported as a warning and their candidates are rejected.
    """
    entries: list[str] = []
    for target in dict.fromkeys(each.target for each in changes if each.action == "line"):
        chosen = [each for each in changes if each.action == "line" and each.target == target]
        try:
            files.edit(
                target,
                partial(add_lines, new=[each.line for each in chosen]),
                lowest_origin(each.origin for each in chosen),
            )
        except RefusedError as error:
            context.warn("consolidation-refused", f"{target}: {error.message}")
            store.set_status([each.candidate for each in chosen], "rejected")
            continue
        entries += _record(chosen, context, journal, store)
    for change in changes:
        if change.action == "rule":
            files.edit(change.target, partial(_append_rule, change=change), change.origin)
            entries += _record([change], context, journal, store)
        elif change.action == "pins":
            files.edit(
                change.target,
                partial(render_section, lines=change.lines, heading=HEADING),
                change.origin,
            )
    wanted = [each for each in changes if each.action == "fact"]
    for start in range(0, len(wanted), 50):
        with transaction(context.db):
            stored = []
            for change in wanted[start : start + 50]:
                try:
                    change.target = add_fact(facts, change, context)
                except RefusedError as error:
                    context.warn("consolidation-refused", f"{change.text[:60]}: {error.message}")
                    store.set_status([change.candidate], "rejected")
                    continue
                stored.append(change)
            entries += _record(stored, context, journal, store)
    for change in changes:
        if change.action == "archive":
            files.archive(change.target, change.text)
    return entries


def find_time(day: str, context: Context) -> datetime:
    """Return the end of *day*, when its note said all of it; now, if that is earlier."""
    return min(parse_when(day, now=context.now, zone=context.zone, end=True), context.now)


def add_fact(facts: Any, change: Change, context: Context) -> str:
    """Store the fact of a change; return its id."""
    added = facts.add(
        change.text,
        kind=change.kind,
        scope="agent" if change.agent else "crew" if change.crew else "workspace",
        agent=change.agent or None,
        crew=change.crew or None,
        origin=change.origin,
        confidence=change.confidence,
        occurred_at=find_time(change.day, context) if change.day else None,
        metadata={"candidate": change.candidate, "evidence": change.evidence},
        tags=["consolidated"],
    )
    return str(added.id)


class TargetFiles:
    """The memory files that a plan edits, through the write path of memory files."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def read(self, reference: str) -> bytes | None:
        """Return the content of a file; None when it does not exist."""
        target, _ = self._memory.locator.resolve(reference, must_exist=False)
        try:
            return self._memory.read_content(target)
        except NotFoundError:
            return None

    def edit(self, reference: str, edit: Callable[[str], str], origin: str) -> None:
        """Rewrite a file, if *edit* changes it; read it anew when somebody was faster.

        Its class becomes the lowest of its own and *origin*: its old text is still there.
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


def _append_rule(text: str, change: Change) -> str:
    block = "\n".join(change.lines)
    if block in text:
        return text
    return f"{text.rstrip()}\n\n{block}\n" if text.strip() else f"{block}\n"


def _record(
    changes: Sequence[Change], context: Context, journal: Journal, store: CandidateStore
) -> list[str]:
    """Append an entry for each promoted statement, relate it to its entries, settle it."""
    ids = []
    with transaction(context.db):
        for change in changes:
            entry = journal.append(
                "memory.consolidated",
                change.text,
                payload={
                    "kind": change.kind,
                    "file": change.target,
                    "evidence": change.evidence,
                    "score": change.score.get("total", 0.0),
                },
                refs={"source_entry_ids": [e for e in change.evidence if e.startswith("j_")]},
                crew=change.crew,
                agent=change.agent,
                origin=change.origin,
            )
            for place in change.evidence:
                if place.startswith("j_"):
                    journal.add_relation(entry, place, "supports")
            ids.append(entry)
        store.set_targets((each.candidate, each.target) for each in changes if each.candidate)
    return ids
