"""How weights are made: downhill, and from nothing that a machine happens to have."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

np = pytest.importorskip("numpy")

from tests.benchmarks.threats.descent import lowest  # noqa: E402 - needs numpy
from tests.benchmarks.threats.drawing import drawn_from  # noqa: E402
from tests.benchmarks.threats.sentences import HERE, ROOT, documents, written  # noqa: E402


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-9, 9), min_size=1, max_size=6), st.floats(0.5, 50))
def test_the_lowest_point_is_found(goal, steep):
    """Of a bowl, however steep one of its sides is."""
    middle = np.array(goal)
    sides = np.linspace(1, steep, len(goal))

    def loss(point):
        away = point - middle
        return float(sides @ away**2) + 1, 2 * sides * away

    assert np.allclose(lowest(loss, np.zeros(len(goal))), middle, atol=0.05)


def test_weights_are_learned_from_what_the_project_ships():
    """Sentences stand in its own folder, and documents are its own."""
    for name in ("attacks", "harmless", "chats"):
        assert (HERE / f"{name}.txt").is_file()
        assert len([*written(name)]) > 500
    pages = {page.name for page in (ROOT / "man").glob("*.1")}
    assert pages
    assert sum(1 for _ in documents()) > len(pages)


@pytest.mark.parametrize("name", ["work_orders", "work_notes"])
def test_sentences_are_drawn_without_gaps(name):
    """Each once, always the same, and nothing of a pattern is left in them."""
    drawn = [*drawn_from(name, 3)]
    assert drawn == [*drawn_from(name, 3)]
    assert len(drawn) == len({*drawn}) > 100
    assert not any({*sentence} & {*"()<>|"} for sentence in drawn)
