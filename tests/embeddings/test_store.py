"""vectors.sqlite: packed pages."""

import multiprocessing
import os
import sys

import numpy as np
import pytest
from embeddings.conftest import unit_rows

from crewmem.documents import vector_key
from crewmem.embeddings import store
from crewmem.embeddings.store import Vectors
from crewmem.errors import ConflictError, DamagedError
from crewmem.storage.sqlite import VECTORS_SCHEMA, open_derived

FACTS = ("default", "facts")
JOURNAL = ("default", "journal")


def put(vectors, keys, rows, collection=FACTS, model="m"):
    vectors.put(collection, model, list(keys), rows)


def test_scan_orders_by_cosine_and_then_by_key(vectors):
    rows = unit_rows(50)
    put(vectors, range(1, 51), rows)
    put(vectors, [90, 80], rows[[7, 7]])
    found = vectors.scan(FACTS, rows[7], limit=5)
    assert [key for key, _ in found[:3]] == [8, 80, 90]
    assert [cosine for _, cosine in found] == sorted((c for _, c in found), reverse=True)
    assert found[3][1] == pytest.approx(float(np.sort(rows @ rows[7])[-2]))


def test_best_piece_of_a_long_text_counts(vectors):
    rows = unit_rows(40)
    put(vectors, [1, 1, 1, *range(2, 39)], rows)
    assert dict(vectors.scan(FACTS, rows[2], limit=3))[1] == pytest.approx(1)
    assert vectors.cosines(FACTS, rows[2], [1, 77]) == {1: pytest.approx(1)}
    assert np.array_equal(vectors.get(FACTS, [1])[1], rows[0])
    assert vectors.count(FACTS) == 38
    assert len(vectors.scan(FACTS, rows[0], limit=100)) == 38


def test_collections_and_homes_do_not_mix(vectors, make_home):
    rows = unit_rows(3)
    put(vectors, [1, 2], rows[:2])
    put(vectors, [3], rows[2:], JOURNAL)
    assert vectors.keys(FACTS) == {1, 2}
    assert vectors.missing(JOURNAL, [1, 3]) == {1}
    other = Vectors(make_home().context)
    assert other.keys(JOURNAL) == {3}
    assert other.find_models() == {("m", 8)}


def test_vectors_of_another_model_or_dimension_are_refused(vectors):
    put(vectors, [1], unit_rows(1))
    with pytest.raises(ConflictError, match="not other"):
        put(vectors, [2], unit_rows(1), model="other")
    with pytest.raises(ConflictError):
        put(vectors, [2], unit_rows(1, dim=9))
    assert vectors.scan(FACTS, unit_rows(1, dim=9)[0], limit=3) == []
    vectors.delete(FACTS, [1])
    put(vectors, [2], unit_rows(1, dim=9), model="other")
    assert vectors.find_models() == {("other", 9)}


def test_putting_a_key_again_replaces_its_vectors(vectors):
    rows = unit_rows(4)
    put(vectors, [1, 1, 2], rows[:3])
    put(vectors, [1], rows[3:])
    assert np.array_equal(vectors.get(FACTS, [1, 2])[1], rows[3])
    assert vectors.read(FACTS, [1])[0] == [1]


@pytest.fixture
def small_pages(monkeypatch):
    monkeypatch.setattr(store, "PAGE_BYTES", 8 * 4 * 8)  # eight vectors


def count_pages(vectors):
    return vectors._db.value("select count(*) from pages")


def test_random_changes_end_as_in_a_dictionary(vectors, small_pages):
    generator = np.random.default_rng(3)
    expected = {}
    for step in range(60):
        keys = [int(key) for key in generator.choice(np.arange(1, 80), 7, replace=False)]
        if step % 3:
            rows = unit_rows(7, seed=step)
            put(vectors, keys, rows)
            expected |= dict(zip(keys, rows, strict=True))
        else:
            assert vectors.delete(FACTS, keys) == len(expected.keys() & keys)
            expected = {key: row for key, row in expected.items() if key not in keys}
    found = vectors.get(FACTS, range(100))
    assert found.keys() == expected.keys() == vectors.keys(FACTS)
    assert all(np.array_equal(found[key], expected[key]) for key in expected)
    assert sum(len(keys) for keys, _ in vectors.pages(FACTS)) == len(expected)
    assert count_pages(vectors) <= len(expected) / 4 + 1, "pages are at least half full"


def test_deleted_vectors_leave_no_bytes_in_the_files(vectors, home, small_pages):
    rows = unit_rows(30)
    put(vectors, range(1, 31), rows)
    vectors.delete(FACTS, [4, 20])
    content = b"".join(path.read_bytes() for path in home.context.home.glob("vectors.sqlite*"))
    assert rows[4].tobytes() in content
    assert rows[3].tobytes() not in content
    assert rows[19].tobytes() not in content


def test_missing_page_is_damage_that_can_be_discarded(vectors):
    put(vectors, [1, 2], unit_rows(2))
    vectors._db.execute("delete from pages")
    with pytest.raises(DamagedError, match="a page is missing") as caught:
        vectors.delete(FACTS, [1])
    assert vectors.discard_damaged(caught.value)
    assert vectors.delete(FACTS, [1]) == 0


def test_scan_sees_what_another_process_changed(vectors, make_home):
    rows = unit_rows(3)
    put(vectors, [1, 2], rows[:2])
    assert len(vectors.scan(FACTS, rows[0], limit=9)) == 2
    Vectors(make_home().context).put(FACTS, "m", [3], rows[2:])
    assert len(vectors.scan(FACTS, rows[0], limit=9)) == 3
    assert vectors.mean(FACTS) == pytest.approx(rows.mean(axis=0))


def test_large_collection_is_scanned_page_by_page_with_the_same_answers(vectors, monkeypatch):
    rows = unit_rows(500)
    put(vectors, range(1, 501), rows)
    loaded = vectors.scan(FACTS, rows[9], limit=20)
    monkeypatch.setattr(store, "MAX_LOADED", 0)
    fresh = Vectors(vectors._context)
    assert fresh.scan(FACTS, rows[9], limit=20) == loaded
    assert fresh.mean(FACTS) == pytest.approx(rows.mean(axis=0), abs=0.05)  # of a sample


def test_sample_is_spread_and_about_as_large_as_asked(vectors, small_pages):
    put(vectors, range(1, 401), unit_rows(400))
    assert len(vectors.sample(FACTS, 1000)) == 400
    assert 30 <= len(vectors.sample(FACTS, 50)) <= 60
    assert len(vectors.sample(JOURNAL)) == 0


def test_mean_is_of_the_texts_that_are_named_and_have_a_vector(vectors):
    rows = unit_rows(30)
    put(vectors, range(1, 31), rows)
    assert vectors.mean(FACTS, [1, 2, 99]) == pytest.approx(rows[:2].mean(axis=0))
    assert vectors.mean(JOURNAL) is None
    assert vectors.mean(FACTS, [99]) is None


def test_damaged_file_is_made_anew_and_says_so(vectors, home, make_home):
    put(vectors, [1], unit_rows(1))
    vectors.close()
    (home.context.home / store.VECTORS_FILE).write_bytes(b"no database" * 1000)
    context = make_home().context
    assert Vectors(context).keys(FACTS) == set()
    assert [notice.code for notice in context.warnings] == ["vectors-rebuilt"]


def test_state_tells_whether_everything_is_embedded(vectors):
    vectors.set_state(FACTS, "m", "7 facts")
    assert vectors.find(FACTS).state == "7 facts"
    put(vectors, [1], unit_rows(1))
    assert vectors.find(FACTS)[1:3] == ("m", 8)
    vectors.clear(FACTS)
    assert vectors.find(FACTS) is None


def test_reading_a_home_without_vectors_makes_no_file(vectors, home):
    assert vectors.scan(FACTS, unit_rows(1)[0], limit=3) == []
    assert vectors.neighbours(FACTS, [1], threshold=0.5, limit=3, order={}) == []
    assert not (home.context.home / store.VECTORS_FILE).exists()


def test_closing_the_home_closes_the_vectors_that_its_jobs_opened(home):
    jobs = home.as_system()
    jobs.vectors.put(FACTS, "m", [1], unit_rows(1))
    log = home.context.home / f"{store.VECTORS_FILE}-wal"
    assert log.exists()
    home.close()
    assert not log.exists()
    assert jobs.vectors.keys(FACTS) == {1}


def test_key_is_positive_and_the_same_everywhere():
    assert 0 < vector_key("Deploys happen on Tuesdays") < 2**63
    assert vector_key("\ud800 lone surrogate") > 0


def test_processes_that_create_the_database_at_once_lose_nothing(tmp_path):
    fork = multiprocessing.get_context("fork")

    def write(path, barrier):
        barrier.wait()
        db, reason = open_derived(path, VECTORS_SCHEMA)
        db.execute("insert into meta (key, value) values (?, 'x')", (str(os.getpid()),))
        db.close()
        sys.exit(1 if reason else 0)  # a discarded database is a failure

    for number in range(10):
        path, barrier = tmp_path / f"{number}.sqlite", fork.Barrier(4)
        processes = [fork.Process(target=write, args=(path, barrier)) for _ in range(4)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        db, _ = open_derived(path, VECTORS_SCHEMA)
        assert db.value("select count(*) from meta where value = 'x'") == 4
        db.close()
        assert [process.exitcode for process in processes] == [0, 0, 0, 0]
