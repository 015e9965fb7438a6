"""Records as JSON."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.encode import encoded, plain

law = settings(deadline=None, max_examples=200)

FINITE = st.floats(allow_nan=False, allow_infinity=False)

TEXT = st.text(
    st.characters() | st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"])
)


class Thing(NamedTuple):
    """A record."""

    name: str
    at: datetime


@law
@given(text=TEXT)
def test_json_says_any_text(text):
    """JSON is ASCII in one line, and a reader gets the very text back."""
    printed = encoded({"text": text})
    assert printed.isascii()
    assert printed.isprintable()
    # Two halves of a character that stand together are that character in JSON.
    halves = text.encode("utf-16-le", "surrogatepass")
    whole = halves.decode("utf-16-le", "surrogatepass")
    assert json.loads(printed) == {"text": whole}


@law
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | FINITE | TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    )
)
def test_json_is_what_the_standard_library_makes(value):
    """What can be said in JSON is said as ``json.dumps`` says it."""
    assert encoded(value) == json.dumps(value)


def test_records_become_objects():
    """Records, instants, paths and tuples have one form in JSON."""
    at = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    assert plain([Thing("a", at), Path("x/y"), (1, None), {"b": True}, 1.5]) == [
        {"name": "a", "at": "2026-05-01T09:30:00.000Z"},
        "x/y",
        [1, None],
        {"b": True},
        1.5,
    ]
    with pytest.raises(TypeError):
        plain(object())
    with pytest.raises(ValueError, match="not JSON compliant"):
        encoded(float("nan"))
