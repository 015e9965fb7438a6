"""Neighbours are those that a comparison of everything with everything finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors.conftest import DIM, SPACE, Model, edges, in_this_process

from crewmem.retrieval.numerics import np
from crewmem.vectors import neighbours, projection

pytestmark = pytest.mark.usefixtures("_small_pages")

SETTINGS = {
    "as it is": {},
    "rows of few": {"ROWS_BYTES": 4 * DIM * 7, "ROWS": 3, "PAIRS": 2},
    "always in full": {"DENSE": -1.0, "ROWS": 3},
    "never in full": {"DENSE": 2.0},
    "projected": {"SAMPLE": 2, "ROWS": 3},
}
"""What is set so that a few vectors go all ways that many go."""

texts = st.lists(
    st.tuples(
        st.integers(1, 40),
        st.lists(st.integers(-2, 2), min_size=DIM, max_size=DIM).filter(any),
    ),
    max_size=60,
)


@pytest.fixture(params=SETTINGS, scope="module")
def _set(request):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SETTINGS[request.param].items():
            patch.setattr(neighbours, name, value)
        if request.param == "projected":
            patch.setattr(projection, "DIRECTIONS", (1, 2))
            patch.setattr(projection, "PAIR_COST", 0)
        yield


@pytest.mark.usefixtures("_set")
@settings(deadline=None, max_examples=60)
@given(
    texts=texts,
    new=st.none() | st.sets(st.integers(1, 41)),
    removed=st.sets(st.integers(1, 40), max_size=5),
    least=st.sampled_from([0.8, 0.5, 0.95, 1.0, -1.0]),
    top=st.integers(1, 4),
)
def test_neighbours_are_the_nearest_before(texts, new, removed, least, top):
    """Of all earlier keys the nearest are found, with their cosines, ties by key."""
    with in_this_process() as store:
        model = Model()
        keys, vectors = [list(column) for column in zip(*texts, strict=True)] or (
            [],
            [],
        )
        store.add(SPACE, keys, 0, vectors)
        model.add(keys, [0] * len(keys), vectors)
        store.remove(SPACE, removed)
        model.remove(removed)
        new = {*keys} if new is None else new
        found = store.neighbours(SPACE, new, least=least, top=top)
        assert edges(found) == model.neighbours(new, least, top)


@pytest.mark.usefixtures("_set")
def test_equals_are_found_by_their_first_keys():
    """Of however many equal texts, each is near the first three."""
    with in_this_process() as store:
        store.add(SPACE, range(200), 0, np.ones((200, DIM)))
        found = store.neighbours(SPACE, [3, 100, 199])
        assert found.others.tolist() == [0, 1, 2] * 3


@pytest.mark.usefixtures("_set")
def test_ties_go_to_the_smaller_key_wherever_it_lies():
    """It does not matter in which order what is as near was added."""
    with in_this_process() as store:
        keys = [1, *range(30, 41), *range(2, 14), 50]
        store.add(SPACE, keys, 0, np.ones((len(keys), DIM)))
        found = store.neighbours(SPACE, [50])
        assert found.others.tolist() == [1, 2, 3]


@pytest.mark.usefixtures("_set")
def test_a_text_of_many_pieces_is_one_neighbour():
    """However many pieces of a text are near, other texts are found as well."""
    with in_this_process() as store:
        pieces = np.ones((9, DIM)) + np.arange(9)[:, None] * np.eye(DIM)[0] / 1000
        store.add(SPACE, [7] * 9, 0, pieces)
        store.add(
            SPACE, [8, 9, 50], 0, [[1, 1, 1, 1, 1, 2], [2, 1, 1, 1, 1, 2], [1] * DIM]
        )
        found = store.neighbours(SPACE, [50])
        assert found.others.tolist() == [7, 8, 9]


@pytest.mark.usefixtures("_set")
@settings(deadline=None, max_examples=30)
@given(texts=texts, top=st.integers(1, 4), owner=st.integers(0, 2))
def test_neighbours_of_one_owner_are_those_of_its_own_alone(texts, top, owner):
    """What belongs to others is not there, however near it is."""
    with in_this_process() as store, in_this_process() as own:
        for key, vector in texts:
            store.add(SPACE, [key], key % 3, [vector])
            if key % 3 == owner:
                own.add(SPACE, [key], owner, [vector])
        every = {key for key, _ in texts}
        found = store.neighbours(SPACE, every, least=0.5, top=top, owner=owner)
        alone = own.neighbours(SPACE, every, least=0.5, top=top)
        assert edges(found) == edges(alone)
