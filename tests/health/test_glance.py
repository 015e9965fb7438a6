"""A memory directory at a glance, and the advice that follows."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import NOW
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.files import caps
from crewmem.files.contents import contents
from crewmem.files.place import Place
from crewmem.health import glance as glances
from crewmem.health.advice import advice
from crewmem.health.glance import Glance, glance
from crewmem.scope import Actor, Role, Scope, Sight
from crewmem.times import day, zone

CAPS = {"agent": 10, "daily": 100, "crew": 10, "peer": 10, "workspace": 25}

sights = st.sampled_from(
    [Sight(actor=Actor(Role.OPERATOR, "ada")), Sight(actor=Actor(Role.AGENT, "mira"))]
)
names = st.sampled_from(
    ["AGENT.md", "CREW.md", "daily/2026-05-01.md", "peers/ab.md", "notes.md", "x.txt"]
)
sizes = st.sampled_from([0, 7, 8, 9, 10, 11, 19, 20, 25, 26, 79, 80, 100, 101])


@settings(max_examples=60, deadline=None)
@given(
    tree=st.dictionaries(names, sizes),
    sight=sights,
    scope=st.sampled_from([Scope.AGENT, Scope.WORKSPACE]),
)
def test_a_glance_sees_the_caps_as_a_listing_does(tree, sight, scope):
    """The two look in different ways, and count the same files."""
    about = {"caps": CAPS, "today": day(NOW, zone("UTC"))}
    with TemporaryDirectory() as folder:
        for name, size in tree.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x" * size)
        place = Place(path=Path(folder), scope=scope)
        seen = glance(place, sight, caps=CAPS, directory_cap=1000, busy_timeout=0)
        entries, _ = contents(place, **about, hidden=place.hidden_tiers(sight))
    assert list(seen.over) == [e.file for e in entries if "over-cap" in e.flags]
    assert seen.near == sum("near-cap" in each.flags for each in entries)
    assert seen.standing.files == len(entries)


def test_near_a_cap_means_the_same_everywhere():
    """It is written down twice, for the sake of the start."""
    assert glances.SOFT == caps.SOFT


def looked(path, **about):
    """A directory at *path* of which only what is named is known."""
    place = Place(path=Path(path), scope=Scope.CREW, **about.pop("whose", {}))
    blank = {"standing": None, "trouble": "", "over": (), "near": 0, "heals": False}
    return Glance(place, **(blank | about))


@pytest.mark.parametrize(
    ("some", "known", "words"),
    [
        ([], {"has_base": False}, "init"),
        ([], {}, "crew add NAME"),
        ([], {"trouble": "it is damaged"}, "doctor"),
        ([looked("/x", trouble="permission denied")], {}, "doctor"),
        ([looked("/h", whose={"kept": True})], {}, "crew add NAME"),
        (
            [looked("/h", whose={"kept": True, "crew": "harbor"})],
            {},
            "agent add NAME --crew harbor",
        ),
        ([looked("/x", over=("b.md", "c.md"))], {}, "memory read /x/b.md"),
        ([looked("/x")], {}, "memory search WORDS"),
    ],
)
def test_the_next_command_is_the_one_that_helps_most(some, known, words):
    """From nothing to all being well."""
    about = {"has_base": True, "writable": {"/x", "/h"}, "trouble": ""}
    assert " ".join(advice(some, **(about | known))[0]) == words
