"""A registry in memory, and a home beside it."""

from contextlib import closing

import pytest
from truths import truth

from crewmem.registry.store import Registry


@pytest.fixture
def registry():
    """A registry that is empty."""
    with closing(truth()) as db:
        yield Registry(db)


@pytest.fixture
def home(tmp_path):
    """A home that is there, and empty."""
    path = tmp_path / "home"
    path.mkdir()
    return path
