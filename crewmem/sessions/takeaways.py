"""Find the takeaways of a session: the statements that are worth keeping. Pure.

A takeaway is a statement that the classifier judges as lasting, with the context that it needs to
be understood alone, or a language model's sentence for such a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from crewmem.facts.fact import first_sentence
from crewmem.sessions.index import SpokenTurn
from crewmem.sessions.speech import (
    MAX_LENGTH,
    PATTERNS,
    drop_disputed,
    extract_statements,
    has_fact_length,
    list_turn_places,
)
from crewmem.sessions.turns import USER
from crewmem.text.judgement import Judgement, TurnPlace, is_asking, judge_speech
from crewmem.text.lasting import needs_context
from crewmem.text.opposites import SAME_CLAIM, have_other_subjects, is_contradiction, is_opposite
from crewmem.text.repetition import SimilarTexts
from crewmem.text.similarity import jaccard, token_set
from crewmem.text.statements import Statement, split_statement
from crewmem.text.tokens import stop_words

RELATED, ALIKE = 0.25, 0.4
"""Minimum Jaccard index between a statement and an earlier fact that it contradicts: if it says
that it corrects something, and otherwise. In ten real logs with 238 facts, .25 gave seven
contradictions, .4 two."""

RETRACTABLE_TURNS = 2
"""Number of a person's earlier turns whose statements the next turn can retract."""


class Takeaway(NamedTuple):
    """A statement of a session that is worth keeping.

    Attributes:
        probability: Probability that it lasts.
        hash: Identifies the statement.
        is_for_all: Whether it applies to more than its session's agent.
        content: The text to store, if it differs from the statement: a model's sentence, or the
            statement with its context.
        title: Title for listings; "" for the first clause of the text.
        replaces: Hash of the statement of this session that it retracts; "" for none.
    """

    statement: Statement
    turn: SpokenTurn
    kind: str
    probability: float
    hash: str
    is_for_all: bool
    content: str
    title: str = ""
    replaces: str = ""

    @property
    def text(self) -> str:
        """The text that is stored."""
        return self.content or self.statement.full_text

    @property
    def is_correcting(self) -> bool:
        """Whether it says that it corrects something."""
        text = self.statement.text
        return self.kind == "correction" or PATTERNS["correcting"].search(text) is not None

    @property
    def may_supersede(self) -> bool:
        """Whether its wording replaces a statement that it contradicts."""
        return self.is_correcting or PATTERNS["forbidding"].search(self.statement.text) is not None

    def contradicts(self, text: str) -> bool:
        """Return whether it contradicts the text of an earlier fact."""
        similarity = jaccard(token_set(self.text), token_set(text))
        if similarity < RELATED or (similarity < ALIKE and not self.is_correcting):
            return False
        if have_other_subjects(self.text, text):
            return False
        # "No, the tide table is in local time" has no opposite of "… is in UTC".
        if self.kind == "correction" and similarity >= ALIKE:
            return True
        return is_contradiction(text, self.text) or (
            self.is_correcting and is_opposite(text, self.text, SAME_CLAIM)
        )


def find_takeaways(
    turns: Iterable[SpokenTurn],
    earlier: Sequence[SpokenTurn] = (),
    seen: SimilarTexts | None = None,
) -> list[Takeaway]:
    """Return the takeaways of the turns of a session, in order.

    Of several similar statements, only the first is kept: a plan is often written several times. A
    statement that a person soon retracts is merged with the retraction.

    Args:
        turns: Turns that were not read yet.
        earlier: Turns before them, read only for questions and for statements to retract.
        seen: Statements found earlier in the session; new ones are added.
    """
    found: list[Takeaway] = []
    seen = SimilarTexts() if seen is None else seen
    read = [(turn, extract_statements(turn.text, turn.role)) for turn in (*earlier, *turns)]
    places = list_turn_places(
        [(turn.role, statements) for turn, statements in read], has_begun=bool(earlier)
    )
    by_turn: list[list[Takeaway]] = []  # of the person
    for number, ((turn, statements), place) in enumerate(zip(read, places, strict=True)):
        is_new = number >= len(earlier)
        if turn.role != USER and not is_new:
            continue
        kept: list[Takeaway] = []
        recent = [each for takeaways in by_turn[-RETRACTABLE_TURNS:] for each in takeaways]
        if is_new and (correction := _find_retraction(turn, statements, place, recent)):
            seen.add(correction.statement.full_text)
            kept.append(correction)
        for before, statement, judged in _find_lasting(statements, turn.role, place):
            text = statement.full_text
            if is_new and (len(token_set(text)) < 2 or not seen.add(text)):
                continue
            context = _add_context(statement, before)
            if context and kept and kept[-1].statement == before:
                kept.pop()  # its text is part of the new one
            kept.append(
                Takeaway(
                    statement=statement,
                    turn=turn,
                    kind=judged.kind,
                    probability=judged.probability,
                    hash=hash_statement(text, turn.role),
                    is_for_all=turn.role == USER and PATTERNS["for_all"].search(text) is not None,
                    content=context or trim_opening(text),
                    title=first_sentence(statement.text) if context else "",
                )
            )
        if turn.role == USER:
            by_turn.append(kept)
        if is_new:
            found += kept
    return found


def _find_retraction(
    turn: SpokenTurn, statements: Sequence[Statement], place: TurnPlace, recent: Sequence[Takeaway]
) -> Takeaway | None:
    """Return the correction of a recent takeaway with which a person's turn begins.

    Its text begins with the corrected statement, because "actually make it 3" alone is
    meaningless, unless it lasts by itself and negates that statement.
    """
    if turn.role != USER or not statements:
        return None
    statement = statements[0]
    opening = PATTERNS["taking_back"].search(statement.text)
    if opening is None or is_asking(statement.text[opening.end() :].lstrip(" ,.!")):
        return None
    words = token_set(statement.text) - _stop_stems()
    shared = {each.hash: len(words & token_set(each.text)) for each in recent}
    retracted = max(reversed(recent), key=lambda each: shared[each.hash], default=None)
    if retracted is None or not shared[retracted.hash]:
        return None
    is_complete = (
        judge_speech(statement, USER, place).is_lasting
        and jaccard(token_set(retracted.text), token_set(statement.text)) >= RELATED
        and is_opposite(retracted.text, statement.text)
    )
    if is_complete:
        text = trim_opening(statement.full_text)
    else:
        text = f"{retracted.text.rstrip(' .')}; {statement.full_text}"
    if len(text) > MAX_LENGTH:
        return None
    return retracted._replace(
        statement=statement,
        turn=turn,
        hash=hash_statement(statement.full_text, turn.role),
        content=text,
        title=first_sentence(statement.text),
        replaces=retracted.hash,
    )


@cache
def _stop_stems() -> frozenset[str]:
    return token_set(" ".join(stop_words()))


def _find_lasting(
    statements: Sequence[Statement], role: str, place: TurnPlace
) -> Iterator[tuple[Statement | None, Statement, Judgement]]:
    """Yield the lasting statements of a turn, each with the statement before it.

    If some sentences of a person's statement are lasting by themselves, only those are kept. Only
    the first sentence counts as the start of the session, which usually asks for work.
    """
    later = place._replace(is_first=False)
    if role == USER:
        statements = drop_disputed(statements)
    for before, statement in zip([None, *statements], statements, strict=False):
        found = []
        sentences = split_statement(statement) if role == USER else []
        sentences = [each for each in sentences if has_fact_length(each)]
        if sentences != [statement]:
            for previous, sentence in zip([None, *sentences], sentences, strict=False):
                judged = judge_speech(sentence, role, later if previous else place)
                found.append((previous, sentence, judged))
        if not any(judged.is_lasting for _, _, judged in found):
            found = [(before, statement, judge_speech(statement, role, place))]
        yield from (each for each in found if each[2].is_lasting)


def _add_context(statement: Statement, before: Statement | None) -> str:
    """Return a statement with the sentence before it; "" if it does not need that."""
    if before is None or statement.form == "item" or not needs_context(statement.text):
        return ""
    if before.form == "item" or before.lead != statement.lead or before.text.endswith("?"):
        return ""
    text = f"{trim_opening(before.full_text.rstrip())} {statement.full_text}"
    return text if len(text) <= MAX_LENGTH else ""


def trim_opening(text: str) -> str:
    """Return a statement without opening words that only link it to the text before.

    >>> trim_opening("And one more thing: invoices are numbered by year.")
    'Invoices are numbered by year.'
    >>> trim_opening("right. btw don't use moment, it is not maintained any more")
    "Don't use moment, it is not maintained any more"
    """
    rest = PATTERNS["opening"].sub("", text)
    return rest[:1].upper() + rest[1:] if len(rest) < len(text) else text


def hash_statement(text: str, role: str) -> str:
    """Return the hash of a statement, which ignores spacing, punctuation and case."""
    normal = " ".join(re.findall(r"\w+", text.lower()))
    return sha256(f"{role}\0{normal}".encode("utf-8", "replace")).hexdigest()[:24]
