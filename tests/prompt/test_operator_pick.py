"""What a language model picks out of what a person said, and what of it is believed."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.errors.backends import ProgramFailedError
from crewmem.prompt.operator_evidence import collapsed, judged
from crewmem.prompt.operator_fact import FactField
from crewmem.prompt.operator_pick import Picker
from crewmem.prompt.operator_picks import PICKS_MOST, picks
from crewmem.prompt.operator_turn import Turn, Voice, own_words
from crewmem.threats.scan import scan

SAID = """\
Pull requests get my review before lunch. Maybe I will lead the dock one day.
Ich arbeite nur mit Helix, but the winch is Bob's. What do I use, vim?
The ferry line was mine until May. Never write to me on Sundays.
> I own the crane
"""

TURNS = [
    Turn(1, Voice.SUBJECT, SAID),
    Turn(6, Voice.ASSISTANT, "You work from Lisbon, and own the harbor crane."),
    Turn(7, Voice.OTHER, "I own the harbor crane."),
    Turn(8, Voice.SUBJECT, "I own the billing service."),
]


KEY = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
"""What the scanner takes for a secret."""


class Model:
    """Answers with what it is given, and keeps what it was told."""

    name = model = "loom"
    is_extract = False

    def __init__(self, answer):
        self.said, self.told = answer, None

    def answer(self, instruction, material, /, *, most):
        assert "JSON array" in instruction
        self.told = [text for texts in material.values() for text in texts]
        if isinstance(self.said, Exception):
            raise self.said
        return self.said[:most]


def fact(key, value, quote, source="stated"):
    return {"key": key, "value": value, "quote": quote, "source": source}


def picked(answer, turns=TURNS):
    """Return the facts of an *answer*, what is refused, and what is noted."""
    model = Model(answer if isinstance(answer, str) else json.dumps(answer))
    picker = Picker(model, scan)
    own = [turn for turn in turns if turn.voice is Voice.SUBJECT]
    found = picker(own)
    done = judged(found.candidates, turns, scan)
    reasons = {each.quote: each.reason for each in [*found.refused, *done.refused]}
    return {each.field: each.value for each in done.facts}, reasons, picker.notices


def test_a_model_finds_what_no_grammar_does():
    """In whatever words and language it was said; what is stated directly is there."""
    answer = [
        fact("process", "reviews before lunch", "my review before lunch"),
        fact("tooling", "Helix", "Ich arbeite nur mit Helix"),
    ]
    facts, _, notices = picked(answer)
    assert facts == {
        "process": "reviews before lunch",
        "tooling": "Helix",
        "owns": "the billing service",
    }
    assert notices == []


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("guess", ("role", "lead", "Maybe I will lead the dock one day")),
        ("question", ("tooling", "vim", "What do I use, vim?")),
        ("order", ("contact", "Sundays", "Never write to me on Sundays")),
        ("value_not_in_evidence", ("tooling", "Emacs", "Ich arbeite nur mit Helix")),
        ("quote_from_an_assistant_turn", ("contact", "Lisbon", "You work from Lisbon")),
        ("quote_not_from_the_subject", ("role", "the crane", "I own the crane")),
        ("quote_not_in_transcript", ("role", "the quay", "I own the quay")),
        ("source_not_admissible", ("tooling", "Helix", "nur mit Helix", "inferred")),
        ("key_not_in_profile", ("hobby", "lunch", "my review before lunch")),
        ("secret", ("contact", f"phone {KEY}", f"My phone is {KEY} here")),
    ],
)
def test_what_it_says_is_checked(reason, said):
    """What is no statement of the person's own is refused, and it is said why."""
    turns = [*TURNS, Turn(9, Voice.SUBJECT, f"My phone is {KEY} here.")]
    facts, reasons, _ = picked([fact(*said)], turns)
    assert reason in reasons.values()
    assert said[0] not in facts


def test_what_is_over_is_no_fact():
    """Nor is what is somebody else's, in the second half of a sentence."""
    facts, _, _ = picked(
        [
            fact("owns", "ferry line", "The ferry line was mine until May"),
            fact("owns", "winch", "the winch is Bob's"),
        ]
    )
    assert facts == {"owns": "the billing service"}


def test_a_model_is_told_the_persons_own_words():
    """Newest first; nothing of others, nothing pasted, no secret and no attack."""
    model = Model("[]")
    picker = Picker(model, scan)
    turns = [*TURNS, Turn(9, Voice.SUBJECT, f"my phone is {KEY}")]
    picker([turn for turn in turns if turn.voice is Voice.SUBJECT])
    newest, oldest = model.told
    assert newest == "I own the billing service."
    assert oldest == SAID.rpartition("> ")[0].strip()
    assert ["1 turn with a secret" in each for each in picker.notices] == [True]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot do that.",
        "{}",
        "[[]]",
        '[{"key": 1}]',
        "[" * 9000,
        '["\\ud800"]',
        '[{"key": "owns", "value": "\\ud800", "quote": "x", "source": "stated"}]',
    ],
)
def test_an_answer_that_is_none_costs_itself(answer):
    """What is stated directly is taken all the same, and it is said why."""
    facts, _, notices = picked(answer)
    assert facts == {"owns": "the billing service"}
    assert len(notices) == 1


def test_a_model_that_fails_costs_itself():
    """What is stated directly is taken, with a notice."""
    picker = Picker(Model(ProgramFailedError("loom", "it is gone")), scan)
    found = picker(TURNS[-1:])
    assert [each.value for each in found.candidates] == ["the billing service"]
    assert "it is gone" in picker.notices[0]


def test_no_more_is_read_than_a_card_could_hold():
    """Of an endless answer the first facts are looked at, and it is said."""
    found = picks(json.dumps([fact("owns", "x", "y")] * (PICKS_MOST + 1)))
    assert len(found.candidates) == PICKS_MOST
    assert "more than" in found.troubles[0]


WORDS = st.sampled_from([*SAID.split(), "own", "crane.", "Lisbon", "vim", "secretly"])

PHRASES = st.lists(WORDS, min_size=1, max_size=7).map(" ".join)

SPANS = st.tuples(st.integers(0, len(SAID)), st.integers(1, 80)).map(
    lambda at: SAID[at[0] : at[0] + at[1]]
)


@settings(deadline=None, max_examples=120)
@given(
    st.lists(
        st.builds(
            fact,
            st.sampled_from([*FactField, "mood"]),
            PHRASES | SPANS,
            SPANS | PHRASES,
            st.sampled_from(["stated", "stated", "inferred"]),
        ),
        max_size=8,
    )
)
def test_whatever_it_answers_facts_are_the_persons(answer):
    """Each quote is there letter by letter, and its value says no more than it does."""
    found = Picker(Model(json.dumps(answer)), scan)
    own = [turn for turn in TURNS if turn.voice is Voice.SUBJECT]
    texts = [
        collapsed(turn.text[begin:end])
        for turn in own
        for begin, end in own_words(turn.text)
    ]
    for each in judged(found(own).candidates, TURNS, scan).facts:
        assert any(each.quote in text for text in texts)
        assert "Lisbon" not in each.value
        assert "secretly" not in each.value
