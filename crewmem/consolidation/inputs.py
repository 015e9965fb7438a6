"""Read the inputs of a run: new notes, lessons, journal entries and facts from sessions.

Every text is scanned first: attacks and suspicious passages are left out, secrets are redacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import NamedTuple

from crewmem.access import Scope
from crewmem.consolidation.candidates import Candidate, Evidence, find_candidates, hash_text
from crewmem.context import Context
from crewmem.errors import CrewmemError
from crewmem.files.decoding import decode
from crewmem.files.directories import MemoryDirectory
from crewmem.files.memory import Memory
from crewmem.files.origins import default_origin
from crewmem.files.tiers import day_of
from crewmem.origins import may_push
from crewmem.security.findings import Finding
from crewmem.security.secrets import redact
from crewmem.sessions.formats.openclaw import blank_program_lines
from crewmem.storage.filesystem import SkippedFile, read_file, walk_files
from crewmem.storage.json_columns import load_object
from crewmem.text.judgement import MARKED, judge_note
from crewmem.text.statements import Statement
from crewmem.times import local_day, stored_day

ENTRY_TYPES = (
    "peer.escalation",
    "summary.generated",
    "keeper.decision",
    "mission.status_change",
    "eval.regression_detected",
)
"""Types of journal entries that are inputs. A keeper decision is one only if it is a denial."""

DENIALS = frozenset({"deny", "denied", "reject", "rejected", "block", "blocked", "refused"})

MIN_ENTRY_PROBABILITY = 0.5
"""Minimum probability of an entry: entries of `ENTRY_TYPES` often matter, whatever their words."""

UNREADABLE_LINE = re.compile("^.*\ufffd.*$", re.MULTILINE)
"""A line with characters that are not UTF-8. It is left out until somebody repairs it."""

LESSON = re.compile(
    r"(?:[-*+]\s+)?(?:\*\*)?\[?(positive|negative|neutral)\]?(?:\*\*)?[:\s—-]*"
    r"(?:(\d{4}-\d\d-\d\d)\S*)?[\s—:-]*(.+)"
)
"""An entry of lessons.md: its kind, day and text."""

MIN_LESSON = 9
"""Minimum characters of a lesson."""

TARGET_TIERS = ("agent", "crew", "topic", "learned", "pins")
"""Tiers of the files that consolidation may edit."""

OTHER_FACT_KINDS = ("context", "summary", "error", "meeting")
"""Kinds of facts from sessions that are not inputs: they do not last, or summarize others."""


class EntryRow(NamedTuple):
    """A journal entry, as `CandidateStore.list_entries` reads it."""

    id: str
    ts: str
    type: str
    agent: str
    origin: str
    summary: str
    payload: str


class FactRow(NamedTuple):
    """A fact from a session, as `CandidateStore.list_session_facts` reads it."""

    id: str
    ts: str
    agent: str
    kind: str
    origin: str
    content: str
    session: str


class InputFile(NamedTuple):
    """A daily note or a lessons file.

    Attributes:
        ref: Reference, as search prints it.
        hash: SHA-256 of the content.
        text: "" unless the file is pending.
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
    """The inputs of one crew.

    Attributes:
        candidates: Statements of the new inputs, not merged.
        notes: All daily notes, new or not.
        pending: New notes and lessons files that have not been scanned.
        files: Texts of the files that consolidation may edit, by reference.
        watermarks: New positions, by agent and source.
        count: Number of new inputs.
        dropped: Texts that were left out, each with the reason.
        entries: Type and summary of new journal entries that may lead a prompt, by id.
    """

    candidates: list[Candidate] = field(default_factory=list)
    notes: list[InputFile] = field(default_factory=list)
    pending: list[InputFile] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    watermarks: dict[tuple[str, str], str] = field(default_factory=dict)
    count: int = 0
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
        watermarks: Positions of the last run.
        since: Notes of this day and later are read even if they have not changed.
        targets_only: Whether to read only files that consolidation may edit.
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
        if is_input and targets_only:
            continue
        if not is_input and tier not in TARGET_TIERS:
            continue
        try:
            content = read_file(directory.path, file)
        except CrewmemError as error:
            context.warn("file-skipped", f"{ref}: {error.message}")
            continue
        if not is_input:
            inputs.files[ref] = content.decode("utf-8", "replace")
            continue
        changed_at = datetime.fromtimestamp(entry.mtime_ns / 1e9, UTC)
        day = day_of(file) or local_day(changed_at, context.zone)
        input_file = InputFile(ref, directory, file, tier, day, sha256(content).hexdigest())
        if is_note:
            inputs.notes.append(input_file)
        is_in_window = since is not None and day >= since
        if watermarks.get((agent, ref)) == input_file.hash and not is_in_window:
            continue
        inputs.watermarks[agent, ref] = input_file.hash
        inputs.count += 1
        text, problem = decode(content)
        if problem:
            inputs.dropped.append((ref, problem.partition(":")[0]))
            text = UNREADABLE_LINE.sub("", text)
        inputs.pending.append(input_file._replace(text=text))


def read_pending(inputs: Inputs, memory: Memory) -> None:
    """Scan the pending files and add their statements to the candidates.

    Args:
        memory: Has the stored findings of files that have not changed since their last scan.
    """
    paths = {str(each.directory.path / each.file): each.ref for each in inputs.pending}
    targets = [target for target in memory.targets() if str(target.path) in paths]
    findings = {paths[file.path]: file.findings for file in memory.find_findings(targets)}
    versions = memory.versions
    newest = versions.newest_of({each.ref for each in inputs.pending}) if versions else {}
    for each in inputs.pending:
        text = _remove_findings(each.text, each.ref, findings.get(each.ref, ()), inputs)
        text = blank_program_lines(text)
        version = newest.get(each.ref)
        origin = version.origin if version else default_origin(each.directory, each.tier)
        day, owner = each.day.isoformat(), each.directory.owner
        find = _find_lessons if each.tier == "lessons" else find_candidates
        inputs.candidates += find(text, ref=each.ref, day=day, owner=owner, origin=origin)
    inputs.pending.clear()


def _remove_findings(text: str, ref: str, findings: Sequence[Finding], inputs: Inputs) -> str:
    """Return *text* with secrets redacted, and with blank lines instead of attacks.

    Suspicious passages are left out as well, because nothing would mark them as suspicious in the
    file of an agent. The note itself stays as it is.
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


def _find_lessons(text: str, *, ref: str, day: str, owner: str, origin: str) -> Iterator[Candidate]:
    """Yield the entries of lessons.md. They are memory already, so they are never marked."""
    for number, line in enumerate(text.split("\n"), 1):
        match = LESSON.match(line.strip())
        if match and len(match[3]) >= MIN_LESSON:
            place = Evidence(
                ref=f"{ref}:{number}",
                hash=hash_text(line.strip()),
                day=match[2] or day,
                source="lesson",
                owner=owner,
                origin=origin,
                section=match[1],
            )
            yield Candidate(match[3].strip(), "lesson", [place], MARKED)


def read_entries(inputs: Inputs, rows: Sequence[EntryRow], crew: str, context: Context) -> None:
    """Read journal entries into *inputs*."""
    for row in rows:
        if row.type == "keeper.decision":
            values = load_object(row.payload)
            verdict = str(values.get("decision") or values.get("verdict") or "").lower()
            if verdict not in DENIALS and values.get("allowed") is not False:
                continue
        findings = context.scanner.scan(row.summary, file=row.id)
        if any(each.class_ != "secret" for each in findings):
            inputs.dropped.append((row.id, f"{findings[0].class_}: {findings[0].rule}"))
            continue
        text = redact(row.summary) if findings else row.summary
        inputs.count += 1
        if may_push(row.origin):
            inputs.entries[row.id] = (row.type, text)
        judgement = judge_note(Statement(text, 0, 0, ()))
        place = Evidence(
            ref=row.id,
            hash=hash_text(text),
            day=stored_day(row.ts, context.zone).isoformat(),
            source="journal",
            owner=f"{crew}/{row.agent}" if row.agent else crew,
            origin=row.origin,
            section=row.type,
        )
        probability = max(judgement.probability, MIN_ENTRY_PROBABILITY)
        inputs.candidates.append(
            Candidate(text, judgement.kind, [place], probability, topic=row.type)
        )


def read_session_facts(
    inputs: Inputs, rows: Sequence[FactRow], crew: str, context: Context
) -> None:
    """Read facts from sessions into *inputs*."""
    for row in rows:
        if row.kind in OTHER_FACT_KINDS:
            continue
        inputs.count += 1
        place = Evidence(
            ref=row.id,
            hash=hash_text(row.content),
            day=stored_day(row.ts, context.zone).isoformat(),
            source="fact",
            owner=f"{crew}/{row.agent}",
            origin=row.origin,
            section=row.session,
        )
        inputs.candidates.append(Candidate(row.content, row.kind, [place], MARKED))


def has_notes(directory: MemoryDirectory) -> bool:
    """Return whether a directory has notes: an agent's, a crew's, or one without a home."""
    return directory.scope is not Scope.WORKSPACE or not directory.has_tiers
