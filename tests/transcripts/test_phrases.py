"""Families of phrases, and what is looked at for them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcripts.logs import redact, said, turns

from crewmem.memories.kinds import KINDS
from crewmem.transcripts.claim import claims, entities
from crewmem.transcripts.injected import BRACKETED, OTHERS, TAGS, without_injected
from crewmem.transcripts.meant import family_of, scope_of
from crewmem.transcripts.phrases import FAMILIES
from crewmem.transcripts.sentences import MOST, sentences

QUICK = settings(max_examples=80, deadline=None)


def called(family):
    return family.name


@pytest.mark.parametrize("family", FAMILIES, ids=called)
def test_the_example_is_found(family):
    """Each family finds its example, in whatever case it is written."""
    for role in family.roles:
        assert family_of(family.example, role) is family
        assert family_of(family.example.upper(), role)


@pytest.mark.parametrize("family", FAMILIES, ids=called)
def test_the_counter_example_is_not(family):
    """Nothing is found in its counter-example: what matches nothing is not kept."""
    found = [family_of(family.counter, role) for role in ("user", "assistant")]
    assert found == [None, None]


@pytest.mark.parametrize("family", FAMILIES, ids=called)
def test_what_only_a_person_can_say_is_not_taken_from_a_model(family):
    """A model has no preferences, and corrects nobody."""
    assert family.kind in KINDS
    if family.kind in {"preference", "correction"}:
        assert family.roles == ("user",)


@pytest.mark.parametrize(
    "text",
    [
        "Should we use Postgres 16 for staging?",
        "If we decided to move, always call first?",
        "Maybe we decided on Caddy.",
        "ok",
        "Thanks, that looks right.",
        "Let me run the tests.",
        "I'll check the file now.",
        "Never mind.",
        "Don't run it yet.",
    ],
)
def test_questions_and_chatter_say_nothing(text):
    """Questions, guesses, acknowledgements and narration are not kept."""
    for role in ("user", "assistant"):
        (turn,), _ = turns(said(text, role=role))
        assert [*claims(turn, redact)] == []


def test_a_decision_is_kept_with_its_reason():
    """The sentence that says why is a part of what is kept."""
    text = "We decided to keep the webhook synchronous. Because retries double. Fine."
    (turn,), _ = turns(said(text))
    (claim,) = claims(turn, redact)
    assert claim.text == (
        "We decided to keep the webhook synchronous. Because retries double."
    )
    assert claim.kind == "decision"


def test_a_model_counts_less():
    """What a model says of itself is less sure than what a person says."""
    label = "Decision: staging stays on Postgres 16."
    (own,), _ = turns(said(label))
    (models,), _ = turns(said(label, role="assistant"))
    (one,), (other,) = [*claims(own, redact)], [*claims(models, redact)]
    assert one.text == other.text
    assert other.confidence < one.confidence


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Never push to main directly.", "agent"),
        ("Everyone on the team: never push to main directly.", "crew"),
        ("Never push to main, that is company-wide policy.", "workspace"),
    ],
)
def test_who_it_is_for_is_said(text, scope):
    """It is for the agent, unless somebody says that it is for others as well."""
    assert scope_of(text) == scope


def test_code_and_quotes_are_no_speech():
    """What stands in fences, is quoted or was typed into a shell is not looked at."""
    text = (
        "Look:\n```\nNever push to main directly.\n```\n"
        "> Always call the harbour master.\n"
        "$ always run make deploy first\nthat is all."
    )
    (turn,), _ = turns(said(text))
    assert [*claims(turn, redact)] == []


@QUICK
@given(st.text(max_size=200))
def test_sentences_are_of_the_text(text):
    """A sentence is made of words of the text, in one line, and is not long."""
    for each in sentences(text):
        assert len(each.text) <= MOST
        assert "\n" not in each.text
        assert (
            "".join(each.text.split()) in "".join(text.split())
            or "*" in text
            or "_" in text
            or "-" in text
            or "#" in text
        )


NAMES = [
    *(f"[{name}]{{}}[END {name}]" for name in BRACKETED),
    *(f"[{name}]{{}}[/{name}]" for name in OTHERS),
    *(f"<{name} a='b'>{{}}</{name}>" for name in TAGS),
]


@pytest.mark.parametrize("block", NAMES)
def test_injected_blocks_are_taken_out(block):
    """What programs lay before a model is not learned again; what is around it is."""
    rule = "Never push to main directly."
    text = f"Before it.\n{block.format(f' x {rule} ')}\nUse Caddy for the edge."
    clean = without_injected(text)
    assert rule not in clean
    assert "Before it." in clean
    assert "Use Caddy for the edge." in clean


def test_lines_of_stored_text_are_known():
    """A line in which a marker was defused was laid before a model once."""
    text = "Hello.\n- (defused: AGENT MEMORY) Never push to main directly.\nBye."
    assert without_injected(text) == "Hello.\nBye."


def test_a_block_that_is_not_closed_reaches_to_the_end():
    """Rather too little is learned than what was recalled."""
    text = "Hello.\n<recalled-memory shown='1'>\n- Never push to main directly."
    assert without_injected(text).strip() == "Hello."


def test_lines_of_recalled_memory_are_known_anywhere():
    """A hint that a model copied is no word of anybody's."""
    text = "You said:\n- m_01jx2a [correction] Never push to main (41 d ago)\nRight."
    assert "Never push" not in without_injected(text)


@QUICK
@given(
    st.lists(st.sampled_from([*NAMES, "[", "<", "]", ">", "[END ", "x\n"]), max_size=6)
)
def test_taking_out_comes_to_an_end(parts):
    """Whatever is opened and closed in whatever order, what is left is of the text."""
    text = "".join(parts)
    assert len(without_injected(text)) <= len(text) + len(parts) * 2


def test_entities_are_names():
    """Names stand in backticks, in capitals within a sentence, or end as files do."""
    text = "Run `make deploy` on Harbor Gate before staging.yaml changes."
    assert entities(text) == ("make deploy", "Harbor Gate", "staging.yaml")
