"""What is true of memories without a database."""

import math

import pytest
from claims import MIRA
from hypothesis import given
from hypothesis import strategies as st

from crewmem.cli import remember as command
from crewmem.cli.memories import list as listing
from crewmem.cli.memories import pin
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.memories import BadMoveError
from crewmem.errors.values import BadMemoryError, UnknownKindError
from crewmem.memories import lifecycle, memory
from crewmem.memories.draft import (
    Draft,
    content_hash,
    first_clause,
    importance_of,
    require_valid,
)
from crewmem.memories.kinds import ALIASES, KINDS, kind_of
from crewmem.memories.retention import RATE, color, retention
from crewmem.memories.similar import jaccard, rarest
from crewmem.memories.trust import Vote, counted, is_doubted, trust


def test_the_command_knows_the_words_of_the_room():
    """What a command offers without importing the room is what the room takes."""
    assert command.SENSITIVITIES == memory.SENSITIVITIES == listing.SENSITIVITIES
    assert pin.PINS == memory.PINS
    assert listing.STATUSES == lifecycle.STATUSES
    assert [each for each in KINDS if each not in command.remember_command.help] == []


@pytest.mark.parametrize(("word", "kind"), ALIASES.items())
def test_other_words_for_kinds_are_taken(word, kind):
    """What other tools call a kind is kept as its subtype."""
    assert kind_of(word) == kind_of(word.upper().replace("_", "-")) == (kind, word)
    assert kind in KINDS


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("decison", "decision"),
        ("prefrence", "preference"),
        ("taks", "task"),
        ("", None),
    ],
)
def test_an_unknown_kind_is_told_with_the_nearest(typed, near):
    """Who mistypes a kind reads which one was meant."""
    with pytest.raises(UnknownKindError) as caught:
        kind_of(typed)
    assert caught.value.nearest == near


@pytest.mark.parametrize(
    "wrong",
    [
        {"importance": 0},
        {"importance": 6},
        {"confidence": -0.01},
        {"confidence": 1.01},
        {"confidence": math.nan},
        {"confidence": math.inf},
        {"sensitivity": "secret"},
        {"title": "two\nlines"},
        {"topic_key": ""},
        {"topic_key": "../up and down"},
        {"topic_key": "x" * 121},
        {"tags": ["x"] * 101},
        {"tags": [""]},
        {"tags": ["a\x1b[2J"]},
        {"entities": ["x" * 201]},
        {"session": "a\nb"},
    ],
)
def test_what_is_out_of_range_is_refused_by_name(wrong):
    """A value that a field does not take is told with the field."""
    with pytest.raises(BadMemoryError) as caught:
        require_valid(Draft("Words.", MIRA, **wrong))
    assert caught.value.name == next(iter(wrong))


@pytest.mark.parametrize(
    ("text", "title", "told"),
    [
        ("x" * (64 << 10) + "x", "", "the memory is over the limit of 65,536"),
        ("Words.", "é" * 201, "the title is over the limit of 200 characters"),
        ("Words.", "é" * 300, "the title is 300 characters, over the limit of 200"),
    ],
)
def test_what_is_too_long_is_refused_with_its_limit(text, title, told):
    """Text by its bytes, a title by its characters; at the limit it is taken."""
    with pytest.raises(InputTooLargeError, match=told):
        require_valid(Draft(text, MIRA, title=title))
    require_valid(Draft(text[: 64 << 10], MIRA, title=title[:200]))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Staging runs PG 16. Chosen for replication.", "Staging runs PG 16"),
        ("# Deploys\n\nOn Tuesday.", "Deploys On Tuesday"),
        ("- a rule: never push to main", "a rule: never push to main"),
        ("x" * 300, "x" * 79 + "…"),
        (
            "デプロイは火曜日に行います。詳しくは手順書を見てください。",
            "デプロイは火曜日に行います",
        ),
        ("\u202e\u202e", "untitled"),
    ],
)
def test_a_title_is_the_first_clause(text, title):
    """What nobody gave a title has its first clause for one, in a line."""
    assert first_clause(text) == title


@given(st.text(min_size=1))
def test_a_title_that_nobody_wrote_is_one_that_is_taken(text):
    """Whatever a text is, its first clause is a line that a title may be."""
    title = first_clause(text)
    assert title.strip()
    assert title.isprintable()
    assert len(title) <= 80


@given(st.text(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_same_words_have_one_hash(text, end):
    """Ends of lines and white space around a text make no other memory of it."""
    written = f"  one{end}{text}{end}"
    assert content_hash("fact", "t", written) == content_hash(
        "fact", "t", written.replace("\r\n", "\n").replace("\r", "\n").strip()
    )
    assert content_hash("fact", "a", "b c") != content_hash("fact", "a b", "c")


@pytest.mark.parametrize(("priority", "importance"), [(1, 1), (3, 2), (5, 3), (10, 5)])
def test_a_priority_of_ten_is_an_importance_of_five(priority, importance):
    """Engram's numbers are halved, and rounded up."""
    assert importance_of(priority) == importance


@pytest.mark.parametrize(
    ("confidence", "up", "down", "expected"),
    [(0.5, 0, 0, 0.5), (0.5, 2, 0, 0.8), (0.5, 0, 3, 0.0), (0.9, 1, 0, 1.0)],
)
def test_votes_move_confidence(confidence, up, down, expected):
    """A vote for adds .15, one against takes .20, and it stays within 0 and 1."""
    assert counted(confidence, up, down).confidence == expected


@given(
    st.floats(0, 1),
    st.lists(
        st.builds(Vote, st.text(), st.text(), st.booleans(), st.text(), st.text())
    ),
)
def test_trust_is_within_its_range(confidence, votes):
    """However many vote, trust stays in [0, 1], and a vote for never lowers it."""
    told = trust(confidence, votes)
    assert 0 <= told.confidence <= 1
    assert told.up + told.down == len(votes)
    more = trust(confidence, [*votes, Vote("x", "", is_up=True, reason="", at="")])
    assert more.confidence >= told.confidence


def test_three_who_doubt_are_enough_only_together():
    """It takes three against, and hardly any trust left."""
    assert is_doubted(counted(0.5, 0, 3))
    assert not is_doubted(counted(0.0, 0, 2))
    assert not is_doubted(counted(0.9, 0, 3))


def test_the_curve_is_engrams():
    """Half of a fact is left after 23.1 days, and deliveries slow it down."""
    assert retention("fact", math.log(2) / RATE, 0) == pytest.approx(0.5)
    assert retention("fact", 30, 5) == pytest.approx(math.exp(-0.03 * 30 / 1.5))
    assert [color(0.71), color(0.5), color(0.3)] == ["green", "yellow", "red"]


@given(
    st.sampled_from(KINDS), st.floats(-1e3, 1e5), st.floats(0, 1e4), st.integers(0, 99)
)
def test_forgetting_goes_one_way(kind, days, more, references):
    """What is older is forgotten further; a delivery never makes it worse."""
    now = retention(kind, days, references)
    assert 0 <= retention(kind, days + more, references) <= now <= 1
    assert retention(kind, days, references + 1) >= now


@pytest.mark.parametrize("before", lifecycle.STATUSES)
@pytest.mark.parametrize("after", lifecycle.STATUSES)
def test_only_moves_of_the_table_are_made(before, after):
    """A memory becomes what the table says; a refusal names both."""
    if (before, after) in lifecycle.MOVES:
        lifecycle.require_move("m_1", before, after)
        return
    with pytest.raises(BadMoveError, match=f"{before}.*{after}"):
        lifecycle.require_move("m_1", before, after)


STEMS = st.sets(st.sampled_from("abcdefghijkl"), min_size=1)


@given(
    STEMS, STEMS, st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(0, 9))
)
def test_what_is_near_shares_one_of_the_rarest(one, other, holding):
    """No text that has four fifths in common with another is missed by them."""
    if jaccard(one, other) >= 0.8:
        assert other & set(rarest(one, holding))
