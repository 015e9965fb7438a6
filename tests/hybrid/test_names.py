"""Whom a question is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.hybrid.names import named

ACTORS = ["Caroline", "Melanie", "Will", "backend-lead", "planner", "user", "assistant"]


def test_names_say_whose_entries_are_meant():
    """And are taken out of the question, with what belongs to them."""
    found = named("What did Caroline say of Melanie's paintings?", ACTORS)
    assert found.actors == {"Caroline", "Melanie"}
    assert found.known == 2
    assert found.rest == "What did say of paintings?"


def test_names_of_nobody_stay():
    """Who is not known is a word like others."""
    text = "What did Gina find?"
    assert named(text, ACTORS) == (frozenset(), 0, text)


def test_only_whole_names_count():
    """A name within another word is none."""
    assert named("Carolines of Willow", ACTORS).actors == set()
    assert named("Melaniexyz", ACTORS).actors == set()


def test_a_slug_may_be_typed_as_words():
    """Its separators are what people make of them."""
    for typed in ("Backend-Lead", "backend lead", "backend_lead"):
        assert named(f"What did {typed} decide?", ACTORS).actors == {"backend-lead"}


def test_a_word_that_is_a_name_stays_a_word():
    """`planner` in small letters is asked for as well, and counts as no name."""
    text = "how does the planner split tasks"
    assert named(text, ACTORS) == (frozenset({"planner"}), 0, text)


def test_a_stop_word_that_is_a_name_is_one_in_the_middle_only():
    """Will begins many questions."""
    assert named("Will it rain?", ACTORS).actors == set()
    assert named("where will it rain?", ACTORS).actors == set()
    assert named("Where was Will?", ACTORS).actors == {"Will"}


def test_a_question_of_nothing_but_a_name_stays_whole():
    """There must be something left to look for."""
    assert named("Caroline?", ACTORS).rest == "Caroline?"


@pytest.mark.parametrize(
    ("text", "actors"),
    [
        ("What degree did I graduate with?", {"user"}),
        ("Where is my bike?", {"user"}),
        ("What did you recommend?", {"assistant"}),
        ("Remind me of the hotel you suggested", {"user", "assistant"}),
        ("Can you recommend a hotel for my trip?", {"user"}),
        ("Type I errors of e.g. me.", {"user"}),
        ("Is there a list?", set()),
    ],
)
def test_persons_are_meant_without_names(text, actors):
    """I and you stand for the two sides of a chat, and count as no names."""
    found = named(text, ACTORS)
    assert found.actors == actors
    assert (found.known, found.rest) == (0, text)


def test_i_am_whoever_asks():
    """An agent that asks for itself means its own entries."""
    assert named("What did I decide?", ACTORS, asker="planner").actors == {"planner"}


@given(st.text(max_size=30), st.lists(st.text(max_size=8), max_size=4))
def test_any_text_can_be_asked(text, actors):
    """Whatever actors are called; their order does not matter."""
    found = named(text, actors)
    assert found == named(text, actors[::-1])
    assert found.actors <= set(actors)
    assert found.known <= len(found.actors)
    assert not text.strip() or found.rest.strip()
