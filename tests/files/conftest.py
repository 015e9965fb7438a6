"""Memory directories and ways to search them, without a command line."""

import time

import pytest

from crewmem.files.indexed import Access
from crewmem.files.locate import at_path
from crewmem.files.reindex import reindex
from crewmem.files.search import Wanted, search
from crewmem.scope import Actor, Role, Sight

OPERATOR = Sight(actor=Actor(Role.OPERATOR, "ada"))


def agent(slug, *, crews=("harbor",)):
    """What an agent of `harbor`, and of *crews*, may see."""
    return Sight(actor=Actor(Role.AGENT, slug), crew="harbor", crews=frozenset(crews))


@pytest.fixture
def access():
    """Indexes in memory where a tree may not be written."""
    return Access(
        cache=None,
        chunk_chars=1000,
        max_file_bytes=1 << 20,
        now_ns=time.time_ns(),
        busy_timeout=0.2,
    )


@pytest.fixture
def find(access):
    """``find(directory, "deploy key")``: the answer of a search by an operator."""

    def call(path, text, *, scope=None, sight=OPERATOR, how=None, limit=10, **wanted):
        places = at_path(path, scope)
        asked = Wanted(text=text, limit=limit, **wanted)
        return search(places, asked, sight, how or access)

    return call


@pytest.fixture
def index(access):
    """``index(directory)``: what a reindex of the one directory there did."""

    def call(path, **how):
        (place,) = at_path(path, None)
        return reindex(place, how.pop("access", access), **how)

    return call


@pytest.fixture
def snapshot():
    """``snapshot(tree)``: every byte and timestamp below a directory."""

    def call(tree):
        return {
            str(path.relative_to(tree)): (
                path.lstat().st_mtime_ns,
                path.lstat().st_ctime_ns,
                path.lstat().st_mode,
                path.read_bytes() if path.is_file() else None,
            )
            for path in [tree, *sorted(tree.rglob("*"))]
        }

    return call
