"""A database of memories of its own for every test."""

import pytest
from claims import Bench


@pytest.fixture
def bench():
    """A database of its own, and desks on it."""
    return Bench()
