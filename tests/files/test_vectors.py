"""Chunks that are embedded, and found by what they mean."""

import sqlite3
from contextlib import closing

import pytest
from letters import Letters

from crewmem.db.connect import Mode
from crewmem.errors.backends import UnreachableError
from crewmem.files.about_store import VECTOR_TABLES
from crewmem.files.backlog import backlog
from crewmem.files.embed import embed
from crewmem.files.existing import existing
from crewmem.files.folders import open_place
from crewmem.files.locate import at_path
from crewmem.files.store import INDEX_NAME
from crewmem.files.vectors_store import Text, text_of

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
    with open_place(place) as root:
        path = place.path / INDEX_NAME
        index, *_ = existing(root, path, Mode.READ, busy_timeout=1)
    with closing(index):
        return backlog(index, model, now_ms).chunks


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


@pytest.mark.parametrize("full", [False, True])
def test_a_note_that_is_put_away_takes_its_vectors_along(
    tree, embedded, embedder, index, find, full
):
    """In the archive it is found by its meaning at once, before any sweep."""
    (tree / "daily").mkdir()
    (tree / "daily/2026-03-14.md").write_text("# Day\n\npppp pier\n\n## Gate\n\ngggg\n")
    index(tree)
    embedded()
    seen = len(embedder.seen)
    (tree / "daily/archive/2026").mkdir(parents=True)
    away = "daily/archive/2026/2026-03-14.md"
    (tree / "daily/2026-03-14.md").rename(tree / away)
    index(tree, full=full)
    assert left(tree) == 0
    answer = meant(find, tree, embedder, "ggg gg")
    assert [(hit.file, hit.why.ranks) for hit in answer.hits[:1]] == [
        (away, {"vectors": 1})
    ]
    assert embedded() == (0, 0)
    assert len(embedder.seen) == seen + 1  # the question


def test_what_is_changed_while_it_moves_is_embedded_anew(tree, embedded, index):
    """A file that says something else in another folder has no vector of before."""
    embedded()
    (tree / "topics/quay.md").unlink()
    (tree / "quay.md").write_text("# Quay\n\nqqqq quay quay\n\n## Cranes\n\nyyyy\n")
    index(tree)
    assert left(tree) == 2
    assert embedded() == (1, 0)


def test_what_is_cut_otherwise_where_it_moves_is_embedded_anew(tree, embedded, index):
    """Lessons are cut by entry, and elsewhere the same bytes are one piece."""
    (tree / "lessons.md").write_text("- mmmm mole\n- kkkk keel\n")
    index(tree)
    embedded()
    (tree / "lessons.md").rename(tree / "topics/lessons.md")
    index(tree)
    assert left(tree) == 1


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


def test_what_has_no_vector_yet_stands_where_its_words_put_it(
    tree, embedded, embedder, find, index
):
    """A chunk that no sweep has come by is not ranked below those it would beat."""
    embedded()
    (tree / "pier.md").write_text("# Pier\n\nquay quay wwww, as it is by its words\n")
    index(tree)
    assert find(tree, "pier quay wwww").hits[0].file == "pier.md"
    answer = meant(find, tree, embedder, "pier quay wwww")
    hits = {hit.file: hit for hit in answer.hits}
    assert (answer.mode, answer.hits[0].file) == ("hybrid", "pier.md")
    assert hits["pier.md"].why.cosine is None
    assert set(hits["pier.md"].why.ranks) == {"words"}
    assert set(hits["topics/quay.md"].why.ranks) == {"words", "vectors"}


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


@pytest.mark.parametrize("text", ["#1234", "pay-1234", "bay_7/dock.md", "crates.io"])
def test_an_identifier_that_is_there_means_itself(memory, index, embedder, find, text):
    """What holds it comes, and nothing that merely looks like it to a model."""
    held = "# Pier\n\nwww PAY-1234 in bay_7/dock.md, from crates.io, xxx\n"
    path = memory({"pier.md": held, "far.md": f"{text[:-1]}{text[:-1]}\n"})
    index(path)
    (place,) = at_path(path, None)
    embed(place, embedder, NOW_MS, busy_timeout=1)
    answer = meant(find, path, embedder, text)
    assert (answer.mode, answer.hits[0].file) == ("words", "pier.md")
    assert meant(find, path, embedder, f"see {text}").mode == "hybrid"
    assert meant(find, path, embedder, "#98765").mode == "hybrid"


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


def test_old_vectors_serve_until_there_are_new_ones(tree, embedded, embedder, find):
    """When a new model does not answer, what the old one made is still there."""
    embedded()
    embedder.model, embedder.down = "letters-2", True
    with pytest.raises(UnreachableError):
        embedded()
    embedder.model, embedder.down = "letters-1", False
    answer = find(tree, "zzz zz", senses=lambda m: embedder if m == "letters-1" else 0)
    assert answer.mode == "hybrid"


def test_what_changes_while_it_is_embedded_is_embedded_again(
    tree, embedded, embedder, index
):
    """A chunk that took the number of one that is gone has a vector of its own."""
    embed_one = embedder.embed

    def slow(texts):
        for path in tree.rglob("*.md"):
            path.write_text(path.read_text().translate(SHIFTED))
        index(tree)
        embedder.embed = embed_one
        return embed_one(texts)

    embedder.embed = slow
    embedded()
    assert left(tree) == 3
    assert embedded() == (3, 0)
    assert "zebra > Afcsb\n# Afcsb\n\naaaa aaaa afcsb" in embedder.seen
    assert left(tree) == 0


SHIFTED = str.maketrans("abcdefghijklmnopqrstuvwxyzZ", "bcdefghijklmnopqrstuvwxyzaA")


def changed(tree, *statements):
    with sqlite3.connect(tree / "index.sqlite") as db:
        for each in statements:
            db.execute(each)
    db.close()


TABLES = sorted(VECTOR_TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_an_index_that_lacks_tables_answers_by_words(
    tree, embedded, embedder, find, index, table
):
    """A table of vectors that was dropped is told, words answer, and it comes back."""
    embedded()
    changed(tree, f"drop table {table}")
    answer = meant(find, tree, embedder, "quay")
    assert (answer.mode, bool(answer.hits)) == ("words", True)
    assert any("lacks tables of its vectors" in each for each in answer.warnings)
    index(tree)
    assert left(tree) == 3
    assert embedded() == (3, 0)
    assert meant(find, tree, embedder, "quay").mode == "hybrid"
    assert meant(find, tree, embedder, "quay").warnings == []


@pytest.mark.parametrize(
    "damage",
    [
        "delete from vector_codes",
        "delete from vector_pages",
        "delete from vector_spaces",
        "update vector_codes set packed = x'00'",
        "delete from vector_parts",
        "update vector_parts set vectors = zeroblob(length(vectors))",
        "update vector_spaces set dim = 25",
    ],
)
def test_vectors_that_were_damaged_come_back(
    tree, embedded, embedder, find, index, damage
):
    """Vectors that cannot be read are told or made anew; words answer meanwhile."""
    embedded()
    changed(tree, damage)
    answer = meant(find, tree, embedder, "quay")
    assert answer.hits[0].file == "topics/quay.md"
    assert answer.warnings or left(tree)
    if not left(tree):
        index(tree, full=True)
    embedded()
    assert left(tree) == 0
    answer = meant(find, tree, embedder, "zzz zz")
    assert (answer.mode, answer.warnings) == ("hybrid", [])
    assert answer.hits[0].file == "zebra.md"


def test_a_new_index_is_searched_by_meaning_at_once(
    tree, embedded, embedder, find, index
):
    """What was embedded is known by its text: no sweep has to come by."""
    embedded()
    index(tree, full=True)
    assert left(tree) == 0
    assert meant(find, tree, embedder, "zzz zz").hits[0].file == "zebra.md"


def test_a_filter_is_asked_before_the_nearest_are_cut(memory, index, embedder, find):
    """Of however many that are nearer, what a filter leaves out hides nothing."""
    files = {f"daily/2026-01-{1 + n // 20:02}.md": "" for n in range(0, 600, 20)}
    for name in files:
        files[name] = "".join(f"# {name} {n}\n\n{'z' * (n + 9)}\n\n" for n in range(20))
    path = memory({**files, "topics/far.md": "# Q\n\nqqqq z\n"})
    index(path)
    (place,) = at_path(path, None)
    embed(place, embedder, NOW_MS, busy_timeout=1)
    (hit,) = meant(find, path, embedder, "zzz zz", tiers=["topic"]).hits
    assert hit.file == "topics/far.md"


@pytest.mark.parametrize("text", [" \n ", "(((", "\U0001f525 ?!"])
def test_a_question_without_a_word_is_not_embedded(
    tree, embedded, embedder, find, text
):
    """White space and signs mean nothing: it is told that there is no word in them."""
    embedded()
    del embedder.seen[:]
    answer = meant(find, tree, embedder, text)
    assert (answer.mode, answer.hits, embedder.seen) == ("words", [], [])
    said = ["the query holds no word that can be searched for"]
    assert answer.warnings == said == find(tree, "\U0001f525").warnings


def test_of_a_long_question_the_beginning_is_embedded(tree, embedded, embedder, find):
    """A question of a megabyte costs what its first ten thousand characters cost."""
    embedded()
    cut = []
    pieces = embedder.pieces
    embedder.pieces = lambda text: cut.append(len(text)) or pieces(text)
    meant(find, tree, embedder, "quay " * 200_000)
    assert cut == [10_000]


def test_a_cache_has_the_vectors_of_its_tree(
    tree, embedded, embedder, find, access, tmp_path
):
    """A tree that is only to be read, and has changed since, is found by meaning."""
    embedded()
    (tree / "new.md").write_text("# New\n\nnnnn\n")
    how = access._replace(cache=tmp_path / "cache")
    answer = meant(find, tree, embedder, "zzz zz", how=how)
    assert (answer.mode, answer.hits[0].file) == ("hybrid", "zebra.md")


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
    other = text_of("dock.md", "Quay > Cranes", "xxxx")
    assert Text(1, text).key == Text(2, text).key != Text(1, other).key
