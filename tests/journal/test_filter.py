"""Which entries are asked for."""

import pytest
from entries import INSTANTS
from hypothesis import given
from hypothesis import strategies as st

from crewmem import times
from crewmem.errors.values import BadCursorError
from crewmem.journal.filter import Cursor, cursor


@given(ts=INSTANTS, seq=st.integers(0, (1 << 63) - 1))
def test_a_cursor_is_read_as_it_was_told(ts, seq):
    """What a listing prints to go on with is what it goes on from."""
    told = Cursor(times.to_text(ts), seq)
    assert cursor(str(told)) == told


@pytest.mark.parametrize(
    "text",
    ["", "~", "1", "2026-05-01~1", "2026-05-01T09:30:00.000Z",
     "2026-05-01T09:30:00.000Z~", "2026-05-01T09:30:00.000Z~x",
     "2026-05-01T09:30:00.000Z~²", "x~1", "\0~1",
     f"2026-05-01T09:30:00.000Z~{1 << 63}", f"2026-05-01T09:30:00.000Z~{'9' * 5000}"],
)  # fmt: skip
def test_anything_else_is_no_cursor(text):
    """What no listing has printed is refused."""
    with pytest.raises(BadCursorError):
        cursor(text)
