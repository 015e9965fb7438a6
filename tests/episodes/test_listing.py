"""Episodes as they are listed."""

from datetime import timedelta

import numpy as np
from episodes.conftest import NOW

from crewmem.episodes.listing import listed
from crewmem.episodes.spaces import models
from crewmem.scope import Reach


def pages(stores, limit, *, reach=None, **given):
    owners = stores.episodes.owners(reach or Reach("default"))
    found = models(stores.vectors.spaces())
    after = None
    while True:
        page = listed(
            stores,
            owners,
            workspace="default",
            model=found[0] if found else None,
            limit=limit,
            after=after,
            **given,
        )
        yield page.episodes
        after = page.next
        if after is None:
            return


def test_all_are_listed_once_newest_first(happened, stores):
    """Page by page every episode is told, whatever the size of a page."""
    ids = [happened(f"crane {n}").id for n in range(7)]
    for limit in range(1, 9):
        found = [each.entry_id for page in pages(stores, limit) for each in page]
        assert found == ids[::-1]


def test_only_what_is_in_scope_is_listed(happened, stores):
    """Nothing of others is listed."""
    happened("x", agent_id="otto")
    mine = happened("y", agent_id="mira")
    (page,) = pages(stores, 5, reach=Reach("default", "mira"))
    assert [each.entry_id for each in page] == [mine.id]


def test_vectors_are_given_as_they_are(happened, stores, swept, embedder):
    """With vectors each has its own, of unit length; of a long text the first."""
    happened("aab")
    happened("a" * 40 + "b" * 30)
    swept()
    happened("waits")
    ((waits, long, short),) = pages(stores, 5, with_vectors=True)
    assert (waits.vector, waits.dim, waits.model) == (None, None, None)
    assert (short.dim, short.model) == (26, "letters-1")
    assert np.allclose(short.vector, embedder.embed(["aab"])[0], atol=1e-6)
    assert np.allclose(long.vector, embedder.embed(["a" * 40])[0], atol=1e-6)
    ((_, _, short),) = pages(stores, 5)
    assert (short.vector, short.dim) == (None, 26)


def test_what_is_listed_says_how_it_weighs(happened, stores):
    """Importance, references and since when it can be recalled."""
    entry = happened("old", days=30)
    stores.episodes.mark([entry.seq], "2026-05-01T10:00:00.000Z")
    (((only),),) = pages(stores, 5)
    assert only.indexed_at == NOW - timedelta(days=30)
    assert (only.reference_count, only.last_referenced_at) == (
        1,
        "2026-05-01T10:00:00.000Z",
    )
    assert 0 < only.importance_score < 1
