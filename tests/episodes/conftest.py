"""A journal whose entries become episodes, in memory, and what embeds them."""

from datetime import UTC, datetime, timedelta

import pytest
from letters import Letters
from truths import truth

from crewmem.db.derived import in_memory
from crewmem.episodes.relations_store import Relations
from crewmem.episodes.spaces import space_of
from crewmem.episodes.store import Episodes
from crewmem.episodes.stores import Stores
from crewmem.episodes.sweep import sweep
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal
from crewmem.vectors.store import VECTORS, VectorStore

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


class Embedder(Letters):
    """Reads forty characters at a time."""

    def __init__(self):
        super().__init__(piece=40)


SPACE = space_of("default", Embedder.model, Embedder.dim)


@pytest.fixture
def db():
    """crewmem.db at its newest schema, gone after the test."""
    db = truth()
    yield db
    db.close()


@pytest.fixture
def episodes(db):
    """The episodes of `db`."""
    return Episodes(db)


@pytest.fixture
def relations(db):
    """The relations of `db`."""
    return Relations(db)


@pytest.fixture
def journal(db, episodes):
    """A journal that makes episodes of what is selected."""
    return Journal(db, on_append=lambda entries: episodes.take(entries, NOW))


@pytest.fixture
def happened(journal):
    """``happened("the crane broke", days=3)``: append an entry, return it."""

    def append(
        summary,
        kind="peer.escalation",
        *,
        days=0,
        workspace="default",
        tagged=False,
        **fields,
    ):
        ts = NOW - timedelta(days=days)
        refs = {"episodic": True} if tagged else {}
        draft = Draft(entry_type=kind, summary=summary, ts=ts, refs=refs, **fields)
        return journal.append(workspace, [draft], now=NOW)[0]

    return append


@pytest.fixture
def embedder():
    """What embeds by letters."""
    return Embedder()


@pytest.fixture
def stores(journal):
    """All that is kept of the entries of `journal`."""
    vectors = VectorStore(in_memory(VECTORS))
    yield Stores(journal, lambda: vectors)
    vectors.close()


@pytest.fixture
def swept(stores, embedder):
    """``swept(limit=3)``: sweep once."""

    def once(**given):
        return sweep(stores, embedder, "default", **{"now": NOW, **given})

    return once
