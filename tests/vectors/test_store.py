"""A store finds what a comparison with everything finds, whatever was done to it."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors.conftest import DIM, SPACE, Model, in_this_process, pairs, unit

from crewmem.errors.backends import BadVectorError
from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import unit as unit_rows
from crewmem.vectors.scan import Scan
from crewmem.vectors.space import Failure, Kept, Space
from crewmem.vectors.store import VectorStore

pytestmark = pytest.mark.usefixtures("_small_pages")

numbers = st.integers(-2, 2) | st.floats(-1, 1, width=32, allow_subnormal=False)
vectors = st.lists(numbers, min_size=DIM, max_size=DIM).filter(
    lambda vector: sum(float(each) ** 2 for each in vector) > 1e-6
)
"""Of few whole numbers, so that many are equal, tie or are opposite."""

few_keys = st.integers(1, 12)
keys = few_keys | st.integers(-(2**63), 2**63 - 1)
some_owners = st.sets(st.integers(0, 3), max_size=3)

rows = st.lists(st.tuples(keys, st.integers(0, 3), vectors), max_size=30)
changes = st.lists(
    st.tuples(st.just("add"), rows)
    | st.tuples(st.just("remove"), st.sets(few_keys, max_size=6))
    | st.tuples(st.just("reown"), st.dictionaries(few_keys, st.integers(0, 3))),
    max_size=6,
)


def apply(store, changes):
    """Make *changes* to *store*, and return what should come of them."""
    model = Model()
    for what, given_ in changes:
        if what == "add":
            columns = [list(column) for column in zip(*given_, strict=True)]
            store.add(SPACE, *(columns or ([], [], [])))
            model.add(*(columns or ([], [], [])))
        elif what == "remove":
            assert store.remove(SPACE, given_) == model.remove(given_)
        else:
            store.reown(SPACE, given_)
            model.reown(given_)
    return model


@settings(deadline=None)
@given(
    changes=changes,
    query=vectors,
    count=st.integers(1, 8) | st.just(1000),
    owners=st.none() | some_owners,
)
def test_the_nearest_are_found(changes, query, count, owners):
    """What is nearest is what a comparison with everything finds, in its order."""
    with in_this_process() as store:
        model = apply(store, changes)
        found = store.nearest(SPACE, query, count, owners)
        assert pairs(found) == model.nearest(query, count, owners)
        assert store.damaged == {}


@settings(deadline=None, max_examples=50)
@given(changes=changes, queries=st.lists(vectors, max_size=5), count=st.integers(1, 4))
def test_queries_may_be_asked_together(changes, queries, count):
    """Many at once find what each finds alone."""
    with in_this_process() as store:
        apply(store, changes)
        together = store.nearest_many(SPACE, queries, count)
        alone = [store.nearest(SPACE, query, count) for query in queries]
        assert [pairs(found) for found in together] == [*map(pairs, alone)]


@settings(deadline=None)
@given(changes=changes, query=vectors, asked=st.sets(keys, max_size=8))
def test_what_is_kept_is_told(changes, query, asked):
    """Counts, keys, vectors and cosines are those of what was added and not removed."""
    with in_this_process() as store:
        model = apply(store, changes)
        there = {key for key, _, _ in model.rows}
        assert store.count(SPACE) == len(model.rows)
        for owners in ({0}, {1, 2}, set()):
            mine = [row for row in model.rows if row[1] in owners]
            assert store.count(SPACE, owners) == len(mine)
        assert store.keys(SPACE).tolist() == sorted(there)
        assert store.has(SPACE, asked) == asked & there
        cosines = model.cosines(query)
        wanted = {key: cosines[key] for key in asked & there}
        assert store.cosines_of(SPACE, query, asked) == wanted
        found = store.vectors_of(SPACE, asked)
        assert {key: sorted(each.tolist()) for key, each in found.items()} == {
            key: sorted(row[2] for row in model.rows if row[0] == key)
            for key in asked & there
        }
        store.check(SPACE)
        assert store.damaged == {}


def test_many_vectors_of_one_key_leave_room_for_others():
    """However many pieces the nearest text has, the next ones are found."""
    with in_this_process() as store:
        ones = np.ones((500, DIM)) + np.arange(500)[:, None] * np.eye(DIM)[0] / 1000
        store.add(SPACE, [7] * 500, 1, ones)
        store.add(SPACE, [1, 2, 3], 1, -np.eye(DIM)[:3])
        assert store.nearest(SPACE, [1] * DIM, 3).keys.tolist() == [7, 1, 2]


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 5))
def test_what_codes_cannot_tell_apart_is_told_apart(seed, count):
    """Vectors that are nearly as near are found in the order of how near they are."""
    random = np.random.default_rng(seed)
    near = 1 + random.standard_normal((300, DIM)) / 500
    with in_this_process() as store:
        store.add(SPACE, range(300), 0, near)
        (query,) = random.standard_normal((1, DIM))
        cosines = store.cosines_of(SPACE, query, range(300))
        expected = sorted(cosines.items(), key=lambda found: (-found[1], found[0]))
        assert pairs(store.nearest(SPACE, query, count)) == expected[:count]


@settings(deadline=None, max_examples=30)
@given(rows=rows, queries=st.lists(vectors, min_size=1, max_size=3))
def test_the_first_pass_is_off_by_the_slack_at_most(rows, queries):
    """A score by codes is near the cosine, so that few need a second look."""
    with in_this_process() as store:
        for number, (_, owner, vector) in enumerate(rows):
            store.add(SPACE, [number], owner, [vector])
        with store._pages.reading():
            scan = Scan(store._slots(SPACE), unit_rows(queries, DIM))
        for query, scores in zip(queries, scan.scores, strict=True):
            exact = store.cosines_of(SPACE, query, range(len(rows)))
            for number, cosine in exact.items():
                assert abs(scores[number] - cosine) <= scan.slack < 0.02


def test_equals_tie_and_the_first_key_is_first():
    """Of vectors that are as near, those of the smallest keys are found."""
    with in_this_process() as store:
        store.add(SPACE, range(300, 0, -1), 1, np.ones((300, DIM)))
        assert store.nearest(SPACE, [1] * DIM, 4).keys.tolist() == [1, 2, 3, 4]


def test_spaces_do_not_meet():
    """What is of another kind, workspace, model or dimension is not there."""
    others = [
        Space("chunks", "default", "model", DIM),
        Space("entries", "other", "model", DIM),
        Space("entries", "default", "better", DIM),
        Space("entries", "default", "model", 2),
    ]
    with in_this_process() as store:
        for number, each in enumerate(others, 1):
            store.add(each, [number], 0, np.ones((1, each.dim)))
        assert store.count(SPACE) == 0
        assert pairs(store.nearest(SPACE, [1] * DIM, 5)) == []
        assert store.nearest(others[3], [1, 1], 5).keys.tolist() == [4]
        assert sorted(store.spaces()) == sorted(Kept(each, 1, 0) for each in others)
        store.drop(others[0])
        assert len(store.spaces()) == 3


def test_a_store_that_is_not_there_is_empty(home):
    """Where there is none, all answers are those of an empty one, and none is made."""
    with closing(VectorStore.open_to_read(home)) as store:
        assert store.spaces() == []
        assert store.count(SPACE) == store.mark(SPACE) == 0
        assert store.count(SPACE, {1}) == 0
        assert store.has(SPACE, [1]) == set()
        assert store.failures(SPACE) == []
        assert pairs(store.nearest(SPACE, [1] * DIM, 5)) == []
        assert store.nearest_many(SPACE, [], 5) == []
        assert store.cosines_of(SPACE, [1] * DIM, [1]) == {}
    assert [*home.iterdir()] == []


def test_marks_and_failures_are_kept_in_the_change_they_belong_to(home):
    """What happens inside one change is kept together, or not at all."""
    with closing(VectorStore.open_to_write(home)) as store:
        store.set_mark(SPACE, 5)
        store.fail(SPACE, [Failure(1, 1, 100, "slow"), Failure(2, 8, 900, "HTML")])
        with pytest.raises(ZeroDivisionError), store.changing():
            store.add(SPACE, [1], 1, [[1] * DIM])
            store.set_mark(SPACE, 9)
            raise ZeroDivisionError
        assert (store.mark(SPACE), store.count(SPACE)) == (5, 0)
        with store.changing():
            store.add(SPACE, [1], 1, [[1] * DIM])
            store.set_mark(SPACE, 9)
    with closing(VectorStore.open_to_read(home)) as store:
        assert (store.mark(SPACE), store.count(SPACE)) == (9, 1)
        assert store.failures(SPACE) == [Failure(2, 8, 900, "HTML")]


def test_failures_are_forgotten_by_key():
    """What failed and need not be tried again is dropped."""
    with in_this_process() as store:
        store.fail(SPACE, [Failure(1, 1, 100, "slow"), Failure(2, 8, 900, "HTML")])
        store.fail(SPACE, [Failure(1, 2, 300, "slower")])
        assert store.failures(SPACE)[0] == Failure(1, 2, 300, "slower")
        store.forget(SPACE, [1, 3])
        assert [failure.key for failure in store.failures(SPACE)] == [2]


BAD = {
    "nan": [float("nan")] + [1] * (DIM - 1),
    "inf": [float("inf")] + [1] * (DIM - 1),
    "too long a number": [1e300] * DIM,
    "zero": [0] * DIM,
    "nearly zero": [1e-30] * DIM,
    "short": [1] * (DIM - 1),
    "long": [1] * (DIM + 1),
    "text": ["1"] * DIM,
    "none": [None] * DIM,
    "complex": [1j] * DIM,
    "nested": [[1]] * DIM,
    "ragged": [[1], 2, 3, 4, 5, 6],
    "empty": [],
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_bad_vectors_are_refused_at_the_door(bad):
    """What is no vector of a space is refused, with all that came beside it."""
    with in_this_process() as store:
        with pytest.raises(BadVectorError):
            store.add(SPACE, [1, 2], 0, [[1] * DIM, bad])
        assert store.count(SPACE) == 0
        with pytest.raises(BadVectorError):
            store.nearest(SPACE, bad, 1)


@pytest.mark.parametrize("bad", ["nan", "zero"])
def test_a_bad_vector_is_named(bad):
    """The refusal says whose vector it is."""
    with in_this_process() as store, pytest.raises(BadVectorError) as caught:
        store.add(SPACE, [41, 42], 0, [[1] * DIM, BAD[bad]])
    assert caught.value.key == 42


def test_keys_and_vectors_are_as_many():
    """A vector without a key is refused, and a key without a vector."""
    with in_this_process() as store, pytest.raises(BadVectorError):
        store.add(SPACE, [1, 2, 3], 0, np.eye(DIM)[:2])


def test_vectors_are_kept_at_length_one():
    """Only the direction of what is added counts."""
    with in_this_process() as store:
        store.add(SPACE, [1], 0, [[3, 4, 0, 0, 0, 0]])
        (vector,) = store.vectors_of(SPACE, [1])[1].tolist()
        assert vector == unit([3, 4, 0, 0, 0, 0])


def test_removing_gives_the_room_back():
    """What is removed goes from the disk, too, when half of its page is removed."""
    with in_this_process() as store:
        store.add(SPACE, range(1000), 0, np.ones((1000, DIM)))
        before = len(store._pages.directory(1))
        store.remove(SPACE, range(0, 1000, 2))
        assert len(store._pages.directory(1)) <= before // 2 + 1
        store.remove(SPACE, range(1000))
        assert store._pages.directory(1) == []
        left = "select (select count(*) from vector_codes), count(*) from vector_parts"
        assert store._pages._rows(left) == [(0, 0)]
