"""The plan of a run: the changes, in the order in which they are applied.

The functions here are pure: they get candidates and the current files, and return changes.
`planner` makes the plan of a run from them, and `apply` carries it out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import unified_diff
from typing import Any

from crewmem.config import Settings
from crewmem.consolidation.candidates import Candidate
from crewmem.consolidation.score import CAP_PER_OWNER, has_sufficient_score, score_candidate
from crewmem.consolidation.sections import add_lines, format_line
from crewmem.files.tiers import find_cap
from crewmem.origins import may_push
from crewmem.review.contradictions import Contradiction

OVERFLOW_FILE = "topics/consolidated.md"
"""File for lines that do not fit into AGENT.md or CREW.md."""

FACT = "fact"
"""Target of a change that stores a fact instead of editing a file."""

MAX_FILL = 0.9
"""Maximum share of a file's size cap that consolidation fills. People need the rest."""


@dataclass(slots=True)
class Change:
    """A change of a plan. Its fields are also the JSON of a change that waits in review.

    Attributes:
        action: ``line`` and ``rule`` add to a file, ``pins`` replaces the section of pins.md,
            ``archive`` moves a note, ``fact`` stores a fact.
        target: File (``agent:harbor/ada/AGENT.md``), or `FACT`.
        text: The statement; for pins their number; "" for an archived note.
        evidence: References, as `Evidence` formats them.
        candidate: Id of the candidate; "" for pins, archived notes and rules of a language model.
        origin: Least trusted origin class of its evidence.
        confidence: Confidence of a fact.
        day: First day in the evidence of a fact.
        score: Signals and their total.
        lines: Lines of a rule or of pins, as they will be in the file.
        digest: SHA-256 of the note to archive; a note that has changed since is not archived.
        number: Counted from 1; ``review approve --only`` uses it.
    """

    action: str
    target: str
    text: str = ""
    kind: str = ""
    crew: str = ""
    agent: str = ""
    evidence: list[str] = field(default_factory=list)
    candidate: str = ""
    origin: str = "agent"
    confidence: float = 0.0
    day: str = ""
    score: dict[str, float] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    digest: str = ""
    number: int = 0

    @property
    def line(self) -> str:
        """The line that a ``line`` change adds."""
        return format_line(self.text, self.evidence)


@dataclass(slots=True)
class Plan:
    """What a run does for one crew.

    Attributes:
        crew: Slug; "" for a directory without a home.
        changes: In the order in which they are applied.
        waiting: Candidates that stay open.
        contradictions: Contradictions to put into review.
        dropped: Texts that were left out, each with the reason.
        candidates: Candidates to save, with their new status.
        watermarks: New positions, by agent and source.
        merged_ids: Ids of stored candidates to delete, because they were merged into others.
        read: Number of new inputs.
        files: Texts of the files that may be edited, before the edits, by reference.
    """

    crew: str
    changes: list[Change] = field(default_factory=list)
    waiting: list[Candidate] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    watermarks: dict[tuple[str, str], str] = field(default_factory=dict)
    merged_ids: list[str] = field(default_factory=list)
    read: int = 0
    files: Mapping[str, str] = field(default_factory=dict)


def select_candidates(
    candidates: Sequence[Candidate],
    *,
    today: date,
    promoted: Counter[str],
) -> tuple[list[Candidate], list[Candidate]]:
    """Score candidates, and select those to promote, up to `CAP_PER_OWNER` for each owner.

    Args:
        candidates: Candidates that are neither known nor contradicted.
        today: Day of the run.
        promoted: Number of statements that earlier runs promoted, by topic.

    Returns:
        The selected candidates, best first, and those that wait.
    """
    selected: list[Candidate] = []
    waiting: list[Candidate] = []
    scored: list[Candidate] = []
    for each in candidates:
        if each.is_marked or each.recurs:
            each.score = score_candidate(each, today=today, promoted=promoted[each.topic])
            scored.append(each)
        else:
            waiting.append(each)
    per_owner: Counter[str] = Counter()
    for each in sorted(scored, key=lambda each: (-each.score["total"], each.text, each.id)):
        if has_sufficient_score(each) and per_owner[each.agent] < CAP_PER_OWNER:
            per_owner[each.agent] += 1
            selected.append(each)
        else:
            waiting.append(each)
    return selected, waiting


def plan_changes(
    selected: Sequence[Candidate],
    *,
    crew: str,
    files: Mapping[str, str],
    settings: Settings,
) -> tuple[list[Change], list[Candidate]]:
    """Plan a line or a fact for each selected candidate, and set its target.

    Args:
        selected: Best first.
        crew: Slug; "" for a directory without a home.
        files: Current text of each file that may be edited, by reference.
        settings: Give the size caps of files.

    Returns:
        The changes, and the candidates that fit into no file.
    """
    changes: list[Change] = []
    without_room: list[Candidate] = []
    texts = dict(files)
    for each in selected:
        # A file has one origin class. One external line would keep the whole file out of prompts.
        is_fact = not each.recurs or not may_push(each.origin)
        change = Change(
            action="fact" if is_fact else "line",
            target=FACT if is_fact else "",
            text=each.text,
            kind=each.kind,
            crew=crew,
            agent=each.agent,
            evidence=[str(place) for place in each.evidence],
            candidate=each.id,
            origin=each.origin,
            confidence=round(min(0.9, 0.4 + 0.4 * each.probability + 0.05 * len(each.days)), 2),
            day=each.first_day,
            score=each.score,
        )
        if change.action == "line":
            targets = find_targets(each, crew, texts)
            change.target = _add_line(change.line, targets, texts, settings)
        if change.target:
            each.target = change.target
            changes.append(change)
        else:
            without_room.append(each)
    return changes, without_room


def _add_line(line: str, targets: Sequence[str], texts: dict[str, str], settings: Settings) -> str:
    """Add a line to the first of *targets* that has room; return that file, or ""."""
    for target in targets:
        text = add_lines(texts.get(target, ""), [line])
        # CREW.md has the same cap as AGENT.md.
        cap = find_cap(settings, "topic" if "topics/" in target else "agent")
        if len(text.encode()) <= MAX_FILL * cap:
            texts[target] = text
            return target
    return ""


def find_targets(candidate: Candidate, crew: str, files: Mapping[str, str]) -> list[str]:
    """Return the files that may get the line of a recurring statement, best first.

    First the topic files whose name is in the statement or its topic, then AGENT.md or CREW.md of
    the owner, then `OVERFLOW_FILE`.
    """
    if not crew:
        base, main = "", "AGENT.md"
    elif candidate.agent:
        base, main = f"agent:{crew}/{candidate.agent}/", "AGENT.md"
    else:
        base, main = f"crew:{crew}/", "CREW.md"
    words = set(re.findall(r"\w+", f"{candidate.text} {candidate.topic}".lower()))
    topics = []
    for file in sorted(files):
        if file.startswith(base + "topics/") and not file.endswith(OVERFLOW_FILE):
            name = file.removeprefix(base + "topics/").removesuffix(".md").lower()
            name_words = set(re.findall(r"\w{3,}", name))
            if name_words and name_words <= words:
                topics.append(file)
    return [*topics, base + main, base + OVERFLOW_FILE]


def diff_changes(changes: Sequence[Change], files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return a unified diff, as lines, for each file that ``line`` changes edit."""
    new_lines: dict[str, list[str]] = {}
    for change in changes:
        if change.action == "line":
            new_lines.setdefault(change.target, []).append(change.line)
    diffs = {}
    for target, lines in new_lines.items():
        before = files.get(target, "")
        after = add_lines(before, lines)
        names = f"{target} (now)", f"{target} (planned)"
        texts = before.splitlines(), after.splitlines()
        diffs[target] = list(unified_diff(*texts, *names, lineterm=""))
    return diffs


def make_contradiction(first: Candidate, second: Candidate) -> Contradiction:
    """Return the contradiction of two candidates; the older one is A."""
    a, b = sorted((first, second), key=lambda each: (each.first_day, each.text))
    agent = a.agent if a.agent == b.agent else ""
    return Contradiction(_make_side(a), _make_side(b), a.crew, agent)


def make_contradiction_with_known(candidate: Candidate, ref: str, text: str) -> Contradiction:
    """Return the contradiction of a candidate with a known statement, which is A.

    Args:
        ref: Reference of a fact, of a change of a plan (``r_…#3``), or of a line of a file.
    """
    file_or_plan, _, rest = ref.partition("#")
    known: dict[str, Any] = {"text": text, "evidence": [ref]}
    if ref.startswith("f_"):
        known["fact"] = ref
    elif ref.startswith("r_"):
        known |= {"plan": file_or_plan, "change": int(rest)}
    else:
        known["file"] = file_or_plan
    return Contradiction(known, _make_side(candidate), candidate.crew, candidate.agent)


def _make_side(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate as a statement of a review item (see `review.store`)."""
    fact = {"fact": candidate.target} if candidate.target.startswith("f_") else {}
    return {
        **fact,
        "text": candidate.text,
        "kind": candidate.kind,
        "candidate": candidate.id,
        "agent": candidate.agent,
        "origin": candidate.origin,
        "evidence": [str(each) for each in candidate.evidence],
    }
