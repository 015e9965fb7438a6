"""The plan of a run: what would change, in the order in which it would be applied.

Planning is pure: it gets candidates, what is known and the present files, and returns changes.
`apply` carries them out; `--dry-run` stops here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from crewmem.consolidation.candidates import Candidate
from crewmem.consolidation.score import (
    CAP_PER_OWNER,
    passes,
    score_candidate,
)
from crewmem.consolidation.sections import add_lines, format_line
from crewmem.files.tiers import TIERS
from crewmem.files.versions import diff_texts
from crewmem.origins import may_push
from crewmem.review.contradictions import Contradiction

OVERFLOW = "topics/consolidated.md"
"""Where lines go that AGENT.md or CREW.md has no room for."""

FACT = "fact"
"""Target of a change that stores a fact, instead of a file."""

NARROW = 0.9
"""Share of a file's cap that consolidation fills at most: people need room to write."""


@dataclass(slots=True)
class Change:
    """One change of a plan, and the JSON in which it waits for review.

    Attributes:
        action: ``line`` and ``rule`` add to a file, ``pins`` writes its section anew, ``archive``
            moves a note, ``fact`` stores a fact.
        target: File (``agent:harbor/ada/AGENT.md``), or `FACT`.
        text: The statement; of pins, how many there are; "" for archives.
        evidence: As `Evidence` prints it.
        candidate: Its id; "" for pins, archives and rules of a language model.
        origin: Lowest class of its inputs.
        confidence: Of a fact.
        day: Of a fact: the first on which somebody said it.
        score: Signals and their total.
        lines: Of a rule or of pins, as the file will have them.
        digest: SHA-256 that a note must still have to be archived.
        number: Counted from 1; ``review approve --only`` names it.
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
        """The line as its file will have it."""
        return format_line(self.text, self.evidence)


@dataclass(slots=True)
class Plan:
    """What a run of one crew would do.

    Attributes:
        crew: Slug; "" for a tree.
        changes: In the order in which they are applied.
        waiting: Candidates that stay open.
        contradictions: Become review items.
        dropped: What was left out, with the reason.
        candidates: All of the run, with their new status, to be stored.
        watermarks: Position by agent and source.
        merged: Ids of stored candidates that became part of others.
        read: Count of inputs that were new.
    """

    crew: str
    changes: list[Change] = field(default_factory=list)
    waiting: list[Candidate] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    watermarks: dict[tuple[str, str], str] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    read: int = 0


def select_candidates(
    candidates: Sequence[Candidate],
    *,
    today: date,
    promoted: Counter[str],
) -> tuple[list[Candidate], list[Candidate]]:
    """Score candidates and choose those that are promoted, the best first, within the cap.

    Args:
        candidates: New ones; those that are known or contradicted are left out before.
        today: The day of the run.
        promoted: How many statements earlier runs promoted, by topic.

    Returns:
        The promoted ones and those that wait.
    """
    chosen: list[Candidate] = []
    waiting: list[Candidate] = []
    scored: list[Candidate] = []
    for each in candidates:
        (scored if each.is_marked or each.recurs else waiting).append(each)
    for each in scored:
        each.score = score_candidate(each, today=today, promoted=promoted[each.topic])
    per_owner: Counter[str] = Counter()
    for each in sorted(scored, key=lambda each: (-each.score["total"], each.text, each.id)):
        if passes(each) and per_owner[each.agent] < CAP_PER_OWNER:
            per_owner[each.agent] += 1
            chosen.append(each)
        else:
            waiting.append(each)
    return chosen, waiting


def plan_changes(
    chosen: Sequence[Candidate],
    *,
    crew: str,
    files: Mapping[str, str],
) -> tuple[list[Change], list[Candidate]]:
    """Say where each chosen candidate goes.

    Args:
        chosen: Best first.
        crew: Slug; "" for a tree.
        files: Present text of target files by reference.

    Returns:
        The changes, and candidates for which no file has room.
    """
    changes: list[Change] = []
    without_room: list[Candidate] = []
    texts = dict(files)
    for each in chosen:
        # A file has one class, and one line that may not lead would take all of it out of prompts.
        is_fact = not each.recurs or not may_push(each.origin)
        change = Change(
            action="fact" if is_fact else "line",
            target=FACT,
            text=each.text,
            kind=each.kind,
            crew=crew,
            agent=each.agent,
            evidence=[str(place) for place in each.evidence],
            candidate=each.id,
            origin=each.origin,
            confidence=round(min(0.9, 0.4 + 0.4 * each.chance + 0.05 * len(each.days)), 2),
            day=each.first_day,
            score=each.score,
        )
        if change.action == "line":
            for target in find_targets(each, crew, texts):
                text = add_lines(texts.get(target, ""), [change.line])
                tier = TIERS["topic" if "topics/" in target else "agent"]  # CREW.md has its cap
                if len(text.encode()) <= NARROW * tier.cap:
                    texts[target], change.target = text, target
                    break
            else:
                without_room.append(each)
                continue
        each.target = change.target
        changes.append(change)
    return changes, without_room


def find_targets(candidate: Candidate, crew: str, files: Mapping[str, str]) -> list[str]:
    """Return the files that a recurring statement may go to, the best first.

    A topic file whose name the statement or its heading names comes first, then the owner's
    AGENT.md or CREW.md, then a topic file of consolidation's own.
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
        if file.startswith(base + "topics/") and not file.endswith(OVERFLOW):
            name = file.removeprefix(base + "topics/").removesuffix(".md").lower()
            parts = set(re.findall(r"\w{3,}", name))
            if parts and parts <= words:
                topics.append(file)
    return [*topics, base + main, base + OVERFLOW]


def diff_changes(changes: Sequence[Change], files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the lines of a unified diff for each file that line changes edit."""
    diffs = {}
    for target in dict.fromkeys(each.target for each in changes if each.action == "line"):
        before = files.get(target, "")
        after = add_lines(
            before,
            [each.line for each in changes if each.action == "line" and each.target == target],
        )
        diffs[target] = diff_texts(before, after, f"{target} (now)", f"{target} (planned)")
    return diffs


def make_contradiction(a: Candidate, b: Candidate | tuple[str, str]) -> Contradiction:
    """Return the contradiction of a candidate with another, or with (reference, text)."""
    if isinstance(b, Candidate):
        # The older statement is A, whatever the order of the inputs.
        a, b = sorted((a, b), key=lambda each: (each.first_day, each.text))
        other = statement_payload(b)
        agent = a.agent if a.agent == b.agent else ""
    else:
        ref, text = b
        other = {"text": text, "evidence": [ref], **_find_place(ref)}
        return Contradiction(other, statement_payload(a), a.crew, a.agent)
    return Contradiction(statement_payload(a), other, a.crew, agent)


def _find_place(ref: str) -> dict[str, Any]:
    """Return where a statement stands that is known already: a fact, a plan, or a file."""
    if ref.startswith("f_"):
        return {"fact": ref}
    place, _, within = ref.partition("#")  # a file's beginning of the text, a plan's number
    if place.startswith("r_"):
        return {"plan": place, "change": int(within)}
    return {"file": place}


def statement_payload(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate as a statement of a review item."""
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
