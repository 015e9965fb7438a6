"""Reading who said what."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.prompt.operator_turn import Voice, own_words, settled
from crewmem.prompt.operator_turns import read_turns


def lines(*records):
    return "".join(f"{json.dumps(each)}\n" for each in records).encode()


def own(content, user="ada"):
    return [turn.text for turn in read_turns(content, user).own]


@pytest.mark.parametrize(
    "record",
    [
        {"role": "user", "content": "Hi"},
        {"role": "human", "text": "Hi"},
        {"role": "user", "name": "ada", "content": "Hi"},
        {"speaker": "Ada", "text": "Hi"},
        {"author": "@ada", "text": "Hi"},
        {"user": "ada", "message": "Hi"},
        {"from": "ada", "body": "Hi"},
        {"role": "ada", "content": "Hi"},
        {"role": "operator:ada", "content": "Hi"},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"type": "user", "message": {"role": "user", "content": "Hi"}},
        {"author": {"role": "user"}, "content": "Hi"},
        {"messages": [{"role": "user", "content": "Hi"}]},
        {"role": "user", "content": "Hi", "unknown": {"role": "assistant"}},
    ],
)
def test_logs_of_many_kinds_are_read(record):
    """Whatever they call who spoke, and what was said."""
    assert own(lines(record)) == ["Hi"]


@pytest.mark.parametrize(
    "record",
    [
        {"role": "assistant", "content": "Hi"},
        {"role": "system", "content": "Hi"},
        {"role": "tool", "name": "ada", "content": "Hi"},
        {"role": "assistant", "name": "ada", "content": "Hi"},
        {"speaker": "ben", "text": "Hi"},
        {"role": "user", "name": "ben", "content": "Hi"},
        {"role": "user", "isMeta": True, "content": "Hi"},
        {"role": "user", "content": [{"type": "tool_result", "text": "Hi"}]},
        {"type": "assistant", "message": {"role": "assistant", "content": "Hi"}},
    ],
)
def test_what_others_said_is_not_the_persons(record):
    """Nor what a program says in the person's place."""
    assert own(lines(record)) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"words", "it is not JSON"),
        (b"[1]", "it is no JSON object"),
        (b'{"role": "user"}', "does not say what was said"),
        (b'{"content": "Hi"}', "does not say who spoke"),
        (b'{"role": "user", "content": 7}', "does not say what was said"),
        (b'{"role": "user", "content": "\\ud800"}', "half a character"),
        (b'{"role": "user", "content": "\xff"}', "not UTF-8"),
        (b'{"role": "user", "role": "tool", "content": "Hi"}', "twice"),
        (b'{"role": "user", "content": "Hi", "n": 1e999}', "too large"),
        (b'{"role": "user", "content": "Hi", "n": ' + b"9" * 99 + b"}", "too large"),
        (b"[" * 9_999, "nested too deep"),
    ],
)
def test_a_bad_line_costs_itself_alone(line, reason):
    """It is counted, by its number and with its reason; the others are kept."""
    good = lines({"role": "user", "content": "Hi"})
    found = read_turns(good + line + b"\n" + good, "ada")
    assert [turn.text for turn in found.own] == ["Hi", "Hi"]
    ((number, said),) = found.bad
    assert number == 2
    assert reason in said


def test_who_is_not_named_among_persons_with_names_is_nobody():
    """It could be anybody's turn; where no person is named it is the observed one's."""
    unnamed = {"role": "user", "content": "Hi"}
    found = read_turns(
        lines(unnamed, {"role": "user", "name": "ben", "text": "x"}), "ada"
    )
    assert (found.own, found.unnamed) == ([], 1)
    assert own(lines(unnamed, {"role": "assistant", "name": "mira", "text": "x"})) == [
        "Hi"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Ada: Hi",
        "ada: Hi",
        "User: Hi",
        "**Ada**: Hi",
        "<ada> : Hi",
        "[09:30] Ada: Hi",
        "2026-05-01 09:30 ada: Hi",
        "Ada (lead): Hi",
        "@ada: Hi",
    ],
)
def test_text_with_speakers_is_read(line):
    """A line begins with who speaks, whatever stands around the name."""
    assert own(line.encode()) == ["Hi"]


def test_a_turn_goes_on_until_somebody_else_speaks():
    """Labels, addresses and code in it are no speakers."""
    text = (
        "Assistant: Hello\nAda: One\n\nNote: two\nhttps://x.org\n```\nBen: code\n```\n"
        "three\nBen: no\n"
    )
    assert own(text.encode()) == [
        "One\n\nNote: two\nhttps://x.org\n```\nBen: code\n```\nthree"
    ]


def test_lines_before_anybody_speaks_are_bad():
    """And lines that are no text."""
    found = read_turns(b"words\n\n\xff\nAda: Hi\n", "ada")
    assert [(each.line, each.reason) for each in found.bad] == [
        (1, "it does not say who spoke"),
        (3, "it is not UTF-8"),
    ]


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_nothing_that_is_read_fails(content):
    """Whatever is handed in is turns, bad lines, or nothing."""
    found = read_turns(content, "ada")
    assert all(turn.text.strip() for turn in found.turns)
    assert settled(found.turns) == found.turns


ALL_LINES = st.lists(
    st.sampled_from(["I own it", "> I own it", "```", "~~~", "````", "", "  > x"])
)


@settings(deadline=None)
@given(ALL_LINES)
def test_own_words_are_spans_without_quotes_and_code(said):
    """In order, apart, and none of them holds a quoted line or a fence."""
    text = "\n".join(said)
    last = 0
    for begin, end in own_words(text):
        assert last <= begin < end
        last = end
        for line in text[begin:end].splitlines():
            assert not line.lstrip().startswith((">", "```", "~~~"))


def test_voices():
    """Every turn has one."""
    found = read_turns(b"Ada: a\nBen: b\nUser: c\nAssistant: d\n", "ada")
    assert [turn.voice for turn in found.turns] == [
        Voice.SUBJECT,
        Voice.OTHER,
        Voice.PERSON,
        Voice.ASSISTANT,
    ]
