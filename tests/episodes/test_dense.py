"""Questions as vectors, and what is near them."""

from datetime import UTC, datetime

import numpy as np
import pytest
from episodes.conftest import SPACE

from crewmem.episodes.words_store import Words
from crewmem.errors.backends import BadVectorError
from crewmem.hybrid import dense
from crewmem.hybrid.dense import Sense
from crewmem.retrieval.gate import BACKGROUND
from crewmem.scope import Reach


@pytest.fixture
def sense(stores, embedder):
    return Sense(embedder, stores.vectors, SPACE)


@pytest.fixture
def words(db, stores):
    """``words(agent)``: the episodes of everybody, or of one."""

    def of(agent=None):
        owners = stores.episodes.owners(Reach("default", agent))
        return Words(db, owners, "2026-05-01T09:30:00.000Z")

    return of


def test_the_beginning_of_a_long_question_is_embedded(sense, embedder):
    """A question is one vector, of its first piece."""
    (vector,) = dense.embedded(sense, ["a" * 40 + "b" * 400])
    assert np.allclose(vector, embedder.embed(["a" * 40])[0])
    assert embedder.seen[0] == "a" * 40


def test_another_size_cannot_be_compared(sense, embedder):
    """Vectors of another size than what is kept are refused."""
    embedder.embed = lambda texts: np.ones((len(texts), 3), np.float32)
    with pytest.raises(BadVectorError, match="3 numbers, what is kept 26"):
        dense.embedded(sense, ["crane"])


def test_the_background_is_what_unlike_texts_have(happened, sense, swept, embedder):
    """Each question has its own: the mean of its cosines, however many are asked."""
    for text in ("aaaa", "bbbb", "cccc"):
        happened(text)
    swept()
    vectors = dense.embedded(sense, ["a", "zz"])
    found = dense.backgrounds(sense, vectors)
    assert found[0] == pytest.approx(1 / 3, abs=0.01)
    assert found[1] < 0.02
    assert dense.backgrounds(sense, vectors[1:]) == found[1:]
    embedder.model = dense.KNOWN_BACKGROUND
    assert dense.backgrounds(sense, vectors) == [BACKGROUND] * 2


def test_there_is_a_background_before_there_are_vectors(sense):
    """Without anything to compare with it is the usual one."""
    assert dense.backgrounds(sense, dense.embedded(sense, ["a"])) == [BACKGROUND]


def test_as_many_are_near_as_are_asked_for(happened, sense, swept, words):
    """What is gone or over takes no place of what is there."""
    for _ in range(40):
        happened("aab", expires_at=LONG_AGO)
    kept = [happened(text).seq for text in ("ab", "abc", "abcd")]
    swept(limit=None)
    (vector,) = dense.embedded(sense, ["aab"])
    (near,) = dense.nearest(sense, words(), [vector], 2)
    assert [*near] == kept[:2]
    assert [*near.values()] == sorted(near.values(), reverse=True)
    (near,) = dense.nearest(sense, words(), [vector], 9)
    assert [*near] == kept


LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def test_only_owners_are_near(happened, sense, swept, words):
    """What belongs to others is not near, and not weighed."""
    happened("aab", agent_id="otto")
    mine = happened("zzz", agent_id="mira").seq
    swept()
    (vector,) = dense.embedded(sense, ["aab"])
    (near,) = dense.nearest(sense, words("mira"), [vector], 5)
    assert [*near] == [mine]


def test_what_answers_says_how_likely(happened, sense, swept, words, stores):
    """The nearest decides how likely there is an answer, not the heaviest."""
    happened("aaaa")
    heavy = happened("aaab", severity="error")
    swept()
    (vector,) = dense.embedded(sense, ["a"])
    answer, near = dense.answer(sense, words(), stores.episodes, vector, 2)
    assert answer.hits[0].seq == heavy.seq
    assert answer.relevance == max(hit.relevance for hit in answer.hits)
    assert answer.relevance == answer.hits[1].relevance
    assert {*near} == {hit.seq for hit in answer.hits}
    shares = [sum(share for _, share in hit.why.values()) for hit in answer.hits]
    assert shares == pytest.approx([hit.score for hit in answer.hits])
