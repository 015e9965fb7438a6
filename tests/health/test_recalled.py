"""Which hits of recalls were of use."""

import numpy as np
import pytest

from crewmem.health import recalled as module
from crewmem.health.counts_store import Asked
from crewmem.health.metric import Recalled, Repeat
from crewmem.health.recalled import recalled, repeats, rows
from crewmem.recall.recall import BESIDE
from crewmem.retrieval.gate import OPERATING


def piece(*numbers):
    vectors = np.array([numbers], np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_the_gate_is_that_of_recall():
    """What is kept here to be known without the rooms of recall is what they say."""
    assert (module.GATE, module.BESIDE) == (OPERATING, BESIDE)


def test_an_answer_passes_as_recall_lets_it_through():
    """The best hit has to reach the gate, those beside it a quarter of it."""
    found = [(["a", "b", "c"], [0.2, 0.7, 0.17]), (["a", "b"], [0.69, 0.6])]
    assert recalled(found, {}) == Recalled(2, hits=5, ungated=2, relevant=2, distinct=2)


def test_what_nobody_judged_is_no_hit():
    """A hit without a relevance counts neither for nor against."""
    assert recalled([(["a", "b"], [None, 0.9])], {}).hits == 1


def test_a_near_duplicate_of_a_better_hit_repeats_it():
    """From a cosine of 0.92 on, whatever stands between them."""
    vectors = {"a": piece(1, 0), "b": piece(0, 1), "c": piece(1, 0.1)}
    assert repeats(["a", "b", "c"], vectors) == {"c": "a"}
    assert repeats(["c", "b", "a"], vectors) == {"a": "c"}
    assert repeats(["b", "c"], vectors) == {}
    edge = {"a": piece(1, 0), "b": piece(0.919, (1 - 0.919**2) ** 0.5)}
    assert repeats(["a", "b"], edge) == {}


def test_a_long_text_is_as_near_as_its_nearest_piece():
    """Of several vectors one suffices."""
    long = np.concatenate([piece(0, 1), piece(1, 0)])
    assert repeats(["a", "b"], {"a": piece(1, 0), "b": long}) == {"b": "a"}


def test_memories_that_repeat_are_counted_apart():
    """One of them may take the place of another, where both are there."""
    same = {"m_1": piece(1, 0), "j_1": piece(1, 0), "j_2": piece(1, 0)}
    found = recalled([(["j_1", "m_1", "j_2"], [0.9, 0.9, 0.9])], same, {"m_1"})
    assert found == Recalled(1, hits=3, relevant=3, distinct=1, repeated=1)


def test_what_repeats_most_often_is_named():
    """It is named with the best that it repeats, as far as memories are there."""
    names = ["m_1", "m_2", "m_3"]
    same = dict.fromkeys(names, piece(1, 0))
    found = [(names, [0.9] * 3), (["m_3", "m_2"], [0.9] * 2), (names[:2], [0.9] * 2)]
    assert recalled(found, same, names).worst == Repeat("m_2", "m_1", 2)
    assert recalled(found, same, names[:1]).worst is None
    assert recalled(found, same, ["m_1", "m_3"]).worst == Repeat("m_3", "m_1", 1)


@pytest.mark.parametrize(
    ("ids", "relevances"),
    [
        ("{}", "[]"),
        ("[1]", "[1]"),
        ('["a"]', "[]"),
        ('["a"]', '["x"]'),
        ('["a"]', "[2]"),
        ('["a"]', "[NaN]"),
        ("nonsense", "[]"),
    ],
)
def test_what_is_no_recall_is_refused(ids, relevances):
    """A row that cannot be read is no row of zeros."""
    with pytest.raises(ValueError, match=r"."):
        rows([Asked(ids, relevances)])
