"""Whether a candidate is a fact: its checks, in their order, the first failure told.

They do not trust who found it: a quote is looked for, character for character, in
what the person said, however good the grammar or the model was. Pure.
"""

from __future__ import annotations

import re

from crewmem.prompt.operator_doubt import FREQUENCY, OPENERS
from crewmem.prompt.operator_fact import (
    STATED,
    VALUE_MOST,
    Candidate,
    Fact,
    FactField,
    Refusal,
    refusal,
)
from crewmem.prompt.operator_turn import Voice, own_words
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest
from crewmem.threats.rule import SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crewmem.prompt.operator_turn import Turn
    from crewmem.threats.rule import Finding, Scan

QUOTE_LEAST = 12
"""Characters below which a quote has to be a whole sentence: "tabs" is in anything."""

IMPERATIVE = re.compile(rf"(?i)(?:{FREQUENCY} )?(?:{OPENERS})(?: |$)")

TREND = re.compile(
    r"(?i)\b(?:always|never|usually|typically|generally|normally|often|habitually"
    r"|consistently|every time|in general|as a rule|tends to|tend to)\b"
)
"""Words that make a habit of what was said once."""

FIELDS = frozenset(FactField)

FINAL = ".!?…"

NOTHING_SAID = """
    a an the and or but nor so yet if then than as at by for from in into of off on onto
    out over per to up upon via with within without about after again against all also
    am any are be because been before being below between both can cannot could did do
    does doing done down during each either else ever few had has have having he her
    here hers him his how i i'd i'll i'm i've im is isn't it it's its just let's like
    may me might mine more most much must my neither no none nope not now of ok okay
    once one only other our ours own perhaps please quite rather really same shall she
    should since some such sure thanks thank that that's the their theirs them there
    these they they're this those though through too truly under until us very was
    wasn't we we're well were what when where whether which while who whom whose why
    will won't would yeah yep yes you you're your yours always never often sometimes
    usually maybe absolutely exactly definitely certainly right fine good great cool
    nice correct true agreed indeed thing things stuff something anything everything
    nothing got get gets
"""

NOTHING = frozenset(NOTHING_SAID.split())
"""Words that alone say nothing: assents, pronouns, auxiliaries, "stuff"."""

WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


class Judged(NamedTuple):
    """What became of candidates.

    Attributes:
        facts: In the order in which they were said, as candidates come newest first.
        refused: In the order of the candidates.
    """

    facts: Sequence[Fact]
    refused: Sequence[Refusal]


class Transcript:
    """What was said, as quotes are looked for in it: white space collapsed."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self.own: list[str] = []
        self.assistants: list[str] = []
        self.others: list[str] = []
        for turn in turns:
            whole = collapsed(turn.text)
            if turn.voice is Voice.SUBJECT:
                spans = own_words(turn.text)
                self.own += [collapsed(turn.text[a:b]) for a, b in spans]
                self.others.append(whole)  # what the person pasted, if nothing else
            elif turn.voice is Voice.ASSISTANT:
                self.assistants.append(whole)
            else:
                self.others.append(whole)

    def has_sentence(self, quote: str) -> bool:
        """Tell whether *quote* is a whole sentence of the person's own."""
        bare = quote.rstrip(FINAL).strip()
        return any(bare in _sentences(text) for text in self.own if bare in text)

    def misplaced(self, quote: str) -> str:
        """Return why *quote* is not the person's own; "" if it is."""
        for reason, texts in (
            ("", self.own),
            ("quote_from_an_assistant_turn", self.assistants),
            ("quote_not_from_the_subject", self.others),
        ):
            if any(quote in text for text in texts):
                return reason
        return "quote_not_in_transcript"


def collapsed(text: str) -> str:
    """Return *text* with every stretch of white space as one space."""
    return " ".join(text.split())


def _sentences(text: str) -> set[str]:
    return {each.strip() for each in re.split(rf"[{FINAL}]+", text)}


def judged(
    candidates: Iterable[Candidate], turns: Sequence[Turn], scan: Scan
) -> Judged:
    """Return which of *candidates* are facts; of two of a field the first one.

    The same said again, in other words or the same, is neither a fact nor refused.
    """
    transcript = Transcript(turns)
    facts: dict[str, Fact] = {}
    refused: list[Refusal] = []
    for each in candidates:
        candidate = each._replace(
            field=each.field.strip().lower(),
            value=each.value.strip(),
            quote=collapsed(each.quote),
        )
        known = facts.get(candidate.field)
        if known and known.value == candidate.value:
            continue
        failures = _failures(candidate, transcript, is_known=known is not None)
        if reason := next(failures, ""):
            refused.append(refusal(reason, candidate))
        elif finding := _finding(candidate, scan):
            refused.append(_withheld(candidate, finding))
        else:
            field = FactField(candidate.field)
            facts[field] = Fact(field, candidate.value, candidate.quote, each.line)
    return Judged([*facts.values()][::-1], refused)


def _failures(
    candidate: Candidate, transcript: Transcript, *, is_known: bool
) -> Iterator[str]:
    """Yield the checks that *candidate* fails, in their order; the first one counts."""
    value, quote = candidate.value, candidate.quote
    if candidate.field not in FIELDS:
        yield "key_not_in_profile"
    if is_known:
        yield "duplicate_key"
    if candidate.source != STATED:
        yield "source_not_admissible"
    if not value:
        yield "empty_value"
    if len(value) > VALUE_MOST:
        yield "value_over_field_cap"
    if not value.isprintable():
        yield "value_not_one_line"
    yield from _unproven(quote, transcript)
    if IMPERATIVE.match(value):
        yield "imperative_phrasing"
    if TREND.search(value) and not TREND.search(quote):
        yield "trend_language_not_in_evidence"


def _unproven(quote: str, transcript: Transcript) -> Iterator[str]:
    """Yield why *quote* is no evidence for anything."""
    if not quote:
        yield "no_evidence_quote"
    if len(quote) < QUOTE_LEAST and not transcript.has_sentence(quote):
        yield "evidence_quote_too_short"
    if not any(map(_means_something, WORD.findall(quote))):
        yield "evidence_quote_states_nothing"
    if reason := transcript.misplaced(quote):
        yield reason


def _means_something(word: str) -> bool:
    return len(word) > 1 and word.lower().replace("\u2019", "'") not in NOTHING


def _finding(candidate: Candidate, scan: Scan) -> str:
    """Return ``secret`` or ``poison`` if *candidate* holds one; "" if it does not.

    The quote is looked at as well, for it is kept; and the line as it would stand on
    the card.
    """
    for text in (candidate.quote, f"- {candidate.field}: {candidate.value}"):
        if found := gravest(scan(text)):
            return "secret" if found.category == SECRET else "poison"
    return ""


def speakable(refused: Sequence[Refusal], scan: Scan) -> list[Refusal]:
    """Return *refused*, of which those that hold a secret do not repeat it."""
    if not any(map(_is_secret, scan("\n".join(map(_words, refused))))):
        return [*refused]
    return [
        each._replace(value="", quote="")
        if any(map(_is_secret, scan(_words(each))))
        else each
        for each in refused
    ]


def _words(refused: Refusal) -> str:
    return f"{refused.quote}\n{refused.value}"


def _is_secret(finding: Finding) -> bool:
    return finding.category == SECRET


def _withheld(candidate: Candidate, reason: str) -> Refusal:
    """Refuse *candidate*, of which nothing is repeated."""
    return refusal(reason, candidate._replace(value="", quote=""))
