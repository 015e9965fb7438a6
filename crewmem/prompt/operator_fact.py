"""What may be known of how a person works: a fact, its evidence, a refusal. Pure."""

from __future__ import annotations

from enum import StrEnum

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from crewmem.prompt.operator_turn import Turn


class FactField(StrEnum):
    """What a fact may be about; there is nothing else."""

    ROLE = "role"
    OWNS = "owns"
    CONSTRAINT = "constraint"
    PROCESS = "process"
    PREFERS = "prefers"
    TOOLING = "tooling"
    TIMEZONE = "timezone"
    LANGUAGE = "language"
    CONTACT = "contact"


STATED = "stated"
"""The only source of a fact: the person said it. What is inferred is none."""

VALUE_MOST = 160
"""Most characters of a value: a line of a card, not a paragraph."""


class Candidate(NamedTuple):
    """What somebody, a grammar or a model, takes for a fact; nothing is checked yet.

    Attributes:
        field: What it is about, in their words.
        value: What is so.
        quote: What the person said, word for word.
        source: Where they have it from.
        line: The line of the file on which the turn begins; 0 if they do not say.
    """

    field: str
    value: str
    quote: str
    source: str = STATED
    line: int = 0


class Fact(NamedTuple):
    """What a person said of how they work.

    Attributes:
        field: What it is about, one of a closed set.
        value: What is so, in at most 160 characters.
        quote: What the person said, word for word.
        line: The line of the file on which the turn begins.
    """

    field: FactField
    value: str
    quote: str
    line: int = 0


class Refusal(NamedTuple):
    """What was said, or proposed, and is not taken for a fact.

    Attributes:
        reason: The first check that it failed, by its stable name.
        rule: What that check asks for.
        field: What it would be about; "" if that is not clear.
        value: What would be so; "" if it did not come so far, or is not to be repeated.
        quote: What was said; "" where it is not to be repeated.
        line: The line of the file on which the turn begins.
    """

    reason: str
    rule: str
    field: str = ""
    value: str = ""
    quote: str = ""
    line: int = 0


class Extraction(NamedTuple):
    """What was found in the turns of a person.

    Attributes:
        candidates: Newest first, so that of two that differ the newer one is met first.
        refused: What is no direct statement, in the order in which it was said.
    """

    candidates: Iterable[Candidate]
    refused: Sequence[Refusal]


if TYPE_CHECKING:
    Extract = Callable[[Sequence[Turn]], Extraction]
    """What finds candidates among what a person said: a grammar, or a model as well."""


RULES = {
    "key_not_in_profile": f"a field is one of {', '.join(FactField)}",
    "duplicate_key": "a field is said once; what was said last holds",
    "source_not_admissible": "only what the person stated is taken",
    "empty_value": "a value says something",
    "value_over_field_cap": f"a value is at most {VALUE_MOST} characters",
    "value_not_one_line": "a value is one line of text that can be printed",
    "no_evidence_quote": "there is no fact without a quote",
    "evidence_quote_too_short": "a quote of a few letters is a whole sentence",
    "evidence_quote_states_nothing": "a quote has a word that means something",
    "quote_not_in_transcript": "a quote is in the turns, character for character",
    "quote_from_an_assistant_turn": "what an assistant said is no evidence",
    "quote_not_from_the_subject": "a quote is of the person's own words",
    "imperative_phrasing": "a value describes; what reads as an order is none",
    "trend_language_not_in_evidence": "a value says always or never if the quote does",
    "secret": "a secret is kept nowhere",
    "poison": "what reads as an attack on whoever reads it is not kept",
    "order": "an order to somebody else says nothing of the person",
    "mood": "how somebody feels, or what they like, passes",
    "passing": "what is so today, or for now, is no fact to keep",
    "guess": "what the person is not sure of is not taken",
    "question": "a question states nothing",
    "hypothetical": "what would be so, or will be, is not so",
    "past": "what was so is no longer so",
    "negation": "what is not so says nothing of what is",
    "about_another": "only what a person says of themselves is taken",
    "quotes_another": "what somebody else said, or a text to work on, is no statement",
    "unclear": "it points at something outside of the sentence",
    "not_of_its_kind": "the value is not what the field holds",
    "value_not_in_evidence": "a value says what its quote says, in its words",
}
"""Why something is refused, by the name of the reason."""


def refusal(reason: str, candidate: Candidate) -> Refusal:
    """Return that *candidate* is refused for *reason*, a key of `RULES`."""
    return Refusal(
        reason=reason,
        rule=RULES[reason],
        field=candidate.field,
        value=candidate.value,
        quote=candidate.quote,
        line=candidate.line,
    )
