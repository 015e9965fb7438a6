"""Finding the memory directories that a command is about."""

import pytest
from files.conftest import OPERATOR, agent

from crewmem.errors import (
    CrewMissingError,
    MemoryDirMissingError,
    NoMemoryError,
    OutOfScopeError,
    WorkspaceMissingError,
)
from crewmem.files.locate import at_path, in_home, readable, usual
from crewmem.scope import Scope


@pytest.fixture
def crew(memory, tmp_path):
    """A crew's root with two agents and what they share."""
    root = tmp_path / "ws" / "workspaces" / "default" / "crews" / "harbor"
    memory(AGENT="x", at=root / "agents" / "bo")
    memory(AGENT="x", at=root / "agents" / "mira")
    memory(CREW="x", at=root / "shared")
    memory(notes="x", at=root.parent.parent)
    return root


def named(places):
    return [(str(place.scope), place.owner) for place in places]


def test_a_memory_directory_and_its_parent_are_the_same(crew):
    """``--path`` takes either."""
    own = crew / "agents" / "mira"
    assert named(at_path(own, None)) == [("agent", "harbor/mira")]
    assert at_path(own, None) == at_path(own / ".memory", None)


def test_whose_a_directory_is_follows_from_where_it_lies(crew):
    """Shared, of an agent, of a workspace."""
    assert named(at_path(crew / "shared", None)) == [("crew", "harbor")]
    assert named(at_path(crew.parent.parent, None)) == [("workspace", "")]


def test_a_crews_root_is_all_of_it(crew):
    """What is shared and every agent, in order."""
    whole = [("crew", "harbor"), ("agent", "harbor/bo"), ("agent", "harbor/mira")]
    assert named(at_path(crew, None)) == whole
    assert named(at_path(crew, Scope.ALL)) == whole
    assert named(at_path(crew, Scope.CREW)) == [("crew", "harbor")]


def test_all_of_an_agents_directory_is_it_and_its_crew(crew):
    """The crew is found from the agent."""
    own = crew / "agents" / "mira" / ".memory"
    found = named(at_path(own, Scope.ALL))
    assert found == [("agent", "harbor/mira"), ("crew", "harbor")]


def test_in_a_container_the_crews_name_is_not_known(memory, tmp_path):
    """A crew that is mounted has agents, and no name."""
    mount = tmp_path / "crew"
    memory(AGENT="x", at=mount / "agents" / "mira")
    memory(CREW="x", at=mount / "shared")
    assert named(at_path(mount, None)) == [("crew", ""), ("agent", "mira")]


def test_a_copy_under_another_name_is_known_by_what_is_in_it(memory, tmp_path):
    """A backup of a directory need not be called .memory."""
    memory(AGENT="x").rename(tmp_path / "backup")
    assert len(at_path(tmp_path / "backup", None)) == 1


def test_a_path_that_fits_nothing_shows_what_was_tried(crew):
    """A crew that has nothing to share, an agent's directory without memory."""
    with pytest.raises(MemoryDirMissingError) as error:
        at_path(crew / "agents", Scope.CREW)
    assert str(crew / "agents" / "shared" / ".memory") in str(error.value)


def test_a_home_is_searched_by_workspace_crew_and_agent(crew):
    """The workspace's own first, then each crew's, then its agents'."""
    home = crew.parents[3]
    assert named(in_home(home, "default", None)) == [
        ("workspace", ""),
        ("crew", "harbor"),
        ("agent", "harbor/bo"),
        ("agent", "harbor/mira"),
    ]
    mine = in_home(home, "default", None, agent="mira")
    assert named(mine) == [("agent", "harbor/mira")]
    shared = in_home(home, "default", Scope.CREW)
    assert named(shared) == [("crew", "harbor")]
    with pytest.raises(WorkspaceMissingError):
        in_home(home, "other", None)
    with pytest.raises(CrewMissingError):
        in_home(home, "default", None, crew="nobody")


def test_nobody_reads_another_agents_directory(crew):
    """Named, it is refused; among others, it is left out."""
    sight = agent("mira")
    with pytest.raises(OutOfScopeError):
        readable(at_path(crew / "agents" / "bo", None), sight, named=True)
    seen = readable(at_path(crew, None), sight, named=False)
    assert named(seen) == [("crew", "harbor"), ("agent", "harbor/mira")]
    assert len(readable(at_path(crew, None), OPERATOR, named=False)) == 3


def test_another_crews_files_are_not_read(crew):
    """An agent of another crew, with the same slug, sees neither."""
    sight = agent("mira")._replace(crew="dock", crews=frozenset({"dock"}))
    assert readable(at_path(crew, None), sight, named=False) == []


def test_memory_is_looked_for_in_the_home_the_mount_and_the_users_home(tmp_path):
    """The first that is there; none is an error that names all."""
    home, mount, user = (tmp_path / name for name in ("home", "mount", "user"))
    with pytest.raises(NoMemoryError):
        usual(home, mount, user)
    (user / ".memory").mkdir(parents=True)
    assert usual(home, mount, user) == user / ".memory"
    (mount / "shared").mkdir(parents=True)
    assert usual(home, mount, user) == mount
    (home / "workspaces").mkdir(parents=True)
    assert usual(home, mount, user) == home
