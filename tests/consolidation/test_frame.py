"""What texts with the same words say, by the places of the words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.consolidation.frame import Frames
from crewmem.consolidation.normal import DIFFERENT, OPPOSITE, SAME, Reader
from crewmem.db.connect import connect_memory
from crewmem.journal.tokenizer import stemmer

READER = Reader(stemmer(connect_memory()))
FRAMES = Frames(READER.stem)


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        (
            "Alice owns the billing service.",
            "Bob owns the billing service.",
            OPPOSITE,
        ),
        (
            "Use staging credentials for load tests of the gateway",
            "Use production credentials for load tests of the gateway",
            OPPOSITE,
        ),
        (
            "Postgres is the store of the tariff service",
            "Redis is the store of the tariff service",
            OPPOSITE,
        ),
        (
            "Postgres is the store of the tariff service",
            "Postgres is the store of the berth service",
            DIFFERENT,
        ),
        (
            "the billing service drops idle connections",
            "the api service drops idle connections",
            DIFFERENT,
        ),
        (
            "The crew prefers firmware A over firmware B",
            "The crew prefers firmware B over firmware A",
            OPPOSITE,
        ),
        (
            "firmware A is flaky on both winches",
            "firmware B is flaky on both winches",
            DIFFERENT,
        ),
        ("Alice reports to Bob on call", "Bob reports to Alice on call", OPPOSITE),
        (
            "copy the tables from staging to prod",
            "copy the tables from prod to staging",
            OPPOSITE,
        ),
        ("restart the pump before the relay", "restart the relay after it", DIFFERENT),
        ("restart the pump before the relay", "restart relay before pump", OPPOSITE),
        ("restart the pump before the relay", "restart relay after pump", SAME),
        ("restart the pump before the relay", "before relay restart pump", SAME),
        (
            "Run the tide table import before noon, the feed rolls over",
            "The tide table import must run before noon, the feed rolls",
            SAME,
        ),
        (
            "Staging deploys need the VPN or the health check times out",
            "staging deploys need the vpn, or the health check times out!",
            SAME,
        ),
        (
            "The gateway drops idle connections after 60 s",
            "No: the gateway never drops idle connections after 60 s",
            OPPOSITE,
        ),
        (
            "don't restart the pump at night, it never works",
            "restart the pump at night, it works",
            OPPOSITE,
        ),
        ("never deploy without a review", "deploy with a review", SAME),
    ],
)
def test_places_of_words_count(one, other, relation):
    """A word in another's place, or on the other side, says something else."""
    forms = READER.form(one), READER.form(other)

    if relation == DIFFERENT:
        assert FRAMES.relation(*forms) != SAME
    else:
        assert FRAMES.relation(*forms) == relation
    assert FRAMES.relation(*forms) == FRAMES.relation(*forms[::-1])


WORDS = st.lists(
    st.sampled_from(
        ["alice", "bob", "owns", "before", "over", "never", "A", "B", "is"]
    ),
    max_size=8,
).map(" ".join)


@given(WORDS, WORDS)
def test_comparing_knows_no_order(one, other):
    """Whoever is named first, two texts relate the same; each says what it says."""
    first, second = READER.form(one), READER.form(other)

    assert FRAMES.relation(first, second) == FRAMES.relation(second, first)
    assert FRAMES.relation(first, first) == SAME
