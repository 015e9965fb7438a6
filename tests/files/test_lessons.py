"""Lessons: a list, an entry a line."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.errors.files import TooManyEntriesError
from crewmem.files.chunks import iter_chunks
from crewmem.files.lessons import MOST, Lesson, require_few

law = settings(deadline=None)

TEXT = st.text(
    st.characters(codec="utf-8", blacklist_characters="\0"), min_size=1
).filter(str.strip)

DAY = dt.date(2026, 5, 1)
LINE = "- [positive] 2026-05-01 — it went well"


def test_a_lesson_is_a_line():
    """With its kind and its day, whatever lines it was typed in."""
    change = Lesson("positive", "it went\n\n  well ", DAY)
    assert change(b"") == f"{LINE}\n".encode()
    assert change(b"# Outcomes\n\n- [neutral] x\n") == (
        f"# Outcomes\n\n- [neutral] x\n{LINE}\n".encode()
    )
    assert change(b"- x\r\n") == f"- x\r\n{LINE}\r\n".encode()
    assert change(b"\xef\xbb\xbf- caf\xe9\n") == (
        b"\xef\xbb\xbf- caf\xe9\n" + f"{LINE}\n".encode()
    )


def test_the_oldest_make_room():
    """Of more entries than a list may have the first go, with all their lines."""
    old = "# Lessons\n\n" + "".join(f"- old {n}\n  more\n" for n in range(MOST))
    change = Lesson("negative", "new", DAY)
    new = change(old.encode()).decode()
    assert change.dropped == 1
    assert "old 0\n" not in new
    assert new.startswith("# Lessons\n\n- old 1\n  more\n- old 2\n")
    assert new.endswith("- [negative] 2026-05-01 — new\n")
    assert new.count("\n- ") == MOST
    require_few(new)
    with pytest.raises(TooManyEntriesError):
        require_few(f"{new}- one more\n")


def test_a_list_that_is_yaml_stays_yaml():
    """An entry more, in a line that YAML reads."""
    before = (
        b"# Lessons\nentries:\n  - id: a\n    kind: positive\n    rule: x\n"
        b"  - id: b\n    rule: y\n"
    )
    after = Lesson("neutral", 'say "hi": # no\nmore', DAY)(before).decode()
    assert after.startswith(before.decode())
    line = after.splitlines()[-1]
    assert line.startswith('  - {id: "l_')
    assert line.endswith(
        'kind: "neutral", captured_at: "2026-05-01T00:00:00Z", source: "manual", '
        'rule: "say \\"hi\\": # no more"}'
    )


@law
@given(st.lists(TEXT, max_size=8))
def test_each_lesson_is_indexed_alone(texts):
    """As many entries as were added, whatever they say."""
    content = b"entries follow\n\n"
    for text in texts:
        content = Lesson("neutral", text, DAY)(content)
    chunks = list(iter_chunks(content.decode(), limit=10_000, by_entry=True))
    assert sum("[neutral] 2026-05-01" in each.text for each in chunks) == len(texts)
