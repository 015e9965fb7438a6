"""Lines of JSON from who knows where."""

import io
import json
from contextlib import suppress

import pytest
from entries import NOW, OBJECTS, drafts
from hypothesis import given
from hypothesis import strategies as st

from crewmem import times
from crewmem.errors.values import BadEntryError
from crewmem.journal.reading import LINE_MOST, BadLineError, Line, lines, read

GOOD = '"entry_type": "a.b", "summary": "words"'

BAD = {
    "": "not JSON",
    "null": "no JSON object",
    "[]": "no JSON object",
    '"words"': "no JSON object",
    "{": "not JSON",
    "{}": "entry_type should be text, not 'nothing'",
    '{"entry_type": "a.b"}': "summary should be text",
    "{%s, }": "not JSON",
    "{%s} {}": "not JSON",
    '{%s, "payload": []': "not JSON",
    '{%s, "payload": [1]}': "payload should be a JSON object",
    '{%s, "payload": "{}"}': "payload should be a JSON object",
    '{%s, "refs": 7}': "refs should be a JSON object",
    '{%s, "payload": []}': "payload should be a JSON object",
    '{%s, "payload": ""}': "payload should be a JSON object",
    '{%s, "refs": 0}': "refs should be a JSON object",
    '{%s, "refs": false}': "refs should be a JSON object",
    '{%s, "payload": {"a": NaN}}': "NaN, which is no JSON",
    '{%s, "payload": {"a": -Infinity}}': "-Infinity, which is no JSON",
    '{%s, "payload": {"a": 9223372036854775808}}': "a number that is too large",
    '{%s, "payload": {"a": ' + "9" * 100_000 + "}}": "a number that is too large",
    '{%s, "payload": {"a": 1, "a": 2}}': "it has 'a' twice",
    '{%s, "summary": "again"}': "it has 'summary' twice",
    '{%s, "type": "a.c"}': "it has entry_type twice",
    '{%s, "payload": ' + '{"a": ' * 100_000 + "1" + "}" * 100_001: "nested too deep",
    '{%s, "payload": {"a": -1e999}}': "a number that is too large",
    '{%s, "ts": 1700000000}': "ts should be a time, as text",
    '{%s, "ts": "yesterday"}': "ts should be an instant",
    '{%s, "ts": "2026-02-30T00:00:00Z"}': "ts should be an instant",
    '{%s, "agent_id": 7}': "agent_id should be text",
    '{%s, "severity": ["info"]}': "severity should be text",
    '{%s, "id": {}}': "id should be text",
    '{%s, "workspace_id": 1}': "workspace_id should be text",
    '{"entry_type": ["a.b"], "summary": "words"}': "entry_type should be text",
    '{"entry_type": "a.b", "summary": null}': "summary should be text",
}


@pytest.mark.parametrize("line", BAD, ids=lambda line: line[:60])
def test_bad_lines_say_why(line):
    """A line that is no entry is refused, with the reason."""
    with pytest.raises((BadLineError, BadEntryError)) as caught:
        read(line.replace("%s", GOOD).encode())
    assert BAD[line] in str(caught.value)


def test_of_many_names_the_one_that_is_twice_is_told():
    """A line of a hundred thousand names is read through once, not once for each."""
    names = [f'"n{number}": 1' for number in range(100_000)]
    line = f"{{{', '.join([*names, names[-1]])}}}"
    with pytest.raises(BadLineError, match="it has 'n99999' twice"):
        read(line.encode())


def test_what_is_not_utf8_is_bad():
    """A line in another encoding is not guessed at."""
    with pytest.raises(BadLineError, match="not UTF-8"):
        read('{"entry_type": "a.b", "summary": "Zoë"}'.encode("latin-1"))


@given(
    text=st.binary(max_size=200)
    | st.text().map(str.encode)
    | OBJECTS.map(json.dumps).map(str.encode)
)
def test_nothing_else_comes_of_a_line(text):
    """Whatever a line holds, it is an entry or it is bad."""
    with suppress(BadLineError, BadEntryError):
        read(text)


@given(draft=drafts(ts=st.just(NOW)))
def test_what_is_written_is_read(draft):
    """A draft as JSON is read as it was."""
    record = {
        name: value for name, value in draft._asdict().items() if value is not None
    }
    record["ts"] = times.to_text(NOW)
    if draft.expires_at:
        record["expires_at"] = times.to_text(draft.expires_at)
    found = read(json.dumps(record).encode())
    assert found.draft._replace(actor_id=None) == draft._replace(actor_id=None)
    assert found.draft.actor_id == draft.actor_id
    assert (found.extra, found.workspace) == (frozenset(), None)


def test_names_of_other_programs_are_understood():
    """What others call a field is the same field, and what no entry has is told."""
    line = {"type": "a.b", "summary": "words", "agent": "winch", "crew": "harbor"}
    line |= {"timestamp": "2026-05-01T11:30:00+02:00", "seq": 7, "colour": "red"}
    found = read(json.dumps(line).encode())
    assert (found.draft.agent_id, found.draft.crew_id, found.draft.ts) == (
        "winch",
        "harbor",
        NOW,
    )
    assert (found.draft.actor_type, found.draft.actor_id) == ("agent", "winch")
    assert found.extra == {"colour"}


def test_lines_end_as_they_like():
    """CRLF, blank lines, a byte order mark and a missing last end are no trouble."""
    stream = io.BytesIO(b"\xef\xbb\xbfone\r\n\r\n  \ntwo\x0b \n\nthree")
    assert [(each.number, each.text) for each in lines(stream)] == [
        (1, b"one"),
        (4, b"two"),
        (6, b"three"),
    ]


def test_a_line_that_is_too_long_is_skipped():
    """Of a line without end nothing is kept, and the next one is read."""
    long = b"x" * (2 * LINE_MOST + 10)
    found = list(lines(io.BytesIO(b"one\n" + long + b"\ntwo\n" + long)))
    assert found == [
        Line(1, b"one", 4),
        Line(2, None, len(long) + 1),
        Line(3, b"two", 4),
        Line(4, None, len(long)),
    ]
    exact = b"y" * LINE_MOST
    assert [each.text for each in lines(io.BytesIO(exact + b"\nz"))] == [exact, b"z"]
