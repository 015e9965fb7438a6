"""What is alike, and says something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.memories.opposed import opposed

OPPOSED = [
    ("Never push to main", "Always push to main"),
    ("Deploys go out on Tuesday", "Deploys go out on Thursday"),
    ("Gate 3 is closed", "Gate 7 is closed"),
    ("Staging runs PG 15", "Staging runs PG 16"),
    ("It failed on runner one", "It failed on runner two"),
    ("Run migrations before the deploy", "Run migrations after the deploy"),
    ("The key is in the vault", "The key is not in the vault"),
    ("The key isn\u2019t in the vault", "The key is in the vault"),
    ("Enable retries on the gateway", "Disable retries on the gateway"),
    ("Wait 30 seconds", "Wait 30 minutes"),
    ("Der Export läuft", "Der Export läuft nicht"),
]

SAME = [
    ("Use WAL mode for SQLite", "Use WAL mode for SQLite databases"),
    ("The key is in the vault", "The key lies in the vault"),
    ("Tests must pass before merging", "Before merging, all tests must pass"),
    ("The API timeout is 30 seconds", "API requests time out after 30 seconds"),
    ("Do not use floats for money", "Never use floats for money"),
    ("Staging runs PG 16", "Staging runs PG 16 since 2026"),
    ("The build started late", "The build starts late"),
]


@pytest.mark.parametrize(("one", "other"), OPPOSED)
def test_opposites_are_told(one, other):
    """A number, a denial, a word's opposite: whichever is said first."""
    assert opposed(one, other)
    assert opposed(other, one)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_only_says_more_is_no_opposite(one, other):
    """Nor what says it in other words."""
    assert not opposed(one, other)
    assert not opposed(other, one)


@given(st.text(), st.text())
def test_nothing_opposes_itself_and_order_does_not_matter(one, other):
    """Whatever the texts."""
    assert not opposed(one, one)
    assert opposed(one, other) == opposed(other, one)
