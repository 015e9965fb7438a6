"""What a language model picks out of what a person said, and whether it is so. Pure.

Its answer is believed as far as it can be shown: a quote is the person's own, letter by
letter, in a sentence that states something, and the value says it in the quote's words.
"""

from __future__ import annotations

import re

from crewmem.answers import array
from crewmem.prompt.operator_doubt import (
    ANOTHER,
    MOOD,
    ORDER,
    QUESTION,
    lead,
    shortcoming,
)
from crewmem.prompt.operator_evidence import NOTHING, WORD, collapsed
from crewmem.prompt.operator_fact import STATED, VALUE_MOST, Candidate, FactField
from crewmem.prompt.operator_sentence import plain, sentences, without_quotes
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.prompt.operator_sentence import Sentence
    from crewmem.prompt.operator_turn import Turn

ANSWER_MOST = 32_000
"""Characters of a model's answer that are read."""

PICKS_MOST = 50
"""Facts of one answer: there are nine fields."""

TEXT_MOST = 2_000
"""Characters of any text in an answer."""

INSTRUCTION = f"""\
Below is what one person wrote to an assistant, newest first. Find what they state of
how they work, in general and of themselves.
Answer with a JSON array and nothing else. Each of its elements is an object:
{{"key": "a field", "value": "what is so", "quote": "their words", "source": "stated"}}
- key: one of {", ".join(FactField)}.
- quote: the passage that states it, copied letter by letter from what they wrote.
- value: at most {VALUE_MOST} characters, in the words of the quote, in the third
  person, without a subject: "short answers", "the billing service".
- Only what they state themselves. No orders, wishes, moods, guesses or questions, no
  plans, nothing that is over or only so today, nothing about anybody else, and nothing
  that they quote or paste.
- At most {PICKS_MOST} elements; [] if there is nothing."""
"""What is said to a model; `picks` and `doubtful` read the answer."""

HEADING = "What the person wrote"

NEGATIVE = frozenset({"constraint", "prefers", "process"})
"""Fields that say as well what somebody does not do."""


class Picks(NamedTuple):
    """What an answer spells.

    Attributes:
        candidates: In the order of the answer.
        troubles: Why the rest is none.
    """

    candidates: Sequence[Candidate]
    troubles: Sequence[str]


def picks(answer: str) -> Picks:
    """Return what *answer* picks; of one that is no list of objects nothing is used."""
    if len(answer) > ANSWER_MOST:
        return Picks((), [f"its answer has more than {ANSWER_MOST:,} characters"])
    found = array(answer)
    if found is None:
        return Picks((), ["its answer is no JSON array"])
    good = [each for each in map(_candidate, found[:PICKS_MOST]) if each]
    troubles = []
    if bad := min(len(found), PICKS_MOST) - len(good):
        troubles.append(f"{bad} of its facts are no objects of four texts")
    if len(found) > PICKS_MOST:
        troubles.append(f"it named more than {PICKS_MOST} facts")
    return Picks(good, troubles)


def _candidate(said: object) -> Candidate | None:
    if not isinstance(said, dict):
        return None
    texts = [
        said.get(name, STATED if name == "source" else None)
        for name in ("key", "value", "quote", "source")
    ]
    key, value, quote, source = (
        " ".join(each.split()) if isinstance(each, str) else "" for each in texts
    )
    if not (key and value and quote) or max(map(len, (key, value, quote))) > TEXT_MOST:
        return None
    try:
        f"{key}{value}{quote}{source}".encode()
    except UnicodeEncodeError:
        return None
    return Candidate(key.lower(), value, quote, source.lower())


def placed(pick: Candidate, turns: Sequence[Turn]) -> Candidate:
    """Return *pick* with the line of the last of *turns* that holds its quote."""
    for turn in reversed(turns):
        if pick.quote in collapsed(turn.text):
            return pick._replace(line=turn.line)
    return pick


def doubtful(pick: Candidate, turns: Sequence[Turn]) -> str:
    """Return why *pick* is none of what *turns*, a person's own, state; "" if it is.

    A quote that is in none of them is for others to refuse.
    """
    reasons = [
        _doubt(sentence, pick)
        for turn in turns
        for sentence in sentences(turn.text)
        if _holds(sentence.text, pick.quote)
    ]
    if reasons and all(reasons):
        return reasons[0]
    return "" if _says_no_more(pick.value, pick.quote) else "value_not_in_evidence"


def _holds(sentence: str, quote: str) -> bool:
    return quote in sentence or sentence.rstrip(".!?… ") in quote


def _doubt(sentence: Sentence, pick: Candidate) -> str:
    """Return why *sentence* states nothing where *pick* is from; "" if it does."""
    if sentence.introduced:
        return "quotes_another"
    read = without_quotes(plain(sentence.text))
    at = max(sentence.text.find(pick.quote), 0)
    since = max(read.rfind(each, 0, at) for each in (" but ", "; "))
    begun = re.sub(r"^(?: but |; )", "", read[max(since, 0) :])
    begun = begun[lead(begun) :]
    for reason, found in (
        ("question", QUESTION.search(begun)),
        ("order", ORDER.match(begun)),
        ("about_another", ANOTHER.match(begun)),
        ("mood", MOOD.match(begun)),
    ):
        if found:
            return reason
    reason = shortcoming(begun, begun)
    return "" if reason == "negation" and pick.field in NEGATIVE else reason


def _says_no_more(value: str, quote: str) -> bool:
    """Tell whether *value* has no word that means something and is not in *quote*."""
    said = {*_words(quote)}
    return all(word in said for word in _words(value) if word not in NOTHING)


def _words(text: str) -> Iterator[str]:
    """Yield the words of *text*, alike for one person and for another."""
    for word in WORD.findall(text.lower().replace("\u2019", "'")):
        yield word if len(word) <= 3 else word.removesuffix("s").removesuffix("e")  # noqa: PLR2004 - "is", "has"
