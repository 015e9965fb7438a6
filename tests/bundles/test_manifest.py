"""What a bundle says of itself."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crewmem.bundles.manifest import (
    Item,
    Manifest,
    Owner,
    owner_of,
    owner_of_ref,
    read,
    spelled,
)
from crewmem.files.homed import DEPTH, homed, of_ref, place_in
from crewmem.scope import Scope

slugs = st.from_regex(r"[a-z0-9][a-z0-9-]{0,10}", fullmatch=True)
files = st.sampled_from(["AGENT.md", "daily/archive/2026/2026-01-01.md", "a b.md"])
owners = st.one_of(
    st.builds(Owner, st.just(Scope.AGENT), slugs | st.none(), slugs | st.none(), files),
    st.builds(Owner, st.just(Scope.CREW), slugs | st.none(), st.none(), files),
    st.builds(Owner, st.just(Scope.WORKSPACE), st.none(), st.none(), files),
)
items = st.builds(
    Item, st.text(), st.text(), st.from_regex("[0-9a-f]{64}"), st.integers(0, 1 << 60)
)


@given(found=st.lists(items, max_size=5), complete=st.booleans())
@settings(max_examples=80, deadline=None)
def test_what_is_spelled_is_read(found, complete):
    """A manifest is read as it was spelled, and spelled one way only."""
    manifest = Manifest(tuple(sorted(found)), ("files",), complete)
    assert read(spelled(manifest), "it") == manifest
    again = Manifest(tuple(reversed(manifest.items)), ("files",), complete)
    assert spelled(again) == spelled(manifest)


@given(owner=owners)
def test_a_path_says_whose_a_file_is(owner):
    """Where a bundle has a file says whose it is, also where names are not known."""
    assert owner_of(owner.path) == owner


@given(owner=owners)
def test_a_ref_says_whose_a_file_is(owner, tmp_path_factory):
    """The name of a file in versions says whose it is, and where that lies."""
    names = (owner.crew, owner.agent)[: DEPTH[owner.scope]]
    assume(None not in names)
    home = tmp_path_factory.getbasetemp()
    place = place_in(home, "default", owner.scope, *names)
    assert owner_of_ref(place.ref(owner.file)) == owner
    assert of_ref(home, "default", place.ref(owner.file)) == (place, owner.file)
    assert homed(home, place.path) == ("default", place)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "files",
        "files/",
        "files/agent",
        "files/agent/a/b",
        "files/agent//b/c.md",
        "files/crew/a",
        "files/crew//x.md",
        "files/workspace",
        "files/x/y.md",
        "journal/x",
    ],
)
def test_other_paths_are_nobodys(path):
    """What is no memory file of anybody is none."""
    assert owner_of(path) is None


@pytest.mark.parametrize(
    "ref", ["", "agent:a/b", "agent", "crew:a", "x:y/z.md", "agent:/b/c"]
)
def test_other_refs_are_nobodys(ref):
    """What names no memory file names none."""
    assert owner_of_ref(ref) is None
