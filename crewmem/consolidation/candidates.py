"""Candidates: statements of notes that consolidation may promote.

A statement is promoted when it recurs (on two days or in two sources), or when its note marks it
as lasting (see `text.judgement`). Headings, status lines, template text and completed checkboxes
are never candidates.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from crewmem.consolidation.subjects import (
    announces_narrative,
    lacks_subject,
    points_back,
)
from crewmem.origins import lowest_origin
from crewmem.search.entities import CALENDAR
from crewmem.text.judgement import (
    MARKED,
    OBSERVED,
    is_advised_against,
    is_marker_label,
    judge_note,
)
from crewmem.text.lasting import (
    EXPLICIT,
    KINDS,
    announces_changes,
    classify_label,
    classify_section,
    find_cues,
    list_topic_words,
    load_heading_words,
    section_kind,
)
from crewmem.text.statements import (
    COLONS,
    Statement,
    count_words,
    is_meaningful,
    read_statements,
)

MIN_DAYS = 2
"""Days from which a statement recurs."""

MIN_SOURCES = 2
"""Sources from which a statement of a single day recurs."""

MIN_WORDS = 5
"""A statement with fewer words gets its topic in front, so that it can be understood alone."""

OUTDATED_AFTER = 3
"""Number of later days with notes after which a task that they do not repeat counts as done."""

MAX_TOPIC = 60
"""Maximum characters of a heading or item that is put in front of a statement."""

NOT_TOPIC = re.compile(
    r"\([^)]*\)|\[[^\]]*\]|(?:^\W*(?:[Dd]aily )?\w+\W+)?\b\d{4}-\d\d-\d\d\b"
    r"|^\s*\d+(?:\s*[.:)]|\s+[–-])[\d:.\s–-]*(?:UTC|Uhr)?|\d+:\d+(?: UTC)?"
)
"""Parts of a heading that do not name its topic: its number, times, asides, a title with a date."""

DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")

MAX_SECTION = 80
"""Maximum characters of a heading in evidence."""

MIN_TEMPLATE_NOTES = 4
"""A line is template text if it is under the same heading in this many notes, and in two thirds of
the notes with that heading."""

OPINION_KINDS = frozenset({"lesson", "decision", "correction", "preference"})
"""Kinds whose statements may lack a subject: the heading explains them."""

CLEAR_WORDS = 10
"""Number of words from which an item can be understood although it lacks a subject."""

NEAR_HEADINGS = 2
"""Number of headings above a list that are examined, from the nearest, for a narrative."""

MIN_TOPIC_WORDS = 2
"""Words beside the kind that a heading needs to name a topic."""

MAX_PARTICLE = 3
"""Maximum length of a word that does not count as a topic word, unless it is an acronym."""


ACRONYM = r"\b[A-Z][A-Z\d]+\b"


class Evidence(NamedTuple):
    """A place that contains a statement.

    Attributes:
        ref: ``agent:harbor/ada/daily/2026-05-01.md:12``, or the id of an entry or fact.
        hash: First 12 hex digits of the SHA-256 of the line's text.
        day: Day of the note, entry or fact: ``2026-05-01``.
        source: note, lesson, fact or journal.
        owner: crew/agent, or crew.
        origin: Origin class of the text.
        section: Heading above the line, type of the entry, or session of the fact.
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
    """A statement that may be promoted, from one input or merged from several.

    Attributes:
        kind: Fact kind; "" if neither heading nor marker names one.
        evidence: Oldest first; never empty.
        probability: Probability that the statement is lasting; at least `MARKED` if it is marked.
        is_marked: Whether a note marks it as lasting, so that one occurrence is enough.
        topic: Label line or heading above it.
        id: Derived from owner and text, so that it is the same in every run; "" before merging.
        agent: Slug; "" if it belongs to the crew, or several agents state it.
        status: open, proposed, applied or rejected.
        target: The file or fact that contains it; "fact" for a fact that is only planned.
    """

    text: str
    kind: str
    evidence: list[Evidence]
    probability: float = 0.0
    is_marked: bool = False
    topic: str = ""
    id: str = ""
    crew: str = ""
    agent: str = ""
    status: str = "open"
    target: str = ""
    score: dict[str, float] = field(default_factory=dict)

    @property
    def is_event(self) -> bool:
        """Whether entries report it as something that happened: two such reports are both true."""
        return all(
            place.source == "journal" and place.section != "summary.generated"
            for place in self.evidence
        )

    @property
    def origin(self) -> str:
        """The least trusted origin class of its evidence."""
        return lowest_origin(each.origin for each in self.evidence)

    @property
    def first_day(self) -> str:
        """The first day in its evidence."""
        return self.evidence[0].day

    @property
    def last_day(self) -> str:
        """The last day in its evidence."""
        return self.evidence[-1].day

    @property
    def days(self) -> set[str]:
        """The days in its evidence."""
        return {each.day for each in self.evidence}

    @property
    def sources(self) -> set[tuple[str, str]]:
        """Its sources: the owner and the kind of input of each place."""
        return {(each.owner, each.source) for each in self.evidence}

    @property
    def recurs(self) -> bool:
        """Whether it occurs on enough days or in enough sources."""
        return len(self.days) >= MIN_DAYS or len(self.sources) >= MIN_SOURCES

    def is_outdated_task(self, note_days: Collection[date]) -> bool:
        """Return whether it is a task of a note that enough later notes do not repeat.

        Args:
            note_days: Days for which there are notes.
        """
        if self.kind != "action_item" or any(each.source != "note" for each in self.evidence):
            return False
        last = date.fromisoformat(self.last_day)
        return sum(day > last for day in note_days) >= OUTDATED_AFTER


def normalize(text: str) -> str:
    """Return *text* without case, emphasis and punctuation at its ends, to compare statements.

    >>> normalize("**Deploy** on Fridays!") == normalize("deploy on fridays")
    True
    """
    return " ".join(text.lower().replace("*", "").replace("`", "").split()).strip(" .!;:,-–—\"'")


def hash_text(text: str) -> str:
    """Return the hash that identifies a line's text in evidence."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def find_candidates(text: str, *, ref: str, day: str, owner: str, origin: str) -> list[Candidate]:
    """Return the statements of a note that may be promoted now, or once they recur.

    Args:
        text: Text of the note, without passages that the scanner refused.
        ref: Reference of the file.
        day: Day of the note.
        owner: crew/agent, or crew.
        origin: Origin class of the file.
    """
    lines = text.split("\n")
    statements = read_statements(text)
    candidates = []
    for statement in statements:
        judgement = judge_note(statement)
        probability, threshold, kind = judgement
        if probability < OBSERVED:
            continue
        shown = statement.text if kind and is_marker_label(statement) else statement.full_text
        is_marked = False
        if judgement.is_lasting:
            with_topic = _add_topic(statement, statements, shown)
            is_marked = (
                _is_clear(statement, with_topic, kind, has_topic=with_topic != shown)
                and not is_narrated_step(statement, statements)
                and not is_listed_change(statement, statements)
            )
            shown = with_topic
        if not is_marked and statement.is_listed and points_back(shown):
            continue  # it would not be clearer if it recurred
        if is_marked:
            # Thresholds depend on the place. Afterwards all marked statements share one scale.
            probability = MARKED + (probability - threshold) * (1 - MARKED) / (1 - threshold)
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
        candidates.append(
            Candidate(shown, kind, [evidence], probability, is_marked, statement.topic)
        )
    return candidates


def _add_topic(statement: Statement, statements: list[Statement], text: str) -> str:
    """Return *text* with the item or heading that it is about in front, if it is unclear alone.

    Below ``Don't``, an item means the opposite of its words, so the heading stays with it.
    """
    if is_advised_against(statement):
        return f"{statement.topic.strip(' :：')}: {text}"
    if statement.box == "crossed" and section_kind(statement) in ("rule", "preference"):
        return f"❌ {text}"
    has_label = statement.label.count(" ") >= MIN_TOPIC_WORDS
    is_step = statement.form == "number" and bool(statement.lead)  # the line above names the task
    needs_subject = not has_label and statement.sentence < 2 and lacks_subject(text)
    if not has_label and is_answer_to_heading(statement, text):
        needs_subject = True
    if count_words(text) >= MIN_WORDS and not needs_subject and not is_step:
        return text
    topic = ""
    if statement.parent >= 0:
        parent = statements[statement.parent]
        if not parent.label or _names_topic(parent.label):
            topic = _shorten_topic(parent.label or parent.text, text)
    topic = topic or _shorten_topic(find_topic(statement), text)
    return f"{topic}: {text}" if topic else text


def is_answer_to_heading(statement: Statement, text: str) -> bool:
    """Return whether a short decision is about the thing that its heading names.

    Under ``Sonar upgrade``, "Decision: skip it this year" does not say what is skipped; "Decision:
    keep the old sonar" does.
    """
    if classify_section(statement.label) != "decision" or not is_marker_label(statement):
        return False
    topic, lowered = find_topic(statement), text.lower()
    acronyms = set(map(str.lower, re.findall(ACRONYM, topic)))
    named = {word for word in list_topic_words(topic) if len(word) > MAX_PARTICLE} | acronyms
    mentioned = sum(word in lowered for word in named)
    return count_words(text) < CLEAR_WORDS and 2 * mentioned < len(named)


def _is_clear(statement: Statement, text: str, kind: str, *, has_topic: bool) -> bool:
    """Return whether a marked statement can be understood by itself."""
    if text.endswith(COLONS) or not is_meaningful(text):
        return False  # it only announces the lines below it
    if has_topic:
        return True
    if statement.is_listed and points_back(text):
        return False
    needs_subject = statement.is_listed and kind != "action_item" and kind not in OPINION_KINDS
    return not (needs_subject and lacks_subject(text)) or count_words(text) >= CLEAR_WORDS


def is_narrated_step(statement: Statement, statements: list[Statement]) -> bool:
    """Return whether a statement is a step in a note's account of events.

    An item that gives a cause, a rule or a task is not a step, and neither is a long item, which
    explains itself, or the only item of a list.
    """
    headings = (statement.lead, *statement.headings[-NEAR_HEADINGS:])
    can_be_step = statement.is_listed or bool(statement.label)
    if not can_be_step or not any(map(announces_narrative, headings)):
        return False
    if classify_section(statement.label) in EXPLICIT or section_kind(statement) == "action":
        return False
    cues = find_cues(statement)
    if not cues.keys().isdisjoint(("says:cause", "says:marker")):
        return False
    if statement.parent < 0 and count_words(statement.full_text) >= CLEAR_WORDS:
        return False
    return any(
        each.headings == statement.headings and each.lead == statement.lead
        for each in statements
        if each is not statement and each.form == statement.form
    )


def is_listed_change(statement: Statement, statements: list[Statement]) -> bool:
    """Return whether a statement is in a list of things that somebody made or changed.

    The line above the list shows it: ``Built a new gauge page with:``. A heading does not: under
    ``Gauge installed``, a note often says where the gauge is and how to use it.
    """
    if not statement.is_listed or classify_section(statement.label) in EXPLICIT:
        return False
    above = [statement.lead]
    if statement.parent >= 0:
        parent = statements[statement.parent]
        if parent.label:
            return False  # it describes the thing that the label names
        above.append(parent.text)
    return any(classify_section(name) not in KINDS and announces_changes(name) for name in above)


def _shorten_topic(topic: str, text: str) -> str:
    """Return *topic* without its colon; "" if it is too long or all of its words are in *text*."""
    words = set(re.findall(r"\w+", topic.lower()))
    if len(topic) > MAX_TOPIC or words <= set(re.findall(r"\w+", text.lower())):
        return ""
    return topic.rstrip(" :.")


def find_topic(statement: Statement) -> str:
    """Return the label line or heading that a short statement is about; "" for none.

    This is the nearest one that names more than a kind, a day or a state. Under ``Decisions``
    below ``Ferry berths``, it is ``Ferry berths``.
    """
    for name in (_remove_kind(statement.lead), *reversed(statement.headings)):
        plain = NOT_TOPIC.sub("", name)
        plain = " ".join(re.sub(r"[^\w\s&+@/.:'‑–—-]", " ", plain).split()).strip(" :–—-")
        before, _, last = plain.rpartition(" ")
        if last.lower() in load_heading_words()["before"]:
            plain = before  # "Plan for 2026-08-12"
        is_author = DAY.search(name) is not None and " " not in plain  # "2026-08-12 (late) — Kim"
        if plain and len(plain) < MAX_TOPIC and _names_topic(name) and not is_author:
            return plain
    return ""


def _remove_kind(lead: str) -> str:
    """Return a label line without the kind at its start: ``Decision: two quays``."""
    before, colon, after = lead.partition(": ")
    return after if colon and classify_section(before) in KINDS else lead


def _names_topic(heading: str) -> bool:
    """Return whether a heading names more than a kind, a day or a state: ``Rules for moorings``."""
    kind, words = classify_label(heading), load_heading_words()
    if (kind and kind not in KINDS) or heading.lower().startswith(tuple(words["question"])):
        return False
    ignored = words["empty"] | CALENDAR
    if kind == "fact":  # ``Environment``, ``Crane config``: the lines below are facts about it
        heading_words = re.findall(r"[^\W\d_]+", heading.lower())
        return not all(word.startswith("fact") or word in ignored for word in heading_words)
    acronyms = set(map(str.lower, re.findall(ACRONYM, heading)))
    other_words = list_topic_words(heading)
    topic_words = {
        word
        for word in other_words
        if (len(word) > MAX_PARTICLE and not word.isdigit()) or word in acronyms
    }
    is_only_kind = kind and words["before"].isdisjoint(other_words)
    return len(topic_words - ignored) >= (MIN_TOPIC_WORDS if is_only_kind else 1)


def drop_templates(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Leave out template text: unmarked lines under the same heading in most notes.

    Args:
        candidates: Unmerged ones, with one place of evidence each.
    """
    by_heading: dict[tuple[str, str], list[Candidate]] = {}
    for each in candidates:
        [place] = each.evidence
        by_heading.setdefault((place.owner, place.section), []).append(each)
    templates: set[int] = set()
    for (_, section), under_heading in by_heading.items():
        notes = _count_documents(under_heading)
        if not section or notes < MIN_TEMPLATE_NOTES:
            continue
        by_text: dict[str, list[Candidate]] = {}
        for each in under_heading:
            by_text.setdefault(normalize(each.text), []).append(each)
        for equal in by_text.values():
            notes_with_text = _count_documents(equal)
            if notes_with_text >= MIN_TEMPLATE_NOTES and 3 * notes_with_text >= 2 * notes:
                templates.update(id(each) for each in equal if not each.is_marked)
    return [each for each in candidates if id(each) not in templates]


def _count_documents(candidates: Sequence[Candidate]) -> int:
    return len({each.evidence[0].document for each in candidates})
