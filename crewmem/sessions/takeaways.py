"""What of a session is worth keeping: its takeaways. Pure.

A takeaway is a statement that the classifier finds lasting, with what it needs to be understood
alone, or what a language model made of such a statement.
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
    find_places,
    is_speakable,
    read_said,
    skip_disputed,
)
from crewmem.sessions.turns import USER
from crewmem.text.judgement import Judgement, TurnPlace, is_asking, judge_speech
from crewmem.text.lasting import needs_context
from crewmem.text.opposites import SAME_CLAIM, is_contradiction, is_opposite
from crewmem.text.repetition import SimilarTexts
from crewmem.text.similarity import SAME_STATEMENT, jaccard, token_set
from crewmem.text.statements import Statement, split_statement
from crewmem.text.tokens import stop_words

RELATED, ALIKE = 0.25, 0.4
"""Jaccard index from which an earlier fact may be meant by a statement that says that it corrects
one, and by any other. At .25 ten real logs made seven contradictions of 238 facts, at .4 two."""

TAKEN_BACK = 2
"""Number of a person's earlier turns whose statements the next turn can take back."""


class Takeaway(NamedTuple):
    """A statement of a session that is worth keeping.

    Attributes:
        hash: Identifies the statement.
        is_for_all: Whether it speaks to more than its session's agent.
        content: What is stored, where it is not the statement itself: a model's sentence, or the
            statement with what it needs to be understood.
        title: What a listing shows; by default the first clause of the text.
        replaces: Hash of the statement of this session that it takes back.
    """

    statement: Statement
    said: SpokenTurn
    kind: str
    chance: float
    hash: str
    is_for_all: bool
    content: str = ""
    title: str = ""
    replaces: str = ""

    @property
    def text(self) -> str:
        """The text that is stored."""
        return self.content or self.statement.said

    @property
    def is_correcting(self) -> bool:
        """Whether it says that it corrects something."""
        said = self.statement.text
        return self.kind == "correction" or PATTERNS["correcting"].search(said) is not None

    @property
    def may_supersede(self) -> bool:
        """Whether its wording replaces a statement that it contradicts."""
        return self.is_correcting or PATTERNS["forbidding"].search(self.statement.text) is not None

    def contradicts(self, text: str) -> bool:
        """Tell whether it cannot hold beside the text of an earlier fact."""
        likeness = jaccard(token_set(self.text), token_set(text))
        if likeness < RELATED or (likeness < ALIKE and not self.is_correcting):
            return False
        # "No, the tide table is in local time" names no opposite of "… is in UTC".
        if self.kind == "correction" and likeness >= ALIKE:
            return True
        return is_contradiction(text, self.text) or (
            self.is_correcting and is_opposite(text, self.text, SAME_CLAIM)
        )


def find_takeaways(
    turns: Iterable[SpokenTurn],
    earlier: Sequence[SpokenTurn] = (),
    seen: SimilarTexts | None = None,
) -> list[Takeaway]:
    """Return what is worth keeping of the turns of a session, in order.

    Only the first of several similar statements is kept: a plan is often written several times. A
    statement that a person takes back at once is merged with the one that takes it back.

    Args:
        turns: Turns that were not read yet.
        earlier: Turns before them, read only for questions and for what is taken back.
        seen: Statements found earlier in the session; new ones are added.
    """
    found: list[Takeaway] = []
    seen = SimilarTexts(SAME_STATEMENT) if seen is None else seen
    read = [(said, read_said(said.text, said.role)) for said in (*earlier, *turns)]
    places = find_places(
        [(said.role, statements) for said, statements in read], has_begun=bool(earlier)
    )
    said_before: list[list[Takeaway]] = []  # by the person, a list a turn
    for number, ((said, statements), place) in enumerate(zip(read, places, strict=True)):
        is_new = number >= len(earlier)
        if said.role != USER and not is_new:
            continue
        kept: list[Takeaway] = []
        recent = [each for turn in said_before[-TAKEN_BACK:] for each in turn]
        if is_new and (changed := _take_back(said, statements, place, recent)):
            seen.add(changed.statement.said)
            kept.append(changed)
        for before, statement, judged in _find_lasting(statements, said.role, place):
            text = statement.said
            if is_new and (len(token_set(text)) < 2 or not seen.add(text)):
                continue
            context = _add_context(statement, before)
            if context and kept and kept[-1].statement == before:
                kept.pop()  # the new one says it, too
            kept.append(
                Takeaway(
                    statement=statement,
                    said=said,
                    kind=judged.kind,
                    chance=judged.chance,
                    hash=hash_statement(text, said.role),
                    is_for_all=said.role == USER and PATTERNS["for_all"].search(text) is not None,
                    content=context or trim_opening(text),
                    title=first_sentence(statement.text) if context else "",
                )
            )
        if said.role == USER:
            said_before.append(kept)
        if is_new:
            found += kept
    return found


def _take_back(
    said: SpokenTurn, statements: Sequence[Statement], place: TurnPlace, recent: Sequence[Takeaway]
) -> Takeaway | None:
    """Return the correction at the beginning of a turn of something a person said lately.

    Its text begins with the corrected statement, without which "actually make it 3" says nothing,
    unless it lasts by itself and denies that statement.
    """
    if said.role != USER or not statements:
        return None
    statement = statements[0]
    opening = PATTERNS["taking_back"].search(statement.text)
    if opening is None or is_asking(statement.text[opening.end() :].lstrip(" ,.!")):
        return None
    words = token_set(statement.text) - _stop_stems()
    shared = {each.hash: len(words & token_set(each.text)) for each in recent}
    changed = max(reversed(recent), key=lambda each: shared[each.hash], default=None)
    if changed is None or not shared[changed.hash]:
        return None
    is_whole = (
        judge_speech(statement, USER, place).is_lasting
        and jaccard(token_set(changed.text), token_set(statement.text)) >= RELATED
        and is_opposite(changed.text, statement.text)
    )
    before = "" if is_whole else f"{changed.text.rstrip(' .')}; "
    text = before + statement.said if before else trim_opening(statement.said)
    if len(text) > MAX_LENGTH:
        return None
    return changed._replace(
        statement=statement,
        said=said,
        hash=hash_statement(statement.said, said.role),
        content=text,
        title=first_sentence(statement.text),
        replaces=changed.hash,
    )


@cache
def _stop_stems() -> frozenset[str]:
    return token_set(" ".join(stop_words()))


def _find_lasting(
    statements: Sequence[Statement], role: str, place: TurnPlace
) -> Iterator[tuple[Statement | None, Statement, Judgement]]:
    """Yield the statements of a turn that last, each with the statement before it.

    If some sentences of a person's statement last by themselves, only those are kept. Only the
    first sentence counts as the beginning of the session, which mostly asks for work.
    """
    later = place._replace(is_first=False)
    if role == USER:
        statements = skip_disputed(statements)
    for before, statement in zip([None, *statements], statements, strict=False):
        found = []
        sentences = split_statement(statement) if role == USER else []
        sentences = [each for each in sentences if is_speakable(each)]
        if sentences != [statement]:
            for previous, sentence in zip([None, *sentences], sentences, strict=False):
                judged = judge_speech(sentence, role, later if previous else place)
                found.append((previous, sentence, judged))
        if not any(judged.is_lasting for _, _, judged in found):
            found = [(before, statement, judge_speech(statement, role, place))]
        yield from (each for each in found if each[2].is_lasting)


def _add_context(statement: Statement, before: Statement | None) -> str:
    """Return a statement with the sentence before it; "" when it is understood without."""
    if before is None or statement.form == "item" or not needs_context(statement.text):
        return ""
    if before.form == "item" or before.lead != statement.lead or before.text.endswith("?"):
        return ""
    text = f"{trim_opening(before.said.rstrip())} {statement.said}"
    return text if len(text) <= MAX_LENGTH else ""


def trim_opening(text: str) -> str:
    """Return a statement without the words that only join it to what was said before.

    >>> trim_opening("And one more thing: invoices are numbered by year.")
    'Invoices are numbered by year.'
    >>> trim_opening("right. btw don't use moment, it is not maintained any more")
    "Don't use moment, it is not maintained any more"
    """
    rest = PATTERNS["opening"].sub("", text)
    return rest[:1].upper() + rest[1:] if len(rest) < len(text) else text


def hash_statement(text: str, role: str) -> str:
    """Return the hash that identifies a statement, whatever its spacing and punctuation."""
    normal = " ".join(re.findall(r"\w+", text.lower()))
    return sha256(f"{role}\0{normal}".encode("utf-8", "replace")).hexdigest()[:24]
