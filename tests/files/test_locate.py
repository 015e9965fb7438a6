"""Finding the memory directories that a command is about."""

from contextlib import suppress
from datetime import date

import pytest
from files.conftest import OPERATOR, agent

from crewmem.errors.disk import (
    NotReadableError,
    PathMissingError,
    UnsafePathError,
)
from crewmem.errors.files import MemoryDirMissingError, NoMemoryError
from crewmem.errors.registry import (
    AgentMissingError,
    CrewMissingError,
    OutOfScopeError,
    WorkspaceMissingError,
)
from crewmem.errors.values import BadNameError
from crewmem.files.contents import contents
from crewmem.files.locate import at_path, in_home, readable, usual
from crewmem.files.read import parsed, read
from crewmem.files.reindex import reindex
from crewmem.files.search import Wanted, search
from crewmem.files.status import standing
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


def test_a_copy_of_a_crews_directory_is_a_crews(memory, tmp_path):
    """Wherever it lies now, its page tells; a scope that is said is believed."""
    kept = memory(CREW="x", at=tmp_path / "backup")
    bare = kept.rename(tmp_path / "harbor-2026-05-01")
    for path in (bare, memory(CREW="x", at=tmp_path / "backup")):
        assert named(at_path(path, None)) == [("crew", "")]
        assert named(at_path(path, Scope.AGENT)) == [("agent", "")]


SWAPS = ["agents", "agents/mira", "agents/mira/.memory"]

USES = {
    "search": lambda place, how: search([place], Wanted("x", 9), OPERATOR, how),
    "reindex": reindex,
    "status": lambda place, _: standing(place, cap=9, busy_timeout=1),
    "list": lambda place, _: contents(place, caps={}, today=date(2026, 5, 1)),
    "read": lambda place, _: read(
        *([place], parsed("AGENT.md"), OPERATOR),
        limit=99,
        cwd=place.path,
        base=place.path,
    ),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("swapped", SWAPS)
@pytest.mark.parametrize("from_home", [True, False])
def test_what_is_swapped_for_a_link_is_refused(crew, access, use, swapped, from_home):
    """A directory that is a link by the time it is opened is not entered."""
    if from_home:
        home = crew.parents[3]
        (place,) = in_home(home, "default", None, crew="harbor", agent="mira")
    else:
        (place,) = (each for each in at_path(crew, None) if each.agent == "mira")
    (crew / swapped).rename(crew.parents[3] / "elsewhere")
    (crew / swapped).symlink_to(crew.parents[3] / "elsewhere")
    with pytest.raises(UnsafePathError):
        USES[use](place, access)


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


@pytest.mark.parametrize(
    "name", ["", "..", ".hidden", "../../other/crews/c", "/x", "a\0"]
)
def test_no_name_leads_out_of_a_workspace(crew, name):
    """Workspaces, crews and agents are named by names, not by paths."""
    home = crew.parents[3]
    with pytest.raises(BadNameError):
        in_home(home, "default", None, crew=name)
    with pytest.raises(BadNameError):
        in_home(home, "default", None, agent=name)
    with pytest.raises(BadNameError):
        in_home(home, name, None)


def test_a_crew_that_crewmem_would_not_make_is_searched(crew, memory):
    """A directory that was copied here may be called otherwise."""
    memory(CREW="x", at=crew.parent / "Old_Dock" / "shared")
    home = crew.parents[3]
    assert ("crew", "Old_Dock") in named(in_home(home, "default", None))
    assert named(in_home(home, "default", None, crew="Old_Dock")) == [
        ("crew", "Old_Dock")
    ]


def test_an_agent_that_is_nowhere_is_missing(crew):
    """Of a crew, and of all; where only shared files are meant it is nobody's turn."""
    home = crew.parents[3]
    for narrow in (None, "harbor"):
        with pytest.raises(AgentMissingError):
            in_home(home, "default", None, crew=narrow, agent="nope")
    assert in_home(home, "default", Scope.CREW, agent="nope") == []


LINKS = {
    "crews/h2": "crews/harbor",
    "crews/harbor/agents/a2": "crews/harbor/agents/bo",
    "crews/harbor/agents/a3/.memory": "crews/harbor/agents/bo/.memory",
    "crews/dock/shared": "crews/harbor/shared",
    "crews/dock/agents": "crews/harbor/agents",
    "crews/yard/shared/.memory": "crews/harbor/shared/.memory",
}
"""Each a link, and the directory of the workspace that it leads to."""


@pytest.mark.parametrize("link", LINKS)
def test_nothing_below_a_home_is_reached_through_a_link(crew, link):
    """It is passed over, and told to who asks."""
    home, workspace = crew.parents[3], crew.parents[1]
    (workspace / link).parent.mkdir(parents=True, exist_ok=True)
    before = in_home(home, "default", None)
    (workspace / link).symlink_to(workspace / LINKS[link])
    assert in_home(home, "default", None) == before
    skipped = []
    assert in_home(home, "default", None, skipped=skipped) == before
    assert [str(each.error) for each in skipped] == [
        f"'{workspace / link}' is refused: it is a link"
    ]


def test_the_memory_of_a_workspace_is_no_link(crew):
    """Nor is the directory of a workspace, or of all."""
    workspace = crew.parents[1]
    (workspace / ".memory").rename(workspace / "elsewhere")
    (workspace / ".memory").symlink_to("elsewhere")
    home = crew.parents[3]
    assert in_home(home, "default", Scope.WORKSPACE) == []
    (workspace.parent / "two").symlink_to(workspace)
    with pytest.raises(UnsafePathError):
        in_home(home, "two", None)
    workspace.parent.rename(home / "moved")
    (home / "workspaces").symlink_to("moved")
    with pytest.raises(UnsafePathError):
        in_home(home, "default", None)


def test_a_link_that_was_named_below_a_home_is_refused(crew):
    """As a crew and as an agent."""
    home = crew.parents[3]
    (crew.parent / "h2").symlink_to("harbor")
    (crew / "agents" / "a2").symlink_to("bo")
    with pytest.raises(UnsafePathError):
        in_home(home, "default", None, crew="h2")
    with pytest.raises(UnsafePathError):
        in_home(home, "default", None, agent="a2")


def test_a_home_and_a_path_may_be_links(crew, tmp_path):
    """A person named them."""
    (tmp_path / "home").symlink_to(crew.parents[3])
    assert len(in_home(tmp_path / "home", "default", None)) == 4
    (tmp_path / "crew").symlink_to(crew)
    assert len(at_path(tmp_path / "crew", None)) == 3
    (tmp_path / "own").symlink_to(crew / "agents" / "mira" / ".memory")
    (tmp_path / "own" / "AGENT.md").touch()
    assert len(at_path(tmp_path / "own", None)) == 1


@pytest.mark.parametrize(
    ("link", "to"),
    [
        ("agents/mira", "agents/bo"),
        ("agents/mira/.memory", "agents/bo/.memory"),
        ("shared", "agents/bo"),
        ("shared/.memory", "agents/bo/.memory"),
        ("anywhere", "agents/bo"),
    ],
)
@pytest.mark.parametrize("scope", [None, *Scope])
def test_a_link_is_whose_it_leads_to(crew, tmp_path, link, to, scope):
    """What it is called, and whatever is asked of it, makes nobody else its owner."""
    path = tmp_path / "by" / link
    path.parent.mkdir(parents=True)
    path.symlink_to(crew / to)
    met = 0
    for each in (path, path / ".memory", path.parent):
        with suppress(PathMissingError, UnsafePathError, MemoryDirMissingError):
            found = at_path(each, scope)
            met += len(found)
            assert named(found) == [("agent", "harbor/bo")]
    assert met or scope is Scope.CREW


def test_below_a_crews_root_nothing_is_reached_through_a_link(crew, tmp_path):
    """Neither an agent's directory, nor its memory, nor what is shared."""
    (crew / "agents" / "a2").symlink_to("bo")
    (crew / "agents" / "a3").mkdir()
    (crew / "agents" / "a3" / ".memory").symlink_to("../bo/.memory")
    skipped = []
    found = named(at_path(crew, None, skipped))
    assert found == [
        ("crew", "harbor"),
        ("agent", "harbor/bo"),
        ("agent", "harbor/mira"),
    ]
    assert [each.place.agent for each in skipped] == ["a2", "a3"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "shared").symlink_to(crew / "shared")
    with pytest.raises(UnsafePathError):
        at_path(other, Scope.CREW)


def test_what_may_not_be_listed_is_said(memory, reachable, nobody):
    """Among others it is passed over for who asks, and raised for who does not."""
    crews = reachable / "workspaces" / "default" / "crews"
    memory(CREW="x", at=crews / "dock" / "shared")
    memory(CREW="x", at=crews / "harbor" / "shared")
    (crews / "dock").chmod(0)
    skipped = []
    with nobody():
        found = named(in_home(reachable, "default", None, skipped=skipped))
        with pytest.raises(NotReadableError):
            in_home(reachable, "default", None)
    assert found == [("crew", "harbor")]
    assert {each.place.crew for each in skipped} == {"dock"}
    assert {type(each.error) for each in skipped} == {NotReadableError}
    (crews / "dock").chmod(0o755)
    crews.chmod(0)
    with nobody(), pytest.raises(NotReadableError):
        in_home(reachable, "default", None)
    with nobody(), pytest.raises(NotReadableError):
        in_home(reachable, "default", None, crew="harbor")
    with nobody(), pytest.raises(NotReadableError):
        at_path(crews / "harbor", None)
    crews.chmod(0o755)
