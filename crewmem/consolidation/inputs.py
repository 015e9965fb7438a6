"""What a run reads: notes, lessons, journal entries and session facts that are new.

Every text is scanned before it is read: refused and suspicious passages are left out, secrets
are redacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.consolidation.candidates import Candidate, Evidence, hash_text, observe_note
from crewmem.context import Context
from crewmem.errors import CrewmemError
from crewmem.files.chunking import decode
from crewmem.files.locations import MemoryDirectory
from crewmem.files.memory import Memory
from crewmem.files.origins import default_origin
from crewmem.files.tiers import day_of
from crewmem.origins import may_push
from crewmem.security.findings import Finding
from crewmem.security.secrets import redact
from crewmem.storage.filesystem import SkippedFile, read_file, walk_files
from crewmem.storage.json_columns import load_object
from crewmem.text.judgement import MARKED, judge_note
from crewmem.text.statements import Statement
from crewmem.times import local_day, parse_time

ENTRY_TYPES = (
    "peer.escalation",
    "summary.generated",
    "keeper.decision",
    "mission.status_change",
    "eval.regression_detected",
)
"""Journal entries that are inputs; of keeper decisions only those that denied."""

DENIED = frozenset({"deny", "denied", "reject", "rejected", "block", "blocked", "refused"})

ENTRY_CHANCE = 0.5
"""Least probability of an entry: its type was chosen because such entries matter."""


UNREADABLE_LINE = re.compile("^.*\ufffd.*$", re.MULTILINE)
"""A line with characters that are not UTF-8: it is no statement before somebody mends it."""

LESSON = re.compile(
    r"(?:[-*+]\s+)?(?:\*\*)?\[?(positive|negative|neutral)\]?(?:\*\*)?[:\s—-]*"
    r"(?:(\d{4}-\d\d-\d\d)\S*)?[\s—:-]*(.+)"
)

TARGET_TIERS = ("agent", "crew", "topic", "learned", "pins")
"""Tiers of files that may be edited."""

SESSION_KINDS = ("context", "summary", "error", "meeting")
"""Kinds of session facts that are not inputs: they pass, or were made of other facts."""


class InputFile(NamedTuple):
    """A daily note or a lessons file.

    Attributes:
        ref: As search prints it.
        hash: SHA-256 of its content.
        text: Only of one that is pending.
    """

    ref: str
    directory: MemoryDirectory
    file: str
    tier: str
    day: date
    hash: str
    text: str = ""


@dataclass(slots=True)
class Inputs:
    """What was read for one crew.

    Attributes:
        observed: What the new ones say.
        notes: Every daily note that is there, new or not.
        pending: Notes and lessons that are new and not scanned yet.
        files: Texts of files that may be edited, by reference.
        watermarks: New positions by agent and source.
        read: Number of sources that were new.
        dropped: What was left out, with the reason.
        entries: New journal entries by id: type and summary.
    """

    observed: list[Candidate] = field(default_factory=list)
    notes: list[InputFile] = field(default_factory=list)
    pending: list[InputFile] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    watermarks: dict[tuple[str, str], str] = field(default_factory=dict)
    read: int = 0
    dropped: list[tuple[str, str]] = field(default_factory=list)
    entries: dict[str, tuple[str, str]] = field(default_factory=dict)


def read_directory(
    inputs: Inputs,
    directory: MemoryDirectory,
    *,
    watermarks: Mapping[tuple[str, str], str],
    since: date | None,
    context: Context,
    targets_only: bool = False,
) -> None:
    """Read the notes, lessons and target files of a memory directory into *inputs*.

    Args:
        inputs: Is added to.
        directory: Which one.
        watermarks: Positions of the last run.
        since: Notes of this day and later are read again.
        context: For the time zone and warnings.
        targets_only: Whether only files that may be edited are read.
    """
    agent = directory.agent
    for entry in sorted(walk_files(directory.path), key=lambda each: each[0]):
        if isinstance(entry, SkippedFile):
            context.warn("file-skipped", f"{directory.prefix}{entry.relative}: {entry.reason}")
            continue
        file = entry.relative
        ref = directory.prefix + file
        tier = directory.tier_of(file)
        is_note = not directory.has_tiers or (tier == "daily" and "/archive/" not in file)
        is_input = is_note or tier == "lessons"
        if targets_only if is_input else tier not in TARGET_TIERS:
            continue
        try:
            content = read_file(directory.path, file)
        except CrewmemError as error:
            context.warn("file-skipped", f"{ref}: {error.message}")
            continue
        if not is_input:
            inputs.files[ref] = content.decode("utf-8", "replace")
            continue
        changed = datetime.fromtimestamp(entry.mtime_ns / 1e9, UTC)
        day = day_of(file) or local_day(changed, context.zone)
        read = InputFile(ref, directory, file, tier, day, sha256(content).hexdigest())
        if is_note:
            inputs.notes.append(read)
        widened = since is not None and day >= since
        if watermarks.get((agent, ref)) == read.hash and not widened:
            continue
        inputs.watermarks[agent, ref] = read.hash
        inputs.read += 1
        text, problem = decode(content)
        if problem:
            inputs.dropped.append((ref, problem.partition(":")[0]))
            text = UNREADABLE_LINE.sub("", text)
        inputs.pending.append(read._replace(text=text))


def observe_pending(inputs: Inputs, memory: Memory) -> None:
    """Scan what is new and read its statements.

    Args:
        inputs: With what is pending.
        memory: Remembers what the scanner found in files that did not change.
    """
    paths = {str(each.directory.path / each.file): each.ref for each in inputs.pending}
    targets = [target for target in memory.targets() if str(target.path) in paths]
    findings = {paths[file.path]: file.findings for file in memory.find_findings(targets)}
    versions = memory.versions
    newest = versions.newest_of({each.ref for each in inputs.pending}) if versions else {}
    for each in inputs.pending:
        text = _clean(each.text, each.ref, findings.get(each.ref, ()), inputs)
        version = newest.get(each.ref)
        origin = version.origin if version else default_origin(each.directory, each.tier)
        owner = each.directory.owner
        if each.tier == "lessons":
            inputs.observed += _observe_lessons(text, each.ref, each.day, owner, origin)
        else:
            inputs.observed += observe_note(
                text, ref=each.ref, day=each.day.isoformat(), owner=owner, origin=origin
            )
    inputs.pending.clear()


def _clean(text: str, ref: str, findings: Sequence[Finding], inputs: Inputs) -> str:
    """Return *text* with secrets redacted, and without passages that the scanner found.

    Lines keep their numbers. Suspicious passages stay in the note; they are only not promoted,
    because a file of an agent's own would not mark them.
    """
    if any(each.class_ == "secret" for each in findings):
        text = redact(text)
    lines = text.split("\n")
    for each in findings:
        if each.class_ != "secret":
            inputs.dropped.append((f"{ref}:{each.first_line}", f"{each.class_}: {each.rule}"))
            for number in range(max(each.first_line, 1), min(each.last_line, len(lines)) + 1):
                lines[number - 1] = ""
    return "\n".join(lines)


def _observe_lessons(
    text: str, ref: str, day: date, owner: str, origin: str
) -> Iterator[Candidate]:
    """Yield the entries of lessons.md. They are memory already, so they are never marked."""
    for number, line in enumerate(text.split("\n"), 1):
        match = LESSON.match(line.strip())
        if match and len(match[3]) > 8:
            place = Evidence(
                ref=f"{ref}:{number}",
                hash=hash_text(line.strip()),
                day=match[2] or day.isoformat(),
                source="lesson",
                owner=owner,
                origin=origin,
                section=match[1],
            )
            yield Candidate(match[3].strip(), "lesson", [place], MARKED)


def read_entries(
    inputs: Inputs, rows: Sequence[tuple[str, ...]], crew: str, context: Context
) -> None:
    """Read journal entries into *inputs*: (id, ts, type, agent, origin, summary, payload)."""
    for entry_id, ts, entry_type, agent, origin, summary, payload in rows:
        if entry_type == "keeper.decision":
            values = load_object(payload)
            verdict = str(values.get("decision") or values.get("verdict") or "").lower()
            if verdict not in DENIED and values.get("allowed") is not False:
                continue
        found = context.scanner.scan(summary, file=entry_id)
        if any(each.class_ != "secret" for each in found):
            inputs.dropped.append((entry_id, f"{found[0].class_}: {found[0].rule}"))
            continue
        text = redact(summary) if found else summary
        inputs.read += 1
        if may_push(origin):
            inputs.entries[entry_id] = (entry_type, text)
        judged = judge_note(Statement(text, 0, 0, ()))
        day = local_day(parse_time(ts), context.zone).isoformat()
        owner = f"{crew}/{agent}" if agent else crew
        place = Evidence(
            ref=entry_id,
            hash=hash_text(text),
            day=day,
            source="journal",
            owner=owner,
            origin=origin,
            section=entry_type,
        )
        chance = max(judged.probability, ENTRY_CHANCE)
        inputs.observed.append(Candidate(text, judged.kind, [place], chance, topic=entry_type))


def read_session_facts(
    inputs: Inputs, rows: Sequence[tuple[str, ...]], crew: str, context: Context
) -> None:
    """Read facts that sessions gave: (id, created_at, agent, kind, origin, content, session)."""
    for fact_id, created_at, agent, kind, origin, content, session in rows:
        if kind in SESSION_KINDS:
            continue
        inputs.read += 1
        day = local_day(parse_time(created_at), context.zone).isoformat()
        place = Evidence(
            ref=fact_id,
            hash=hash_text(content),
            day=day,
            source="fact",
            owner=f"{crew}/{agent}",
            origin=origin,
            section=session,
        )
        inputs.observed.append(Candidate(content, kind, [place], MARKED))


def is_promotable_scope(directory: MemoryDirectory) -> bool:
    """Return whether a directory has notes to consolidate: an agent's, a crew's, or any tree's."""
    return directory.scope is not Scope.WORKSPACE or not directory.has_tiers
