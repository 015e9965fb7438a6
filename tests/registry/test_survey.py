"""Who works here, by the registry and by the directories."""

import os
from datetime import UTC, datetime

import pytest

from crewmem.errors.disk import NotReadableError
from crewmem.errors.registry import (
    AgentMissingError,
    CrewMissingError,
    HomeMissingError,
    WorkspaceMissingError,
)
from crewmem.registry import survey
from crewmem.registry.add import add_agent, add_crew
from crewmem.registry.folders import opened
from crewmem.registry.member import new_agent, new_crew

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def place(home, crew, *slugs, workspace="default"):
    """Make the directories of *crew*, as a backup has them."""
    root = home / "workspaces" / workspace / "crews" / crew
    root.mkdir(parents=True, exist_ok=True)
    for slug in slugs:
        (root / "agents" / slug / ".memory").mkdir(parents=True)


@pytest.fixture(name="folders")
def _folders(home):
    """The directories of the home, open."""
    with opened(home) as folders:
        yield folders


def test_a_backup_without_a_database_is_listed(home, folders):
    """Of what is on disk alone, names and who is where are told."""
    place(home, "harbor", "mira", "pilot")
    place(home, "ops", "zoe")
    place(home, "harbor", workspace="lab")
    workspaces = survey.workspaces(folders, None)
    crews = survey.crews(folders, None, "default")
    agents = survey.agents(folders, None, "default")
    assert [each.name for each in workspaces] == ["default", "lab"]
    assert workspaces[0].crews == ("harbor", "ops")
    assert [(each.name, each.agents) for each in crews] == [
        ("harbor", ("mira", "pilot")),
        ("ops", ("zoe",)),
    ]
    assert [(each.slug, each.crews) for each in agents] == [
        ("mira", ("harbor",)),
        ("pilot", ("harbor",)),
        ("zoe", ("ops",)),
    ]
    found = [*workspaces, *crews, *agents]
    assert not any(each.registered or each.created_at for each in found)


def test_what_is_registered_is_told_once(registry, home, folders):
    """The registry is believed, and what it lacks is added to it."""
    add_crew(registry, home, new_crew("default", "ops", now=NOW))
    add_agent(registry, home, new_agent("default", "zoe", crew="ops", now=NOW))
    place(home, "harbor", "mira", "zoe")
    place(home, "ops", "ada")
    agents = survey.agents(folders, registry, "default")
    assert [(each.slug, each.crew, each.registered) for each in agents] == [
        ("ada", "ops", False),
        ("mira", "harbor", False),
        ("zoe", "ops", True),
        ("zoe", "harbor", False),
    ]
    crews = survey.crews(folders, registry, "default")
    assert [(each.name, each.registered) for each in crews] == [
        ("harbor", False),
        ("ops", True),
    ]
    assert survey.agent(folders, registry, "default", "zoe").crew == "ops"
    assert survey.crew(folders, registry, "default", "ops").agents == ("zoe",)
    assert [each.registered for each in survey.workspaces(folders, registry)] == [True]


def test_who_belongs_to_a_crew_can_be_asked_for(registry, home, folders):
    """Members of other crews are among them."""
    add_crew(registry, home, new_crew("default", "ops", now=NOW))
    add_agent(registry, home, new_agent("default", "zoe", crew="ops", now=NOW))
    add_crew(registry, home, new_crew("default", "lab", lead="zoe", now=NOW))
    place(home, "lab", "mira")
    found = survey.agents(folders, registry, "default", crew="lab")
    assert [each.slug for each in found] == ["mira", "zoe"]
    with pytest.raises(CrewMissingError):
        survey.agents(folders, registry, "default", crew="nope")


def test_files_that_are_gone_do_not_hide_a_row(registry, home, folders):
    """What is registered is told, whatever is on disk."""
    registry.add_workspace(survey.Workspace(name="gone", created_at=NOW))
    assert survey.crews(folders, registry, "gone") == []
    assert survey.workspace(folders, registry, "gone").registered
    assert not (home / "workspaces").exists()


def test_other_things_are_not_members(home, folders, tmp_path):
    """Files, links, hidden directories, and agents without memory are none."""
    place(home, "harbor", "mira")
    crews = home / "workspaces/default/crews"
    (crews / "note.md").touch()
    (crews / ".git").mkdir()
    (crews / "link").symlink_to(tmp_path)
    (crews / "harbor/agents/empty").mkdir()
    assert [each.name for each in survey.crews(folders, None, "default")] == ["harbor"]
    assert [each.slug for each in survey.agents(folders, None, "default")] == ["mira"]


def test_what_is_missing_is_named(registry, home, folders):
    """A home, a workspace, a crew and an agent are each missing in their own way."""
    place(home, "harbor", "mira")
    for name in ("lab", "..", "\udcff", ""):
        for find in (survey.workspace, survey.crews, survey.agents):
            with pytest.raises(WorkspaceMissingError):
                find(folders, registry, name)
        with pytest.raises(CrewMissingError):
            survey.crew(folders, registry, "default", name)
        with pytest.raises(AgentMissingError):
            survey.agent(folders, registry, "default", name)
    with pytest.raises(HomeMissingError), opened(home / "nope"):
        pass


def test_names_that_are_no_utf_8_are_told(home, folders):
    """A directory that somebody made by hand is listed as it is called."""
    name = os.fsdecode(b"\xff")
    place(home, "harbor", name)
    assert [each.slug for each in survey.agents(folders, None, "default")] == [name]


def test_what_cannot_be_read_is_told(reachable, nobody):
    """A crew that is closed to the reader does not hide the others."""
    home = reachable / "home"
    place(home, "harbor", "mira")
    place(home, "ops", "zoe")
    (home / "workspaces/default/crews/ops/agents").chmod(0o000)
    with opened(home) as folders, nobody():
        agents = survey.agents(folders, None, "default")
    assert [each.slug for each in agents] == ["mira"]
    assert [each.endswith("permission denied") for each in folders.unread] == [True]
    (home / "workspaces").chmod(0o000)
    with opened(home) as folders, nobody(), pytest.raises(NotReadableError):
        survey.workspaces(folders, None)
