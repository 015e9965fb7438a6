"""Giving all episodes vectors of one model."""

import pytest
from episodes.conftest import NOW, SPACE, Embedder

from crewmem.db.connect import fetch
from crewmem.episodes.reembed import others, reembed
from crewmem.episodes.spaces import models, space_of
from crewmem.errors.backends import UnreachableError

NEW = space_of("default", "letters-2", Embedder.dim)


@pytest.fixture
def newer():
    """An embedder of another model."""
    made = Embedder()
    made.model = "letters-2"
    return made


def test_the_old_go_when_the_new_are_there(happened, stores, swept, newer):
    """All get vectors of the new model; the old ones, and their edges, are gone."""
    for text in ("aaab", "aaac", "zzzz"):
        happened(text)
    swept()
    happened("waits")
    done = reembed(stores, newer, "default", now=NOW)
    assert done == ("default", "letters-2", 4, 0, 1, 3)
    assert models(stores.vectors.spaces()) == [("letters-2", 26, 4)]
    assert others(stores, "default", NEW) == []
    sql = "select src_seq, dst_seq from memory_relations"
    assert fetch(stores.journal.db, sql) == [(2, 1)]
    assert reembed(stores, newer, "default", now=NOW)[2:] == (0, 0, 0, 0)


def test_it_goes_on_where_it_was(happened, stores, swept, newer):
    """Interrupted, the old vectors stay, and what is done is not done again."""
    for n in range(70):
        happened(f"crane {n}")
    swept(limit=None)

    def tick(_, __):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reembed(stores, newer, "default", now=NOW, tick=tick)
    assert [each.vectors for each in models(stores.vectors.spaces())] == [70, 64]
    done = reembed(stores, newer, "default", now=NOW)
    assert (done.embedded, done.failed, done.dropped) == (6, 0, 70)
    assert models(stores.vectors.spaces()) == [("letters-2", 26, 70)]
    assert len(newer.seen) == 70


def test_interrupted_at_its_end_it_comes_to_the_same(
    happened, stores, swept, newer, monkeypatch
):
    """Killed before the old vectors went: the edges of the new ones are there after."""
    for text in ("aaab", "aaac", "zzzz"):
        happened(text)
    swept()

    def killed(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(stores.vectors, "drop", killed)
        with pytest.raises(KeyboardInterrupt):
            reembed(stores, newer, "default", now=NOW)
    done = reembed(stores, newer, "default", now=NOW)
    assert (done.embedded, done.linked, done.dropped) == (0, 1, 3)
    sql = "select src_seq, dst_seq from memory_relations"
    assert fetch(stores.journal.db, sql) == [(2, 1)]


def test_nothing_is_dropped_for_nothing(happened, stores, swept, newer):
    """When nothing answers the old vectors stay, and a sweep has their edges again."""
    for text in ("aaab", "aaac"):
        happened(text)
    assert swept().linked == 1
    newer.down = True
    with pytest.raises(UnreachableError):
        reembed(stores, newer, "default", now=NOW)
    assert models(stores.vectors.spaces()) == [("letters-1", 26, 2)]
    assert swept().linked == 1


def test_other_workspaces_keep_theirs(happened, stores, swept, newer):
    """What is renewed in one workspace changes nothing in another."""
    happened("crane", workspace="other")
    swept()
    stores.vectors.add(SPACE._replace(workspace="other"), [1], 1, newer.embed(["a"]))
    reembed(stores, newer, "default", now=NOW)
    assert models(stores.vectors.spaces(), "other") == [("letters-1", 26, 1)]
