"""Memories are found by vectors, from the command line."""

import pytest
from cli.test_episodes_commands import WORDS, by_letters, environ_of
from services import serving

from crewmem.vectors import FILE


@pytest.fixture
def letters():
    """The environment in which a service embeds texts by their letters."""
    with serving(by_letters) as service:
        yield environ_of(service)


@pytest.fixture
def held(crewmem, letters):
    """Two memories in a home; neither has a vector yet."""
    crewmem("init")
    for text in ("abba baab", "zoo zzz"):
        assert crewmem("remember", text, environ=letters).status == 0


def search(crewmem, text, environ):
    return crewmem("search", text, "--json", environ=environ).json


@pytest.mark.usefixtures("held")
def test_a_sweep_embeds_memories(crewmem, letters):
    """It says how many, and then they are found without a word of the question."""
    ran = crewmem("episodes", "sweep", environ=letters)
    assert ran.stdout == "2 memories embedded\n"
    again = crewmem("episodes", "sweep", "--json", environ=letters).json["data"]
    assert again["memories"] == 0
    data = search(crewmem, "aabb", letters)["data"]
    assert data["mode"] == "hybrid"
    assert [hit["title"] for hit in data["hits"]] == ["abba baab", "zoo zzz"]
    assert data["hits"][0]["cosine"] > data["hits"][1]["cosine"]
    shared = crewmem("knowledge", "search", "aabb", "--json", environ=letters).json
    assert (shared["data"]["mode"], len(shared["data"]["hits"])) == ("hybrid", 2)


@pytest.mark.usefixtures("held")
def test_before_a_sweep_and_without_an_embedder_words_are_asked(crewmem, letters):
    """What is held is found by its words whatever became of the vectors."""
    for environ in (letters, WORDS):
        (hit,) = search(crewmem, "zoo", environ)["data"]["hits"]
        assert (hit["title"], hit["cosine"]) == ("zoo zzz", None)
    crewmem("episodes", "sweep", environ=letters)
    assert search(crewmem, "aabb", WORDS)["data"]["hits"] == []


@pytest.mark.usefixtures("held")
def test_what_is_purged_has_no_vector(crewmem, letters, home):
    """Its vector goes with it; without vectors purging makes no file of them."""
    first, second = (
        hit["ref"]
        for text in ("abba", "zoo")
        for hit in search(crewmem, text, WORDS)["data"]["hits"]
    )
    crewmem("memories", "purge", first, "--yes", environ=letters)
    assert not (home / FILE).exists()
    crewmem("episodes", "sweep", environ=letters)
    crewmem("memories", "purge", second, "--yes", environ=letters)
    assert search(crewmem, "zzzo", letters)["data"]["hits"] == []


@pytest.mark.usefixtures("held")
def test_broken_vectors_leave_the_words(crewmem, letters, home):
    """However the file is broken, memories are found and remembered."""
    crewmem("episodes", "sweep", environ=letters)
    (home / FILE).write_bytes(b"no database" * 999)
    ran = crewmem("search", "zoo", "--json", environ=letters)
    assert ran.status == 0
    assert [hit["title"] for hit in ran.json["data"]["hits"]] == ["zoo zzz"]
    assert crewmem("remember", "a third", environ=letters).status == 0
    ran = crewmem("episodes", "sweep", environ=letters)
    assert ran.stdout == "3 memories embedded\n"
