"""Chunks that are embedded, and found by what they mean."""

import sqlite3

import pytest
from letters import Letters

from crewmem.errors import UnreachableError
from crewmem.files.embed import embed, key_of, waiting
from crewmem.files.locate import at_path
from crewmem.files.vectors_store import text_of

NOW_MS = 1_777_000_000_000
DAY_MS = 86_400_000

FILES = {
    "zebra.md": "# Zebra\n\nzzzz zzzz zebra\n",
    "topics/quay.md": "# Quay\n\nqqqq quay quay\n\n## Cranes\n\nxxxx xxxx\n",
}


@pytest.fixture
def embedder():
    return Letters()


@pytest.fixture
def tree(memory, index):
    """A directory with an index."""
    path = memory(FILES)
    index(path)
    return path


@pytest.fixture
def embedded(tree, embedder):
    """``embedded()``: embed what waits in `tree`."""

    def call(now_ms=NOW_MS):
        (place,) = at_path(tree, None)
        return embed(place, embedder, now_ms, busy_timeout=1)

    return call


def left(tree, model=None, now_ms=NOW_MS):
    (place,) = at_path(tree, None)
    return waiting(place, model, now_ms, busy_timeout=1)


def meant(find, tree, embedder, text, **how):
    """Search with vectors."""
    return find(tree, text, senses=lambda _: embedder, **how)


def test_every_chunk_gets_a_vector_once(tree, embedded, embedder):
    """Embedding takes what has no vector, and the next time there is nothing."""
    assert left(tree) == 3
    assert embedded() == (3, 0)
    assert left(tree) == 0
    assert embedded() == (0, 0)
    assert len(embedder.seen) == 3


def test_only_what_changed_is_embedded_again(tree, embedded, embedder, index):
    """A file that moves, or is touched, costs nothing; a new chunk costs itself."""
    embedded()
    (tree / "topics/quay.md").rename(tree / "quay.md")
    (tree / "zebra.md").write_text("# Zebra\n\nzzzz zzzz zebra\n\n## New\n\nnnnn\n")
    index(tree)
    assert embedded() == (1, 0)
    assert embedder.seen[-1] == "zebra > Zebra > New\n## New\n\nnnnn"


@pytest.mark.parametrize("how", ["full", "settings"])
def test_a_new_index_takes_vectors_over(tree, embedded, embedder, index, access, how):
    """An index that is built anew has the vectors of the old one."""
    embedded()
    if how == "full":
        index(tree, full=True)
    else:
        index(tree, access=access._replace(max_file_bytes=1 << 19))
    embedded()
    assert len(embedder.seen) == 3
    assert left(tree) == 0


def test_what_means_the_same_is_found(tree, embedded, embedder, find):
    """A question that shares no word with a chunk finds it by what it means."""
    embedded()
    assert meant(find, tree, embedder, "zzz zz").mode == "hybrid"
    (first, *_) = meant(find, tree, embedder, "zzz zz").hits
    assert first.file == "zebra.md"
    assert first.why.ranks == {"vectors": 1}
    assert 0 < first.why.cosine <= 1
    assert find(tree, "zzz zz").hits == []


def test_words_and_meaning_count_both(tree, embedded, embedder, find):
    """A chunk that has the word and is near comes before one that is only near."""
    embedded()
    hits = meant(find, tree, embedder, "quay").hits
    assert hits[0].file == "topics/quay.md"
    assert set(hits[0].why.ranks) == {"words", "vectors"}
    assert hits[0].score == max(hit.score for hit in hits)
    assert all(0 <= hit.relevance <= 1 for hit in hits)


def test_filters_hold_for_vectors(tree, embedded, embedder, find):
    """What a filter leaves out is not found by what it means either."""
    embedded()
    hits = meant(find, tree, embedder, "zzz zz", tiers=["topic"]).hits
    assert {hit.tier for hit in hits} == {"topic"}


def test_operators_mean_words(tree, embedded, embedder, find):
    """Who asks with operators is answered by words alone."""
    embedded()
    answer = meant(find, tree, embedder, "quay NOT zebra")
    assert answer.mode == "syntax"
    assert all(hit.why.cosine is None for hit in answer.hits)


def test_an_embedder_that_is_down_is_said(tree, embedded, embedder, find):
    """When the embedder fails, words answer, and a warning says so."""
    embedded()
    embedder.down = True
    answer = meant(find, tree, embedder, "quay")
    assert answer.mode == "words"
    assert answer.hits
    assert any("words alone" in warning for warning in answer.warnings)
    with pytest.raises(UnreachableError):
        embedder.embed(["x"])


def test_vectors_of_another_model_are_replaced(tree, embedded, embedder):
    """An index has vectors of one model: those of another go when they are renewed."""
    embedded()
    embedder.model = "letters-2"
    assert left(tree, "letters-2") == 3
    assert embedded() == (3, 0)
    assert left(tree, "letters-2") == 0


def test_what_is_refused_is_tried_later(tree, embedded, embedder):
    """A chunk that is refused holds up none, and waits for another day."""
    embedder.refused = "xxxx"
    assert embedded() == (2, 1)
    assert left(tree) == 0
    assert left(tree, now_ms=NOW_MS + DAY_MS) == 1
    embedder.refused = ""
    assert embedded(NOW_MS + DAY_MS) == (1, 0)


def test_vectors_of_what_is_gone_go(tree, embedded, index):
    """When a file is deleted, nothing of it is kept."""
    embedded()
    (tree / "zebra.md").unlink()
    (tree / "new.md").write_text("nnnn\n")
    index(tree)
    embedded()
    with sqlite3.connect(tree / "index.sqlite") as db:
        rows = db.execute("select sum(slots - removed) from vector_pages").fetchall()
    assert rows == [(3,)]


def test_a_frozen_tree_answers_by_meaning(tree, embedded, embedder, find, snapshot):
    """A tree that is only read is searched with its vectors, and stays as it is."""
    embedded()
    before = snapshot(tree)
    assert meant(find, tree, embedder, "zzz zz").hits[0].file == "zebra.md"
    assert snapshot(tree) == before


def test_where_a_chunk_stands_is_part_of_it():
    """The file and the headings are embedded with the text; its key is of all that."""
    text = text_of("quay.md", "Quay > Cranes", "xxxx")
    assert text == "quay > Quay > Cranes\nxxxx"
    assert key_of(text) != key_of(text_of("dock.md", "Quay > Cranes", "xxxx"))
