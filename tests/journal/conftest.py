"""A journal in memory, and one in a home."""

from contextlib import closing

import pytest
from entries import NOW
from truths import truth

from crewmem.db.truth import open_to_write
from crewmem.journal.store import Journal


@pytest.fixture
def journal():
    """A journal that is empty."""
    with closing(truth()) as db:
        yield Journal(db)


@pytest.fixture
def keyed():
    """A journal that is empty, and signs with a key."""
    with closing(truth()) as db:
        yield Journal(db, chain_key=b"a key")


@pytest.fixture
def add(journal):
    """``add(draft, …)``: add entries at `NOW`, and return them."""

    def call(*drafts, to=None, workspace="default"):
        return (to or journal).append(workspace, drafts, now=NOW)

    return call


@pytest.fixture
def at_home(home):
    """``at_home()``: the journal of `home`, opened anew; for processes of their own."""
    home.mkdir()
    open_to_write(home).close()
    return lambda **options: Journal(open_to_write(home), **options)
