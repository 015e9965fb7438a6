"""A home as it should be."""

import pytest
from homes import HARBOR, copied


@pytest.fixture
def harbor(home):
    """A home with one crew, its lead and an agent, indexed: nothing is wrong in it."""
    return copied(home, *HARBOR, "memory reindex")
