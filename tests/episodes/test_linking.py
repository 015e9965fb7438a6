"""Linking episodes to what is like them: once, whenever they are embedded."""

import pytest
from episodes.conftest import NOW, SPACE

from crewmem.db.connect import fetch
from crewmem.episodes.embed import embed
from crewmem.episodes.linking import link_similar
from crewmem.episodes.spaces import links_of


@pytest.fixture
def edges(db):
    """All edges, as (from, to)."""
    sql = "select src_seq, dst_seq from memory_relations order by 1, 2"
    return lambda: fetch(db, sql)


def test_what_is_new_is_linked_once(happened, stores, swept, edges):
    """A second look finds nothing new, and writes nothing."""
    one, other = happened("aaab").seq, happened("aaac").seq
    assert swept().linked == 1
    assert edges() == [(other, one)]
    before = stores.journal.db.total_changes()
    assert link_similar(stores, SPACE, NOW) == 0
    assert stores.journal.db.total_changes() == before
    assert stores.vectors.mark(links_of(SPACE)) == other


def test_what_was_embedded_before_its_turn_is_linked_at_once(
    happened, stores, swept, embedder, edges
):
    """An entry ahead of the sweep is linked when it is embedded, and not twice."""
    one = happened("aaab").seq
    swept()
    happened("zzzz")
    last = happened("aaac").seq
    embed(stores, embedder, SPACE, [last], NOW)
    assert link_similar(stores, SPACE, NOW, also=[last]) == 1
    assert edges() == [(last, one)]
    assert swept() == (1, 0, 0)
    assert edges() == [(last, one)]


def test_what_was_embedded_late_is_linked(happened, stores, swept, embedder, edges):
    """An entry that failed is linked when it is embedded after all."""
    embedder.refused = "poison"
    one = happened("poison aaab").seq
    other = happened("poisom aaac").seq
    swept()
    assert edges() == []
    embedder.refused = ""
    assert swept(limit=None).embedded == 1
    assert edges() == []  # only to earlier ones
    stores.vectors.remove(SPACE, [other])
    assert swept(limit=None).linked == 1
    assert edges() == [(other, one)]


def test_an_unlinked_end_is_found_again(happened, stores, swept, edges):
    """What was embedded by a sweep that was killed before it linked is linked next."""
    one, other = happened("aaab").seq, happened("aaac").seq
    swept()
    stores.journal.db.execute("delete from memory_relations")
    stores.vectors.set_mark(links_of(SPACE), 0)
    assert swept() == (0, 0, 1)
    assert edges() == [(other, one)]


def test_what_was_embedded_late_and_not_linked_is_found_again(
    happened, stores, swept, embedder, edges
):
    """An entry that failed, killed when it was embedded after all, is linked next."""
    one = happened("aaab").seq
    embedder.refused = "poison"
    late, last = happened("poison aaac").seq, happened("zzzz").seq
    swept()
    assert edges() == []
    embedder.refused = ""
    embedder.pieces = lambda text: [text.removeprefix("poison ")]
    embed(stores, embedder, SPACE, [late], NOW)
    assert stores.vectors.mark(links_of(SPACE)) == last
    assert swept() == (1, 0, 1)
    assert edges() == [(late, one)]
    assert stores.vectors.failures(SPACE) == []
    assert swept() == (0, 0, 0)
