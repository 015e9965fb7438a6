"""Finding what somebody says of themselves, directly, without a model. Pure.

English only. A sentence is taken apart into clauses; a clause is taken if it has one
of the shapes of a direct statement and nothing around it takes it back.
"""

from __future__ import annotations

import re

from crewmem.prompt.operator_doubt import (
    ANOTHER,
    MOOD,
    ORDER,
    QUESTION,
    cue,
    lead,
    objection,
    shortcoming,
    value_objection,
)
from crewmem.prompt.operator_fact import (
    STATED,
    Candidate,
    Extraction,
    Refusal,
    refusal,
)
from crewmem.prompt.operator_sentence import (
    QUOTE,
    clauses,
    plain,
    sentences,
    without_quotes,
)
from crewmem.prompt.operator_shaped import shaped
from crewmem.prompt.operator_wording import closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.prompt.operator_fact import FactField
    from crewmem.prompt.operator_sentence import Clause, Sentence
    from crewmem.prompt.operator_turn import Turn

SENTENCE_MOST = 1_000
"""Most characters of a sentence that is looked at: nobody says so much at once."""

CLAUSE_MOST = 300
"""Most characters of a clause: a value has at most 160."""

QUOTE_LEAST = 12
"""Characters below which a quote has to be a whole sentence."""

MAY_BE_SHAPED = re.compile(
    r"(?i)(?:i|im|i'm|i've|my|the|our|you|people|anyone|anybody|everyone|as a rule)[ ,]"
    r"|(?i:\w+ (?:is|are) my )"
)
"""How a clause begins that could be a direct statement."""

ZONED = re.compile(r"(?i)my (?:\w+ )?(?:time ?zone|tz) is \w")


def statements(turns: Sequence[Turn]) -> Extraction:
    """Find the direct statements in *turns*, all of them a person's own."""
    candidates: list[Candidate] = []
    refused: list[Refusal] = []
    for turn in turns:
        for sentence in sentences(turn.text):
            if len(sentence.text) > SENTENCE_MOST:
                continue
            for found in _Reading(sentence, turn.line).findings():
                if isinstance(found, Candidate):
                    candidates.append(found)
                else:
                    refused.append(found)
    return Extraction(candidates[::-1], refused)


class _Reading:
    """A sentence as it is read.

    Attributes:
        said: The sentence, character for character.
        read: The same, plain, and what is between quotation marks hidden.
    """

    def __init__(self, sentence: Sentence, line: int) -> None:
        self.said, self.introduced, self.line = sentence.text, sentence.introduced, line
        self.read = without_quotes(plain(sentence.text))
        self.clauses = clauses(self.read)

    def findings(self) -> Iterator[Candidate | Refusal]:
        """Yield what is stated in the sentence, or looks so and is refused."""
        begin = self.clauses[0].start if self.clauses else 0
        begin += lead(self.read[begin:])
        if QUESTION.search(self.read[begin:]):
            if field := cue(self.read):
                yield self._refused("question", field, 0, len(self.said))
            return
        if ORDER.match(self.read[begin:]):
            yield self._refused("order", cue(self.read), 0, len(self.said))
            return
        for number in range(len(self.clauses)):
            yield from self._of_clause(number)
        yield from self._between_quotes()

    def _of_clause(self, number: int) -> Iterator[Candidate | Refusal]:
        whole = self.clauses[number]
        start = whole.start + lead(self.read[whole.start : whole.end])
        text = closed(self.read[start : whole.end])
        if not text or len(text) > CLAUSE_MOST:
            return
        before = self.read[self._since(start) : whole.end]
        said = self.said[start : start + len(text)]
        found = MAY_BE_SHAPED.match(text) and shaped(text, said)
        if found:
            after = [
                self.read[each.start : each.end] for each in self.clauses[number + 1 :]
            ]
            reason = (
                ("quotes_another" if self.introduced else "")
                or objection(before, text, after, found.field)
                or value_objection(plain(found.said), found.field)
            )
            quote = self._quote(whole._replace(start=start))
            candidate = Candidate(found.field, found.value, quote, STATED, self.line)
            yield refusal(reason, candidate) if reason else candidate
            return
        reason, field = self._doubt(text, before)
        if reason:
            yield self._refused(reason, field, start, whole.end)

    def _since(self, start: int) -> int:
        """Return from where on what was said bears on a clause that begins at *start*.

        What comes after "but" does not depend on what came before it.
        """
        return max(self.read.rfind(each, 0, start) for each in (" but ", "; ")) + 1

    def _doubt(self, text: str, before: str) -> tuple[str, str]:
        """Return why a clause that has no shape is no fact, and what it is about."""
        if ORDER.match(text):
            return "order", cue(text)
        if ZONED.match(text):
            return "not_of_its_kind", "timezone"
        field = cue(text)
        reason = "quotes_another" if self.introduced else shortcoming(before, text)
        if field and reason:
            return reason, field
        if ANOTHER.match(text):
            return "about_another", ""
        return ("mood", "") if MOOD.match(text) else ("", "")

    def _between_quotes(self) -> Iterator[Refusal]:
        """Refuse what would be a statement, and stands between quotation marks."""
        for quote in QUOTE.finditer(plain(self.said)):
            inner = quote[0][1:-1].strip(" .,!")
            if len(inner) <= CLAUSE_MOST and (found := shaped(inner, inner)):
                yield self._refused("quotes_another", found.field, 0, len(self.said))

    def _quote(self, clause: Clause) -> str:
        """Return the evidence for a clause: itself, or its sentence if it is short."""
        quote = self.said[clause.start : clause.end]
        return quote if len(quote) >= QUOTE_LEAST else self.said

    def _refused(
        self, reason: str, field: FactField | str, start: int, end: int
    ) -> Refusal:
        said = Candidate(field, "", self.said[start:end], STATED, self.line)
        return refusal(reason, said)
