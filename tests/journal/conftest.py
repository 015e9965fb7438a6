from datetime import UTC, datetime, timedelta

import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.journal.store import Journal
from crewmem.review.store import ReviewStore
from crewmem.storage.sqlite import HOME_SCHEMA, open_database

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now

    def advance(self, **span):
        self.now += timedelta(**span)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def open_journal(tmp_path, clock):
    """Open the journal of the test's home as an actor."""

    def open_(actor="operator:kim", *, key="", **access):
        if not (tmp_path / "crewmem.db").exists():
            open_database(tmp_path / "crewmem.db", HOME_SCHEMA, create=True).close()
        context = Context(
            home=tmp_path,
            workspace="default",
            access=Access(Actor.parse(actor), "default", **access),
            settings=load_settings(None).replace(timezone="UTC"),
            clock=clock,
            chain_key=key,
        )
        return Journal(context, lambda: ReviewStore(context))

    return open_


@pytest.fixture
def journal(open_journal):
    return open_journal()
