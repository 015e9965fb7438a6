"""Decide whether a statement of a note or session is kept, and its kind. Pure.

Both use the cues of `lasting`, with different weights. The threshold differs, too: in a note it
depends on the statement's place, in a session on the speaker, the turn and the phrases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from crewmem.text.lasting import (
    EXPLICIT,
    FACT_KINDS,
    MOMENT,
    PATTERNS,
    Family,
    classify_label,
    classify_place,
    estimate,
    find_cues,
    find_families,
    load_families,
    load_heading_words,
    load_words,
    remove_accents,
    remove_false_friends,
    section_kind,
)
from crewmem.text.statements import FIRST_SIGN, Statement, count_words, is_remark
from crewmem.text.tokens import detect_language

NEVER = 1.0
"""Threshold that no statement reaches, so that it is never kept."""


class Judgement(NamedTuple):
    """The judgement of a statement.

    Attributes:
        probability: Probability that it is lasting.
        threshold: Minimum probability to keep it after one occurrence.
        kind: Fact kind; "" for a statement of a note without one.
    """

    probability: float
    threshold: float
    kind: str

    @property
    def is_lasting(self) -> bool:
        """Whether it is kept."""
        return self.probability >= self.threshold


# Thresholds for notes. The number at each is its precision on the training notes, by tenfold
# cross-validation. On notes of other people it is .1 to .2 lower.

MARKED = 0.62
"""For a place that does not show the kind: .83."""

MARKED_LATER = 0.85
"""For a later sentence of a longer text, which often needs the sentence before it. Too few are in
the training notes to measure it there."""

MARKED_BY_LABEL = 0.15
"""For a statement with a label or marker of its own (``Decision: …``): .91."""

MARKED_IN_SECTION = 0.5
"""For a statement under a heading or label line that names a kind: .88."""

OBSERVED = 0.10
"""Minimum probability of an observation, which is kept if it recurs; lower ones are status and
diary."""


def judge_note(statement: Statement) -> Judgement:
    """Return the probability that a statement of a note lasts, and its kind."""
    text, label = statement.text, statement.label
    own = classify_label(label)
    near = classify_place(statement.lead) or classify_place("".join(statement.headings[-1:]))
    is_done = statement.box == "done" or (statement.box == "ticked" and not is_advised(statement))
    is_empty = (
        count_words(statement.full_text) < 2
        or (text.endswith(("?", "？")) and "action" not in (own, near))  # an open question
        or not any(map(str.isalpha, text))
        or is_remark(text)
        or PATTERNS["commit"].match(text)
    )
    is_past = own not in EXPLICIT and (
        is_done
        or own in ("noise", "problem", "solution")
        or (label and PATTERNS["state"].match(text))  # "Vault: broken"
        or PATTERNS["settled"].search(text)
        or (statement.form == "row" and _is_state_row(statement))
    )
    if "routine" in (own, near) or is_past or is_empty:
        return Judgement(0.0, NEVER, "")
    kind = section_kind(statement)
    if kind == "action" and statement.form in ("paragraph", "quote") and not label:
        kind = ""  # prose below a list of tasks is not a task
    cues = find_cues(statement)
    if kind == "correction" and "has:arrow" in cues:
        kind = "fact"  # "old name → new name" corrects no statement
    kind = FACT_KINDS.get(kind, kind) or _guess_kind(cues)
    return Judgement(estimate(cues, "notes"), _choose_note_threshold(statement, own, near), kind)


def is_advised(statement: Statement) -> bool:
    """Return whether the heading or label line above a statement recommends it: ``Do``."""
    return _is_place(statement, "advising")


def is_advised_against(statement: Statement) -> bool:
    """Return whether the heading or label line above a statement forbids it: ``Don't``."""
    return _is_place(statement, "negating")


def _is_place(statement: Statement, words: str) -> bool:
    """Return whether the line above a statement is one of a class of words in headings."""
    name = re.sub(r"[^\w' -]+", " ", statement.topic.lower().replace("’", "'"))
    return " ".join(name.split()) in load_heading_words()[words]


CELL = re.compile(r"(?:^|; )([^:;]{2,30}): (\W*)(\w*)")
"""A cell of a table with its head: signs, and the first word."""


def _is_state_row(statement: Statement) -> bool:
    """Return whether a row of a table says how something is today, or what was changed."""
    heads, words = load_heading_words()["state"], load_words("wording")
    states = {*words["statusword"], *words["problemstate"]}
    for head, signs, word in CELL.findall(statement.text):
        has_sign = any(ord(letter) >= ord(FIRST_SIGN) for letter in signs)
        if head.lower() in heads and (has_sign or word.lower() in states):
            return True
    return remove_accents(statement.label.lower()) in load_words("subjects")["made"]


def _guess_kind(cues: Mapping[str, float]) -> str:
    """Return the fact kind that the wording alone shows; "" for a plain fact."""
    if "says:settled" in cues:
        return "decision"
    wishes = ({"says:marker", "starts:imperative"}, {"says:preferring", "says:person"})
    return "preference" if any(wish <= cues.keys() for wish in wishes) else ""


def _choose_note_threshold(statement: Statement, own: str, near: str) -> float:
    """Return the minimum probability to keep a statement of a note after one occurrence.

    Args:
        own: Class of its label.
        near: Class of the label line or heading above it.
    """
    text = statement.text
    if own in EXPLICIT or "#lesson" in text.lower() or PATTERNS["marker"].match(text):
        return MARKED_BY_LABEL
    if statement.sentence > 1:
        return MARKED_LATER
    if near == "action" and not statement.is_listed and not own:
        return MARKED  # prose that reviews the day below a list of tasks
    return MARKED_IN_SECTION if {own, near} & {*EXPLICIT, "fact", "action"} else MARKED


def is_marker_label(statement: Statement) -> bool:
    """Return whether a statement's label only names its kind: ``Decision``, ``Lesson``."""
    return statement.label.lower() in load_heading_words()["marker"]


# Sessions

PERSON = "user"
"""Role of a person's turn; all other turns are an agent's."""

MIN_SPEECH = {"user": 0.5, "agent": 0.78}
"""Minimum probability to keep a statement of a session. Its precision on the training sessions, by
cross-validation, is .83 for persons and .85 for agents. Statements of agents without a known phrase
are left out: in real logs, agents make ten times more statements that do not last."""

SURE_PROBABILITY = 0.95
"""Probability of a statement that matches a sure family of phrases."""

MIN_QUESTION = 0.85
"""Minimum probability of a person's question, which rarely states how things should be. Questions
of agents are never kept."""

MIN_PLAIN = {"user": 0.65, "agent": 0.9}
"""Minimum probability of a plain fact. From there on, the precision for persons is .90. An agent's
statement without another kind mostly describes code, and is outdated once the code changes."""

MIN_ANSWER = 0.9
"""Minimum probability of a person's answer to an agent's question. It mostly concerns the current
work, and means little without the question."""

KNOWN_LANGUAGES = ("en", "de", "?")
"""Languages of the words that are cues by themselves."""

UNFINISHED = ("?", "？", ":", "：")
"""Endings of questions, and of sentences before a list."""


class TurnPlace(NamedTuple):
    """The place of a turn in its session.

    Attributes:
        is_first: Whether it is the person's first turn.
        is_answer: Whether the agent asked something before it.
        is_final: Whether the person speaks next: the agent sums up before it stops.
        is_brief: Whether the person said little in it.
    """

    is_first: bool = False
    is_answer: bool = False
    is_final: bool = False
    is_brief: bool = False


def judge_speech(statement: Statement, role: str, place: TurnPlace | None = None) -> Judgement:
    """Return the probability that a statement should outlive its session, and its kind.

    Args:
        role: Role of its turn.
        place: Place of its turn; None if unknown.
    """
    cues = find_speech_cues(statement, place)
    is_person = role == PERSON
    speaker = "user" if is_person else "agent"
    families = [
        family
        for family in load_families()
        if f"family:{family.name}" in cues and family.speaker in ("both", speaker)
    ]
    lasting = [family for family in families if family.kind != MOMENT]
    best = next((family for family in lasting if family.sure), lasting[0] if lasting else None)
    probability = estimate(cues, speaker)
    is_momentary = len(families) > len(lasting)
    if best is not None and best.sure:
        probability = max(probability, SURE_PROBABILITY)
        is_momentary = is_momentary and best.kind == "correction"  # usually of the current step
    kind = _choose_kind(statement, cues, best, is_person=is_person)

    text = statement.text
    is_unfinished = text.endswith(UNFINISHED)
    is_question = is_person and is_asking(text)
    is_plain = kind == "fact"
    is_phrased = bool(lasting) or section_kind(statement) in EXPLICIT
    # Only for persons: agents mostly describe code, which the next session reads again.
    has_known_words = is_person and any(name.startswith(("says:", "word:")) for name in cues)
    if (
        is_momentary
        or is_remark(text)
        or not (is_phrased or has_known_words)
        or (is_unfinished and (is_plain or not is_question))
        or (is_plain and is_person and _says_little(cues))
    ):
        return Judgement(probability, NEVER, kind)
    thresholds = [MIN_SPEECH[speaker]]
    if is_question:
        thresholds.append(MIN_QUESTION)
    if is_plain:
        thresholds.append(MIN_PLAIN[speaker])
    if is_person and place is not None and place.is_answer:
        thresholds.append(MIN_ANSWER)
    return Judgement(probability, max(thresholds), kind)


def is_asking(text: str) -> bool:
    """Return whether a text begins like a question, or a sentence in it ends like one."""
    return PATTERNS["question"].search(text) is not None


def find_speech_cues(statement: Statement, place: TurnPlace | None) -> dict[str, float]:
    """Return the cues of a statement in its turn; *place* is None if unknown.

    In other languages than English and German, single words are no cues, and each cue is a second
    one, because the same form may mean less there.
    """
    language = detect_language(statement.text)
    is_foreign = language not in KNOWN_LANGUAGES
    if is_foreign:
        statement = replace(statement, text=remove_false_friends(statement.text, language))
    cues = find_cues(statement)
    if is_foreign:
        is_word = re.compile("word:|starts:").match
        cues = {name: value for name, value in cues.items() if not is_word(name)}
    families = find_families(statement, is_foreign=is_foreign)
    cues |= {f"family:{family.name}": 1.0 for family in families}
    if place is not None:
        cues |= {f"turn:{name[3:]}": 1.0 for name, holds in place._asdict().items() if holds}
        if place.is_first and not any(name.startswith("family:") for name in cues):
            cues["turn:first without phrase"] = 1.0
    if is_foreign:
        cues |= {f"foreign {name}": value for name, value in cues.items()} | {"foreign": 1.0}
    return cues


def _choose_kind(
    statement: Statement, cues: Mapping[str, float], best: Family | None, *, is_person: bool
) -> str:
    """Return the fact kind of a statement.

    Args:
        best: The most significant family of phrases that it matches; None for none.
    """
    section = section_kind(statement)
    if section in EXPLICIT:
        return FACT_KINDS.get(section, section)
    kind = best.kind if best is not None else "fact"
    if is_person and kind in ("fact", "lesson") and PATTERNS["decides"].search(statement.text):
        kind = "decision"
    has_purpose = PATTERNS["purpose"].search(statement.text) is not None
    if is_person and kind == "lesson" and has_purpose and best and best.name == "because":
        kind = "preference"
    if kind != "preference":
        return kind
    # An agent states facts, not preferences; so does a person who pastes a review.
    text = statement.text.replace("’", "'")
    if is_person and best is not None and (best.sure or PATTERNS["wish"].search(text)):
        return kind
    return "lesson" if "family:because" in cues and not has_purpose else "fact"


def _says_little(cues: Mapping[str, float]) -> bool:
    """Return whether the cues show an order for the current work, or mere displeasure."""
    is_order = "starts:imperative" in cues and "says:marker" not in cues
    return is_order or ("says:anaphor" in cues and "words:3-4" in cues)
