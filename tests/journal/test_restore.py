"""Priorities and the archive come back with a journal, once."""

import io

import pytest
from entries import NOW
from truths import truth

from crewmem.errors.journal import ChainKeyMissingError
from crewmem.journal import priorities_store
from crewmem.journal.entry import Draft
from crewmem.journal.pin import pin
from crewmem.journal.restore import (
    archived_line,
    change_line,
    restore_archive,
    restore_priorities,
)
from crewmem.journal.store import Journal
from crewmem.journal.verify import verify
from crewmem.scope import Reach

AT = "2026-04-01T00:00:00.000Z"


def draft(number, **more):
    return Draft(
        id=f"j_{number:012}", entry_type="run.failed", summary="It broke", **more
    )


def stream(*lines):
    return io.BytesIO("".join(f"{line}\n" for line in lines).encode())


@pytest.fixture
def pinned(journal, add):
    """A journal with two entries, of which one was pinned twice; its lines."""
    first, _ = add(draft(1), draft(2))
    for priority in ("pin", "high"):
        (now,) = journal.by_id("default", [first.id]).values()
        pin(journal, now, priority, reason="it matters", by="operator:ada", now=NOW)
    changes = priorities_store.changes(journal.db, "default")[first.id]
    return [change_line(each) for each in changes]


@pytest.fixture
def other():
    """Another journal, with the entries as they were written."""
    db = truth()
    journal = Journal(db)
    journal.append("default", [draft(1), draft(2)], now=NOW)
    yield journal
    db.close()


def priority(journal, number):
    (entry,) = journal.by_id("default", [f"j_{number:012}"]).values()
    return entry.priority


def test_priorities_come_back(pinned, other):
    """Changes of priorities are taken in, in order, once, and the chain is whole."""
    done = restore_priorities(other, "default", stream(*pinned))
    assert (done.added, done.known, done.troubles) == (2, 0, ())
    assert (priority(other, 1), priority(other, 2)) == ("high", "normal")
    again = restore_priorities(other, "default", stream(*pinned))
    assert (again.added, again.known) == (0, 2)
    assert verify(other, "default").ok
    assert priorities_store.changes(other.db, "default")["j_000000000001"]


def test_changes_that_go_on_nothing_stay_out(pinned, other):
    """A change whose turn it is not, or of what is not there, is told and left out."""
    done = restore_priorities(other, "default", stream(pinned[1]))
    assert done.added == 0
    assert "does not go on what is here" in done.troubles[0]
    strange = pinned[0].replace("j_000000000001", "j_000000000009")
    assert restore_priorities(other, "default", stream(strange)).added == 0
    assert priority(other, 1) == "normal"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"change":1', '"change":"1"'),
        ('"change":1', '"change":true'),
        ('"to_priority":"pin"', '"to_priority":"top"'),
        ('"set_by":"operator:ada"', '"set_by":""'),
        ('"set_at":"', '"set_at":"x'),
        ('{"entry_id"', '[{"entry_id"'),
        ('"reason":"it matters"', '"reason":7'),
    ],
)
def test_bad_lines_of_changes_are_told(pinned, other, old, new):
    """A line that is no change is told by its number, and the rest is taken."""
    bad = pinned[0].replace(old, new)
    assert bad != pinned[0]
    done = restore_priorities(other, "default", stream(bad, *pinned))
    assert done.added == 2
    assert done.troubles[0].startswith("line 1: ")


def test_the_archive_comes_back(other):
    """Entries are archived at their own times, once; they are found whole."""
    later = "2026-04-02T00:00:00.000Z"
    lines = [
        archived_line("j_000000000001", AT),
        archived_line("j_nowhere", AT),
        "{}",
        archived_line("j_000000000002", later),
    ]
    done = restore_archive(other, "default", stream(*lines))
    assert (done.added, done.known) == (2, 1)
    assert done.troubles == ("line 3: it is no archived entry",)
    second = other.find("j_000000000002", Reach("default"))
    assert second.archived_at.isoformat() == "2026-04-02T00:00:00+00:00"
    entry = other.find("j_000000000001", Reach("default"))
    assert entry.summary == "It broke"
    assert entry.archived_at.isoformat() == "2026-04-01T00:00:00+00:00"
    assert restore_archive(other, "default", stream(*lines)).added == 0
    assert verify(other, "default").ok


def test_what_is_signed_is_not_archived_without_the_key(keyed):
    """Without the key nobody can tell whether an entry is what was written."""
    keyed.append("default", [draft(1)], now=NOW)
    bare = Journal(keyed.db)
    with pytest.raises(ChainKeyMissingError):
        restore_archive(bare, "default", stream(archived_line("j_000000000001", AT)))
    done = restore_archive(
        keyed, "default", stream(archived_line("j_000000000001", AT))
    )
    assert done.added == 1
    assert verify(keyed, "default").ok
