"""What notes say that may be promoted: candidates.

A statement is promoted when it recurs (on two days, or in two sources), or when its note marks it
as lasting (see `text.judgement`). Headings, status lines, templates and ticked boxes are neither.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from crewmem.consolidation.subjects import (
    is_narration,
    lacks_subject,
    points_back,
    reports_made,
)
from crewmem.origins import lowest_origin
from crewmem.search.entities import CALENDAR
from crewmem.text.judgement import (
    MARKED,
    OBSERVED,
    is_marker_label,
    judge_note,
)
from crewmem.text.lasting import (
    EXPLICIT,
    KINDS,
    classify_section,
    find_cues,
    list_topic_words,
    load_heading_words,
)
from crewmem.text.statements import Statement, count_words, is_meaningful, read_statements

MIN_DAYS = 2
"""Days on which a statement must be made to recur."""

MIN_SOURCES = 2
"""Sources in which a statement of one day must stand to recur."""

SHORT = 5
"""A statement of fewer words is given its topic, so that it can be understood alone."""

OVERTAKEN = 3
"""A task counts as settled when the notes of so many later days do not name it again."""

MAX_TOPIC = 60
"""Characters of a heading or item that is put in front of a statement."""

MAX_SECTION = 80
"""Characters of a heading that are kept in evidence."""

TEMPLATE_NOTES = 4
"""Notes from which a line is template: when it stands under one heading in so many of them, and
in two thirds of those with that heading."""

OPINIONS = frozenset({"lesson", "decision", "correction", "preference"})
"""Kinds under whose heading a few words are understood."""

CLEAR = 10
"""Words from which an item is understood although it does not name its subject."""

NEAR_HEADINGS = 2
"""Headings above a list, the nearest, that show whether it says what happened."""

MIN_NAMING, MAX_PARTICLE = 2, 3
"""Words beside the kind that a heading needs to name a topic, and the longest word that does not
count."""


class Evidence(NamedTuple):
    """A place that says something.

    Attributes:
        ref: ``agent:harbor/ada/daily/2026-05-01.md:12`` or the id of an entry or fact.
        hash: First 12 hex digits of the sha256 of the line's text.
        day: Of the place: ``2026-05-01``.
        source: note, lesson, fact or journal.
        owner: crew/agent, or crew.
        origin: Class of the text.
        section: Heading above it, or the entry's type.
    """

    ref: str
    hash: str
    day: str
    source: str = "note"
    owner: str = ""
    origin: str = "agent"
    section: str = ""

    def __str__(self) -> str:
        return f"{self.ref}@{self.hash}" if ":" in self.ref else self.ref

    @property
    def document(self) -> str:
        """The file, or the id of the entry or fact."""
        return self.ref.rpartition(":")[0] or self.ref


@dataclass(slots=True)
class Candidate:
    """A statement that may be promoted: as one input says it, or as all do that say the same.

    Attributes:
        kind: Fact kind; "" when only its wording tells that it lasts.
        evidence: Oldest first; never empty.
        chance: Probability that it is lasting; of a marked one at least `MARKED`.
        is_marked: Whether a note marks it as lasting, so that one occurrence is enough.
        topic: Label line or heading above it.
        id: Of owner and text, so that a rerun finds the same one; "" as one input says it.
        agent: Slug; "" for the crew's, or when several agents say it.
        status: open, proposed, applied or rejected.
        target: Where it goes or went: a file, or "fact".
    """

    text: str
    kind: str
    evidence: list[Evidence]
    chance: float = 0.0
    is_marked: bool = False
    topic: str = ""
    id: str = ""
    crew: str = ""
    agent: str = ""
    status: str = "open"
    target: str = ""
    score: dict[str, float] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The least trusted class of its evidence."""
        return lowest_origin(each.origin for each in self.evidence)

    @property
    def first_day(self) -> str:
        """The first day on which it was said."""
        return self.evidence[0].day

    @property
    def last_day(self) -> str:
        """The last day on which it was said."""
        return self.evidence[-1].day

    @property
    def days(self) -> set[str]:
        """The days on which it was said."""
        return {each.day for each in self.evidence}

    @property
    def sources(self) -> set[tuple[str, str]]:
        """Its sources: the owner and the kind of input of each."""
        return {(each.owner, each.source) for each in self.evidence}

    @property
    def recurs(self) -> bool:
        """Return whether it was said on enough days or in enough sources."""
        return len(self.days) >= MIN_DAYS or len(self.sources) >= MIN_SOURCES

    def is_overtaken(self, note_days: Collection[date]) -> bool:
        """Return whether a task was named in a note, and not again on later days with a note."""
        if self.kind != "action_item" or any(each.source != "note" for each in self.evidence):
            return False
        last = date.fromisoformat(self.last_day)
        return sum(day > last for day in note_days) >= OVERTAKEN


def normalize(text: str) -> str:
    """Return *text* without case, emphasis and punctuation at its ends, for equality.

    >>> normalize("**Deploy** on Fridays!") == normalize("deploy on fridays")
    True
    """
    return " ".join(text.lower().replace("*", "").replace("`", "").split()).strip(" .!;:,-–—\"'")


def hash_text(text: str) -> str:
    """Return what identifies a line's text in evidence."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def observe_note(text: str, *, ref: str, day: str, owner: str, origin: str) -> list[Candidate]:
    """Return the statements of a note that may be promoted, or would be if they recurred.

    Args:
        text: The note; what the scanner refused is left out already.
        ref: As search prints the file.
        day: Of the note.
        owner: crew/agent, or crew.
        origin: Class of the file.
    """
    lines = text.split("\n")
    statements = read_statements(text)
    found = []
    for index, statement in enumerate(statements):
        judged = judge_note(statement)
        chance, least, kind = judged
        if chance < OBSERVED:
            continue
        said = statement.text if kind and is_marker_label(statement) else statement.full_text
        is_marked = judged.is_lasting
        if is_marked:
            with_topic = _add_topic(statements, index, said)
            is_marked = _is_clear(statement, with_topic, kind, has_topic=with_topic != said)
            said = with_topic
            is_marked = is_marked and not is_step(statement, statements)
            is_marked = is_marked and not lists_things_made(statement, statements)
        if not is_marked and statement.is_listed and points_back(said):
            continue  # said again, it would be no clearer
        if is_marked:  # what is enough where it stands counts as enough anywhere
            chance = MARKED + (chance - least) * (1 - MARKED) / (1 - least)
        line_text = "\n".join(lines[statement.first_line - 1 : statement.last_line])
        evidence = Evidence(
            ref=f"{ref}:{statement.first_line}",
            hash=hash_text(line_text.strip()),
            day=day,
            source="note",
            owner=owner,
            origin=origin,
            section=statement.topic[:MAX_SECTION],
        )
        found.append(Candidate(said, kind, [evidence], chance, is_marked, statement.topic))
    return found


def _add_topic(statements: list[Statement], index: int, said: str) -> str:
    """Return *said* behind the item or heading that it is about, if it is short."""
    statement = statements[index]
    is_named = statement.label.count(" ") >= MIN_NAMING
    is_step = statement.form == "number" and bool(statement.lead)  # of what the line above names
    needs_subject = not is_named and statement.sentence < 2 and lacks_subject(said)
    if count_words(said) >= SHORT and not needs_subject and not is_step:
        return said
    name = ""
    if statement.parent >= 0:
        parent = statements[statement.parent]
        name = _short_topic(parent.label or parent.text, said)
    name = name or _short_topic(clean_topic(statement), said)
    return f"{name}: {said}" if name else said


def _is_clear(statement: Statement, said: str, kind: str, *, has_topic: bool) -> bool:
    """Return whether a marked statement can be understood by itself."""
    if said.endswith(":") or not is_meaningful(said):
        return False  # what it announces stands elsewhere
    if has_topic:
        return True
    if statement.is_listed and points_back(said):
        return False
    needs_subject = statement.is_listed and kind != "action_item" and kind not in OPINIONS
    return not (needs_subject and lacks_subject(said)) or count_words(said) >= CLEAR


def is_step(statement: Statement, statements: list[Statement]) -> bool:
    """Return whether a statement is one of the steps in which its note tells what happened.

    An item that gives the cause or a rule is none, and neither is the only item.
    """
    places = (statement.lead, *statement.headings[-NEAR_HEADINGS:])
    can_be = statement.is_listed or bool(statement.label)
    if not can_be or not any(map(is_narration, places)):
        return False
    if classify_section(statement.label) in EXPLICIT:
        return False
    cues = find_cues(statement)
    if not cues.keys().isdisjoint(("says:cause", "says:marker")):
        return False
    return any(
        each.headings == statement.headings and each.lead == statement.lead
        for each in statements
        if each is not statement and each.form == statement.form
    )


def lists_things_made(statement: Statement, statements: list[Statement]) -> bool:
    """Return whether a statement is in a list of what somebody made, by what stands above it.

    ``Built a new gauge page with:`` announces such a list, ``Sensors added`` does as a heading.
    """
    if not statement.is_listed or classify_section(statement.label) in EXPLICIT:
        return False
    above = [statement.lead]
    if statement.parent >= 0:
        parent = statements[statement.parent]
        if parent.label:
            return False  # what it says is about the named thing
        above.append(parent.text)
    elif not statement.lead:
        above = list(statement.headings[-1:])
    return any(classify_section(name) not in KINDS and reports_made(name) for name in above)


def _short_topic(name: str, said: str) -> str:
    """Return *name* if it can stand before *said* and says something that is not in it."""
    words = set(name.lower().split())
    if len(name) > MAX_TOPIC or words <= set(said.lower().split()):
        return ""
    return name.rstrip(" :.")


def clean_topic(statement: Statement) -> str:
    """Return the label line or heading that a short statement is about; "" when none says more.

    The nearest that says more than a kind, a day or a state: of ``Decisions`` below ``Ferry
    berths`` the latter.
    """
    for name in (_without_kind(statement.lead), *reversed(statement.headings)):
        plain = re.sub(r"\([^)]*\)|\[[^\]]*\]|^[\d:.\s–-]+(?:UTC|Uhr)?|\d+:\d+(?: UTC)?", "", name)
        plain = " ".join(re.sub(r"[^\w\s&+@/.'-]", " ", plain).split()).strip(" -:")
        if plain and len(plain) < MAX_TOPIC and _says_more(name):
            return plain
    return ""


def _without_kind(lead: str) -> str:
    """Return a label line without the kind that it begins with: ``Decision: two quays``."""
    before, colon, after = lead.partition(": ")
    return after if colon and classify_section(before) in KINDS else lead


def _says_more(name: str) -> bool:
    """Return whether a heading says more than a kind, a state or a day: ``Rules for moorings``."""
    kind, words = classify_section(name), load_heading_words()
    if (kind and kind not in KINDS) or name.lower().startswith(tuple(words["question"])):
        return False
    empty = words["empty"] | CALENDAR
    if kind == "fact":  # ``Environment``, ``Crane config``: what its lines are facts of
        said = re.findall(r"[^\W\d_]+", name.lower())
        return not all(word.startswith("fact") or word in empty for word in said)
    acronyms = set(map(str.lower, re.findall(r"\b[A-Z][A-Z\d]+\b", name)))
    rest = list_topic_words(name)
    naming = [word for word in rest if len(word) > MAX_PARTICLE or word in acronyms]
    is_only_kind = kind and words["before"].isdisjoint(rest)
    return len(set(naming) - empty) >= (MIN_NAMING if is_only_kind else 1)


def drop_templates(observed: Sequence[Candidate]) -> list[Candidate]:
    """Leave out lines that stand in most notes under the same heading: template text."""
    by_heading: dict[tuple[str, str], list[Candidate]] = {}
    for each in observed:
        [place] = each.evidence
        by_heading.setdefault((place.owner, place.section), []).append(each)
    templates: set[int] = set()
    for (_, section), below in by_heading.items():
        notes = len({each.evidence[0].document for each in below})
        if not section or notes < TEMPLATE_NOTES:
            continue
        by_text: dict[str, list[Candidate]] = {}
        for each in below:
            by_text.setdefault(normalize(each.text), []).append(each)
        for said in by_text.values():
            there = len({each.evidence[0].document for each in said})
            if there >= TEMPLATE_NOTES and 3 * there >= 2 * notes:
                templates.update(id(each) for each in said if not each.is_marked)
    return [each for each in observed if id(each) not in templates]
