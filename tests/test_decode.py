"""Stored JSON as what it says."""

import json
import math
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crewmem.decode import decoded

law = settings(deadline=None, max_examples=200)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)

BLANK = st.text(" \t\r\n", max_size=3)


def outcome(read, text):
    """Return what *read* makes of *text*, or what kind of failure."""
    try:
        return read(text)
    except ValueError as error:
        return type(error), str(error)


@law
@given(value=VALUES, before=BLANK, after=BLANK, is_ascii=st.booleans())
def test_what_json_wrote_is_read_as_json_reads_it(value, before, after, is_ascii):
    """A document says what it was written from, with blanks around it or without."""
    text = before + json.dumps(value, ensure_ascii=is_ascii) + after
    assert decoded(text) == json.loads(text) == value


@law
@given(text=st.text('{}[]":,0123456789.eE+-truefalsn\\u\x00 \n\t', max_size=20))
@example('{"a": 1, "a": 2}')
@example('"\ud800"')
@example("[1] 2")
@example('"\t"')
@example("")
def test_what_is_no_json_fails_as_json_fails(text):
    """Any text is read, or refused with the same words, as by the module."""
    assert outcome(decoded, text) == outcome(json.loads, text)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400", "-0.0"])
def test_numbers_that_are_none_are_those_of_json(text):
    """What JSON of Python has beside numbers is read as it reads it."""
    told, known = decoded(text), json.loads(text)
    assert math.isnan(known) if text == "NaN" else told == known
    assert math.copysign(1, told) == math.copysign(1, known)


def test_nesting_without_end_ends():
    """A document as deep as the stack is refused, as the module refuses it."""
    text = "[" * 200_000
    with pytest.raises((RecursionError, ValueError)):
        decoded(text)


def test_a_document_is_read_without_the_module():
    """What is whole does not load json."""
    code = "import sys; from crewmem.decode import decoded; decoded('{\"a\": [1]}'); "
    code += "sys.exit('json' in sys.modules)"
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
