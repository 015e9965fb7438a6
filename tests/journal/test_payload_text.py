"""The words of a payload."""

import pytest
from entries import OBJECTS
from hypothesis import given

from crewmem.journal.payload_text import (
    DEEPEST,
    WORDS_MOST,
    TooDeepError,
    payload_text,
)


def test_values_are_words_and_keys_are_not():
    """Who looks for a key's name finds no entry that merely has the key."""
    payload = {"decision": "keep", "list": ["a", {"b": 7, "c": 0.5}], "x": [True, None]}
    assert payload_text(payload) == "keep\na\n7\n0.5"


def test_it_has_an_end():
    """Of a huge payload the beginning can be found."""
    assert len(payload_text({"log": "word " * 100_000})) == WORDS_MOST


def test_nul_is_no_word():
    """What would end a text for SQLite is a blank."""
    assert payload_text({"a": "b\0c"}) == "b c"


def nested(depth):
    payload = {"a": "deep"}
    for _ in range(depth):
        payload = {"a": [payload]}
    return payload


def test_depth_has_an_end():
    """Nesting that nobody means is refused before anything overflows."""
    assert payload_text(nested(DEEPEST // 2 - 1)) == "deep"
    with pytest.raises(TooDeepError):
        payload_text(nested(DEEPEST // 2))


def texts(value):
    if isinstance(value, dict):
        return [each for inner in value.values() for each in texts(inner)]
    if isinstance(value, list):
        return [each for inner in value for each in texts(inner)]
    return [value] if isinstance(value, str) else []


@given(payload=OBJECTS)
def test_every_text_is_there(payload):
    """Whatever is in a payload, every text of it can be found."""
    found = payload_text(payload)
    assert all(text in found for text in texts(payload))
