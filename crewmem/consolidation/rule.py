"""Rules: what to do when something comes again, drawn from what happened. Pure.

Without a model a rule is what the journal says itself: the same trouble, met again and
again. A model may say what to do about it; what it says is believed only as far as it
quotes, word for word, what it was told, and names nothing that it was not told of.
"""

from __future__ import annotations

from crewmem.answers import NotBelievedError, array, line, require_named
from crewmem.consolidation.entries import DECISION, ESCALATION
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.consolidation.entries import Told

TITLE_MOST, ACTION_MOST = 120, 2_000
"""Characters of a rule's title, and of what it says to do."""

ANSWER_MOST = 32_000
"""Characters of a model's answer that are read."""

RULES_MOST = 8
"""Rules of one answer: of more nobody could say why."""

CITED_LEAST, CITED_MOST = 2, 20
"""Entries that a rule cites."""

QUOTE_LEAST, QUOTE_MOST = 12, 1_000
"""Characters of a quote: "the" is in every entry."""

INSTRUCTION = f"""\
Below are entries of a crew's journal; each begins with its id. Find what came more
than once, and what whoever meets it next should do.
Answer with a JSON array and nothing else. Each of its elements is an object:
{{"pattern": "when it applies, in one clause",
 "action": "what to do, in one to three sentences",
 "evidence": ["id of an entry", "id of another"],
 "quotes": ["words of the first", "words of the second"],
 "confidence": 0.8}}
- evidence: two or more entries that support the rule. quotes: for each of them a
  passage of it, copied letter by letter, of at least {QUOTE_LEAST} characters.
- Say only what the entries say. Name no command, address, file or person that they do
  not name.
- confidence: from 0 to 1. At most {RULES_MOST} rules; [] if there is none."""
"""What is said to a model; `claims` and `grounded` read the answer."""

ADVICE = ("action", "resolution", "fix", "remedy", "answer", "reason")
"""Fields of a payload that say what was done, or why; the first that is there."""

ADVICE_MOST, ADVISED = 400, 3
"""Characters of what one entry says about it, and entries whose advice is repeated."""

ADVISED_FOR = {
    ESCALATION: "Look for this first: it came up",
    DECISION: "Expect this to be denied, and ask first: it was denied",
}
"""What whoever meets it next should do, and why, by the type of its last entry."""

OTHERWISE = "Look for this before a change that may bring it back: it got worse"


class Claim(NamedTuple):
    """A rule as a model says it.

    Attributes:
        evidence: Ids of entries.
        quotes: What they say.
        confidence: In [0, 1].
    """

    pattern: str
    action: str
    evidence: tuple[str, ...]
    quotes: tuple[str, ...]
    confidence: float


# Without a model


def extracted(troubles: Sequence[Told], on: Sequence[str]) -> tuple[str, str]:
    """Return the title of a rule, and its text, of entries that say the same.

    They are in order, oldest first. *on* holds the day of every place that says it.
    """
    first = " ".join(troubles[0].summary.split())
    title = first if len(first) <= TITLE_MOST else f"{first[: TITLE_MOST - 1]}…"
    advised = ADVISED_FOR.get(troubles[-1].entry_type, OTHERWISE)
    days = sorted({*on})
    span = f"on {days[0]}" if len(days) == 1 else f"between {days[0]} and {days[-1]}"
    text = f"{advised} {len(on)} times {span}."
    advice = [*dict.fromkeys(filter(None, map(_advice, troubles)))][-ADVISED:]
    if advice:
        text = f"{text} What was said about it: {' / '.join(advice)}"
    return title, text


def _advice(told: Told) -> str:
    """Return what an entry says was done, or why; "" if it does not."""
    fields = told.fields
    for name in ADVICE:
        said = fields.get(name)
        if isinstance(said, str) and said.strip():
            return " ".join(said.split())[:ADVICE_MOST]
    return ""


# With a model


def claims(answer: str) -> tuple[list[Claim], list[str]]:
    """Return the rules that *answer* spells, and why the rest is none.

    An answer that is no list of objects is one refusal: nothing of it is used.
    """
    good: list[Claim] = []
    bad: list[str] = []
    try:
        found = _decoded(answer)
    except NotBelievedError as error:
        return [], [str(error)]
    for each in found[:RULES_MOST]:
        try:
            good.append(_claim(each))
        except NotBelievedError as error:
            bad.append(str(error))
    if len(found) > RULES_MOST:
        bad.append(f"the model said more than {RULES_MOST} rules")
    return good, bad


def _decoded(answer: str) -> list[object]:
    """Return the list that *answer* spells."""
    if len(answer) > ANSWER_MOST:
        what = f"the model's answer has more than {ANSWER_MOST:,} characters"
        raise NotBelievedError(what)
    found = array(answer)
    if found is None:
        raise NotBelievedError("the model's answer is no JSON array")
    return found


def _claim(said: object) -> Claim:
    if not isinstance(said, dict):
        raise NotBelievedError("a rule is no JSON object")
    pattern, action = line(said.get("pattern")), line(said.get("action"))
    if not pattern or not action:
        raise NotBelievedError("a rule lacks its pattern or its action")
    if len(pattern) > TITLE_MOST or len(action) > ACTION_MOST:
        raise NotBelievedError("a rule is too long")
    evidence, quotes = _texts(said.get("evidence")), _texts(said.get("quotes"))
    sure = said.get("confidence")
    if isinstance(sure, bool) or not isinstance(sure, int | float):
        raise NotBelievedError("the confidence of a rule is no number")
    if not 0 <= sure <= 1:  # nor is what is no number at all
        raise NotBelievedError("the confidence of a rule is not within 0 and 1")
    return Claim(pattern, action, evidence, quotes, float(sure))


def _texts(said: object) -> tuple[str, ...]:
    if isinstance(said, dict):  # some name the entry of each quote
        said = [*said.values()]
    if not isinstance(said, list) or len(said) > CITED_MOST:
        raise NotBelievedError("the evidence or the quotes of a rule are no short list")
    texts = tuple(line(each) for each in said)
    if not all(texts):
        raise NotBelievedError("the evidence or the quotes of a rule are no texts")
    return texts


def grounded(claim: Claim, told: Mapping[str, str]) -> dict[str, str]:
    """Return what *claim* quotes of each entry that it rests on, by the entry's id.

    Args:
        claim: The rule.
        told: What the model was told, by the ids of entries.

    Raises:
        NotBelievedError: If it is not to be believed.
    """
    ids = (*dict.fromkeys(claim.evidence),)
    if any(each not in told for each in ids):
        raise NotBelievedError("it cites an entry that the model was not told")
    if len(ids) < CITED_LEAST:
        raise NotBelievedError("it cites fewer than two entries")
    texts = {each: " ".join(told[each].split()) for each in ids}
    quoted: dict[str, str] = {}
    for quote in claim.quotes:
        holding = _holding(quote, texts)
        fresh = [each for each in holding if each not in quoted]
        quoted.setdefault((fresh or holding)[0], quote)
    if len(quoted) < CITED_LEAST:
        raise NotBelievedError("it quotes fewer than two entries")
    whole = "\n".join(texts[each] for each in quoted).casefold()
    require_named(f"{claim.pattern}\n{claim.action}", whole)
    return quoted


def _holding(quote: str, texts: Mapping[str, str]) -> list[str]:
    """Return the ids of *texts* that hold *quote*, word for word."""
    if not QUOTE_LEAST <= len(quote) <= QUOTE_MOST:
        raise NotBelievedError("it quotes too little, or too much")
    found = [each for each, text in texts.items() if quote in text]
    if not found:
        raise NotBelievedError("nobody said what it quotes")
    return found
