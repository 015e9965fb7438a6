"""What says the same in other words."""

import pytest

from crewmem.backends.embed import Means, kind
from crewmem.backends.embed.weights import packaged
from crewmem.errors.backends import UnreachableError
from crewmem.settings import Settings
from tests.consolidation.noting import Crew, texts

RELAY = "relay-2 drops its connection at night until the pump is restarted"
LOSES = "At night relay-2 loses its connection; restarting the pump helps"
FRIDAYS = "Never deploy on Fridays, the harbour office is closed"


@pytest.fixture(name="crew")
def _crew(tmp_path):
    return Crew(tmp_path, "mira", "tor")


@pytest.fixture(name="embedder", scope="module")
def _embedder():
    if packaged() is None:
        pytest.skip("the model is not installed")
    return kind("minilm").create(Means(Settings(), "/nowhere", {}))


def test_other_words_for_the_same_recur(crew, embedder):
    """With an embedder, what two agents say in their own words is one item."""
    crew.note("mira", 9, RELAY)
    crew.note("tor", 3, LOSES)
    assert crew.gather().items == ()

    found = crew.read(sources={"embed": lambda: embedder})

    assert texts(found) == [RELAY]
    assert [each.quote for each in found.items[0].evidence] == [RELAY, LOSES]
    assert crew.read(sources={"embed": lambda: embedder}).items == found.items


def test_no_embedder_is_asked_where_nothing_is_alike(crew):
    """Texts that share no words are not embedded: it would take too long."""
    crew.note("mira", 9, RELAY)
    crew.note("tor", 3, FRIDAYS)

    crew.gather(sources={"embed": pytest.fail})


def test_an_embedder_that_fails_costs_itself(crew):
    """Where texts cannot be embedded, words decide, and it is said."""

    def unreachable():
        raise UnreachableError("ollama", "it refused")

    crew.note("mira", 9, RELAY, FRIDAYS)
    crew.note("tor", 3, LOSES, FRIDAYS)

    found = crew.gather(sources={"embed": unreachable})

    assert texts(found) == [FRIDAYS]
    assert "compared by words alone" in found.notices[0]
