"""How much of a memory directory is indexed."""

import os

import pytest
from health.events import Letters

from crewmem.errors import DataError
from crewmem.files.coverage import Coverage, coverage
from crewmem.files.embed import embed
from crewmem.files.indexed import Access
from crewmem.files.place import place_at
from crewmem.files.reindex import reindex

LARGE = 100_000


@pytest.fixture(name="place")
def _place(memory):
    path = memory(
        {"topics/crane.md": "# Crane\n\nIt is oiled on Mondays.\n\n## Rope\n\nNew.\n"},
        AGENT="# Mira\n\nThe deploy key is in the vault.\n",
    )
    return place_at(path)._replace(kept=True)


def indexed(place):
    reindex(place, Access(None, 1000, LARGE, 2_000_000_000_000_000_000))


def covered(place, model=""):
    return coverage(place, model, most_bytes=LARGE, busy_timeout=1)


def test_without_an_index_all_waits(place):
    """How many pieces there will be is told by the sizes of the files."""
    assert covered(place) == Coverage(chunks=2, indexed=0, waiting=2)


def test_an_index_covers_what_it_has(place):
    """By words every piece of it; by vectors none that is not embedded."""
    indexed(place)
    by_words = covered(place)
    assert by_words.chunks == by_words.indexed >= 2
    letters = Letters()
    by_vectors = covered(place, letters.model)
    assert (by_vectors.chunks, by_vectors.indexed) == (by_words.chunks, 0)
    embed(place, letters, 0, busy_timeout=1)
    assert covered(place, letters.model) == by_words
    assert covered(place, "another").indexed == 0


def test_what_was_changed_or_added_is_not_covered(place):
    """The pieces that the index has of it are of what it said."""
    indexed(place)
    whole = covered(place)
    (place.path / "AGENT.md").write_text("# Mira\n\nThe key was moved elsewhere.\n")
    changed = covered(place)
    assert (changed.waiting, changed.indexed) == (1, whole.indexed - 1)
    (place.path / "NEW.md").write_text("words " * 1000)
    added = covered(place)
    assert added.indexed == changed.indexed
    assert added.waiting > changed.waiting + 10
    assert added.chunks == added.indexed + added.waiting


def test_what_was_only_touched_is_covered(place):
    """In a copy of a tree all stamps are new, and nothing else is."""
    indexed(place)
    whole = covered(place)
    os.utime(place.path / "AGENT.md", (1, 1))
    assert covered(place) == whole


def test_what_is_gone_is_not_to_be_covered(place):
    """The index still has it, and nobody wants it there."""
    indexed(place)
    whole = covered(place)
    (place.path / "AGENT.md").unlink()
    gone = covered(place)
    assert gone.chunks == gone.indexed == whole.indexed - 1


def test_what_is_too_large_is_not_to_be_covered(place):
    """It is in no index, ever; status and doctor tell of it."""
    indexed(place)
    whole = covered(place)
    (place.path / "LARGE.md").write_text("x" * (LARGE + 1))
    (place.path / "EMPTY.md").write_text("")
    assert covered(place) == whole


def test_an_index_that_is_none_is_an_error(place):
    """It has a number of no pieces."""
    (place.path / "index.sqlite").write_bytes(b"no database" * 500)
    with pytest.raises(DataError, match=r"index\.sqlite"):
        covered(place)
