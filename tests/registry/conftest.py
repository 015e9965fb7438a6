"""A registry in memory, and a home beside it."""

from contextlib import closing

import pytest

from crewmem.db.connect import connect_memory
from crewmem.db.migrate import migrate
from crewmem.registry.store import Registry


@pytest.fixture
def registry():
    """A registry that is empty."""
    with closing(connect_memory()) as db:
        migrate(db)
        yield Registry(db)


@pytest.fixture
def home(tmp_path):
    """A home that is there, and empty."""
    path = tmp_path / "home"
    path.mkdir()
    return path
