"""The registry: what is added, changed and removed, and what always holds."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)
from truths import truth

from crewmem.db.connect import fetch
from crewmem.errors import ConflictError, NotFoundError
from crewmem.errors.registry import (
    AgentMissingError,
    CrewMissingError,
    ExistsError,
    LeadTakenError,
    StillNeededError,
    WorkspaceMissingError,
)
from crewmem.errors.values import BadNameError
from crewmem.registry.add import add_agent, add_crew, add_workspace
from crewmem.registry.change import change_agent, change_crew, change_workspace
from crewmem.registry.member import new_agent, new_crew, new_workspace
from crewmem.registry.remove import remove_agent, remove_crew, remove_workspace
from crewmem.registry.store import Registry

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 5, 2, tzinfo=UTC)

ODD = ["", "A", "-a", "a b", "a/b", "..", "ä", "a" * 65, "\udcff", "a\n", "a.b"]


@pytest.fixture(name="harbor")
def _harbor(registry, home):
    """A crew with a lead and an agent."""
    add_crew(registry, home, new_crew("default", "harbor", lead="pilot", now=NOW))
    for slug in ("pilot", "winch"):
        new = new_agent("default", slug, crew="harbor", now=NOW)
        add_agent(registry, home, new)
    return registry


@pytest.mark.parametrize("name", ODD)
def test_names_are_slugs(name):
    """What cannot name a directory everywhere names nobody."""
    for make in (
        lambda: new_workspace(name, now=NOW),
        lambda: new_crew("default", name, now=NOW),
        lambda: new_crew("default", "a", lead=name, now=NOW),
        lambda: new_agent("default", name, crew="a", now=NOW),
    ):
        with pytest.raises(BadNameError, match="cannot name"):
            make()


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_not_there(harbor, name):
    """Whatever is asked for, the answer is that it is missing."""
    with pytest.raises(WorkspaceMissingError):
        harbor.workspace(name)
    with pytest.raises(CrewMissingError):
        harbor.crew("default", name)
    with pytest.raises(AgentMissingError):
        harbor.agent("default", name)
    assert not harbor.has_workspace(name)
    assert not harbor.has_crew("default", name)
    assert not harbor.has_agent("default", name)


def test_what_was_added_comes_back(registry, home):
    """A record that was stored is the record that is read."""
    workspace = new_workspace("lab", description="Tests.", now=NOW)
    assert add_workspace(registry, home, workspace).member == workspace
    crew = new_crew("lab", "bench", lead="ada", description="Rows.", now=NOW)
    assert add_crew(registry, home, crew).member == crew
    agent = new_agent("lab", "bob", crew="bench", description="Tests it.", now=LATER)
    assert add_agent(registry, home, agent).member == agent
    assert registry.workspaces()[0].crews == ("bench",)
    assert registry.crews("lab")[0].agents == ("bob",)
    assert registry.agents("lab") == [agent]


def test_adding_makes_the_directories(harbor, home):
    """A crew has CREW.md and topics, an agent AGENT.md and daily, all private."""
    found = {
        path.relative_to(home).as_posix(): path.stat().st_mode & 0o777
        for path in home.rglob("*")
        if path.is_file() or not any(path.iterdir())
    }
    crew = "workspaces/default/crews/harbor"
    assert found == {
        "workspaces/default/.memory": 0o700,
        f"{crew}/shared/.memory/CREW.md": 0o600,
        f"{crew}/shared/.memory/topics": 0o700,
        f"{crew}/agents/pilot/.memory/AGENT.md": 0o600,
        f"{crew}/agents/pilot/.memory/daily": 0o700,
        f"{crew}/agents/winch/.memory/AGENT.md": 0o600,
        f"{crew}/agents/winch/.memory/daily": 0o700,
    }
    assert harbor.has_workspace("default")
    text = (home / crew / "agents/winch/.memory/AGENT.md").read_text()
    heads = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert heads == ["Identity", "Learned Facts", "Preferences", "Project Context"]


def test_files_that_are_there_are_left_alone(registry, home):
    """A tree that was restored from a backup is registered as it is."""
    folder = home / "workspaces/default/crews/harbor/shared/.memory"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "CREW.md").write_text("Restored.")
    added = add_crew(registry, home, new_crew("default", "harbor", now=NOW))
    assert added.made == ()
    assert (folder / "CREW.md").read_text() == "Restored."
    assert folder.stat().st_mode & 0o777 == 0o755
    assert (folder / "topics").is_dir()


def test_what_is_registered_is_not_added_again(harbor, home):
    """It exists already, also in another crew of the workspace."""
    add_crew(harbor, home, new_crew("default", "ops", now=NOW))
    for add, new in (
        (add_workspace, new_workspace("default", now=LATER)),
        (add_crew, new_crew("default", "harbor", now=LATER)),
        (add_agent, new_agent("default", "winch", crew="harbor", now=LATER)),
        (add_agent, new_agent("default", "winch", crew="ops", now=LATER)),
    ):
        with pytest.raises(ExistsError, match="is there already"):
            add(harbor, home, new)
    assert not (home / "workspaces/default/crews/ops/agents/winch").exists()


def test_workspaces_share_nothing(harbor, home):
    """The same names in another workspace are others."""
    add_crew(harbor, home, new_crew("lab", "harbor", now=NOW))
    add_agent(harbor, home, new_agent("lab", "winch", crew="harbor", now=NOW))
    change_agent(harbor, "lab", "winch", memory=False)
    remove_agent(harbor, "default", "pilot")
    assert harbor.agent("default", "winch").memory
    assert harbor.crew("lab", "harbor").agents == ("winch",)
    assert [each.slug for each in harbor.agents("default")] == ["winch"]


def test_a_refused_agent_leaves_no_files(harbor, home):
    """What is not added makes nothing."""
    before = sorted(home.rglob("*"))
    with pytest.raises(CrewMissingError):
        add_agent(harbor, home, new_agent("default", "new", crew="nope", now=NOW))
    with pytest.raises(LeadTakenError, match="led by 'pilot' already") as caught:
        new = new_agent("default", "new", crew="harbor", role="lead", now=NOW)
        add_agent(harbor, home, new)
    assert caught.value.hint.endswith("crewmem crew set harbor --lead new")
    assert sorted(home.rglob("*")) == before


def test_a_crew_has_the_lead_that_it_names(harbor):
    """Who is named first and added later is the lead; it can be changed."""
    assert harbor.agent("default", "pilot").role == "lead"
    change_crew(harbor, "default", "harbor", lead="winch")
    assert harbor.agent("default", "pilot").role == "agent"
    assert harbor.agent("default", "winch").role == "lead"
    assert change_crew(harbor, "default", "harbor", lead="").lead is None
    with pytest.raises(AgentMissingError):
        change_crew(harbor, "default", "harbor", lead="nobody")


def test_a_lead_belongs_to_its_crew(harbor, home):
    """Whether it was there before the crew or came after it."""
    add_crew(harbor, home, new_crew("default", "ops", lead="winch", now=NOW))
    add_crew(harbor, home, new_crew("default", "lab", lead="late", now=NOW))
    add_agent(harbor, home, new_agent("default", "late", crew="harbor", now=NOW))
    assert harbor.agent("default", "winch").crews == ("harbor", "ops")
    assert harbor.agent("default", "late").crews == ("harbor", "lab")
    assert harbor.agent("default", "late").role == "agent"
    assert harbor.crew("default", "ops").members == ("winch",)


def test_members_join_and_leave(harbor, home):
    """A member belongs to a crew beside its home; joining twice is joining."""
    add_crew(harbor, home, new_crew("default", "ops", now=NOW))
    for _ in range(2):
        crew = change_crew(harbor, "default", "ops", join=["winch", "pilot"])
        assert crew.members == ("pilot", "winch")
    assert change_crew(harbor, "default", "harbor", join=["winch"]).members == ()
    for _ in range(2):
        crew = change_crew(harbor, "default", "ops", leave=["pilot"])
        assert crew.members == ("winch",)


@pytest.mark.parametrize(
    ("crew", "change", "why"),
    [
        ("harbor", {"leave": ["winch"]}, "is its home"),
        ("ops", {"leave": ["winch"]}, "it leads crew"),
        ("ops", {"lead": "pilot", "leave": ["pilot"]}, "it leads crew"),
    ],
)
def test_who_is_needed_does_not_leave(harbor, home, crew, change, why):
    """Of a change that is refused nothing is done."""
    add_crew(harbor, home, new_crew("default", "ops", lead="winch", now=NOW))
    before = harbor.crews("default")
    with pytest.raises(StillNeededError, match=why):
        change_crew(harbor, "default", crew, **change, description="new")
    assert harbor.crews("default") == before


def test_what_is_not_named_stays(harbor):
    """A change of one thing is a change of one thing."""
    change_agent(harbor, "default", "winch", settings={"recall_max_results": 7})
    change_agent(harbor, "default", "winch", memory=False)
    agent = change_agent(harbor, "default", "winch", description="Ropes.")
    assert (agent.memory, agent.description) == (False, "Ropes.")
    assert agent.settings["recall_max_results"] == 7
    assert agent.settings["auto_recall"] is True
    crew = change_crew(harbor, "default", "harbor", settings={"crew_write": "lead"})
    assert (crew.lead, crew.settings["crew_write"]) == ("pilot", "lead")
    workspace = change_workspace(harbor, "default", description="All.")
    assert (workspace.description, workspace.crews) == ("All.", ("harbor",))
    assert change_workspace(harbor, "default") == workspace


def test_only_differences_are_stored(harbor):
    """A setting that is taken back to its default is forgotten."""
    change_agent(harbor, "default", "winch", settings={"recall_max_results": 7})
    change_agent(harbor, "default", "winch", settings={"auto_recall": False})
    change_agent(harbor, "default", "winch", settings={"recall_max_results": 5})
    [(text,)] = fetch(harbor._db, "select settings from agents where slug = 'winch'")
    assert json.loads(text) == {"auto_recall": False}


def test_what_has_others_in_it_is_not_removed(harbor):
    """It is said what has to go first."""
    with pytest.raises(StillNeededError, match="it has 1 crew \\(harbor\\)") as caught:
        remove_workspace(harbor, "default")
    assert caught.value.hint == "First: crewmem -w default crew remove harbor"
    with pytest.raises(StillNeededError, match="2 agents \\(pilot, winch\\)") as caught:
        remove_crew(harbor, "default", "harbor")
    assert caught.value.hint == "First: crewmem agent remove pilot"


def test_a_refusal_does_not_list_hundreds(registry, home):
    """Of many crews a few are named."""
    for number in range(7):
        add_crew(registry, home, new_crew("default", f"c{number}", now=NOW))
    with pytest.raises(StillNeededError, match=r"7 crews \(c0, c1, c2, c3, c4, …\)"):
        remove_workspace(registry, "default")


def test_what_is_removed_leaves_its_files(harbor, home):
    """From the inside out everything can be removed, and added again."""
    files = sorted(home.rglob("*"))
    assert remove_agent(harbor, "default", "pilot").registered is False
    assert harbor.crew("default", "harbor").lead is None
    remove_agent(harbor, "default", "winch")
    assert remove_crew(harbor, "default", "harbor").registered is False
    assert remove_workspace(harbor, "default").registered is False
    assert harbor.workspaces() == []
    assert sorted(home.rglob("*")) == files
    add_crew(harbor, home, new_crew("default", "harbor", now=LATER))
    added = add_agent(
        harbor, home, new_agent("default", "pilot", crew="harbor", now=NOW)
    )
    assert added.made == ()


def test_memberships_go_with_their_crew(harbor, home):
    """Who belonged to a crew that is removed does so no longer."""
    add_crew(harbor, home, new_crew("default", "ops", lead="winch", now=NOW))
    remove_crew(harbor, "default", "ops")
    assert harbor.agent("default", "winch").crews == ("harbor",)


@pytest.mark.parametrize(
    "act",
    [
        lambda registry: change_workspace(registry, "nope", description="x"),
        lambda registry: change_crew(registry, "default", "nope", lead="x"),
        lambda registry: change_crew(registry, "nope", "harbor", lead="x"),
        lambda registry: change_crew(registry, "default", "harbor", join=["nope"]),
        lambda registry: change_crew(registry, "default", "harbor", leave=["nope"]),
        lambda registry: change_agent(registry, "default", "nope", memory=False),
        lambda registry: remove_workspace(registry, "nope"),
        lambda registry: remove_crew(registry, "default", "nope"),
        lambda registry: remove_agent(registry, "default", "nope"),
    ],
)
def test_what_is_not_there_is_not_changed(harbor, act):
    """Who or what is not registered is missing, and nothing else changes either."""
    before = harbor.crews("default"), harbor.agents("default")
    with pytest.raises(NotFoundError):
        act(harbor)
    assert (harbor.crews("default"), harbor.agents("default")) == before


NAMES = st.sampled_from(["a", "b"])  # few, so that they meet


@pytest.fixture(scope="module", autouse=True)
def _one_home(tmp_path_factory):
    """Let all lives of `Life` be in one home: its files are left alone anyway."""
    Life.home = tmp_path_factory.mktemp("home")


class Life(RuleBasedStateMachine):
    """Whatever is done to a registry, and in whatever order."""

    def __init__(self):
        super().__init__()
        self.db = truth()
        self.registry = Registry(self.db)

    def attempt(self, act, *args, **named):
        """Do what may be refused; what is refused has changed nothing."""
        before = self.all()
        try:
            act(self.registry, *args, **named)
        except (ConflictError, AgentMissingError, CrewMissingError):
            assert self.all() == before

    def all(self):
        return self.registry.crews("w"), self.registry.agents("w")

    @initialize(lead=st.none() | NAMES, home=NAMES)
    def begin(self, lead, home):
        self.add_crew("a", None)
        self.add_crew("b", lead)
        self.add_agent("a", home, "agent")

    @rule(name=NAMES, lead=st.none() | NAMES)
    def add_crew(self, name, lead):
        self.attempt(add_crew, self.home, new_crew("w", name, lead=lead, now=NOW))

    @rule(slug=NAMES, crew=NAMES, role=st.sampled_from(["agent", "lead"]))
    def add_agent(self, slug, crew, role):
        new = new_agent("w", slug, crew=crew, role=role, now=NOW)
        self.attempt(add_agent, self.home, new)

    @rule(
        crew=NAMES,
        lead=st.none() | st.just("") | NAMES,
        join=st.sets(NAMES, max_size=1),
        leave=st.sets(NAMES, max_size=1),
    )
    def change(self, crew, lead, join, leave):
        self.attempt(change_crew, "w", crew, lead=lead, join=[*join], leave=[*leave])

    @rule(remove=st.sampled_from([remove_crew, remove_agent]), name=NAMES)
    def remove(self, remove, name):
        self.attempt(remove, "w", name)

    @invariant()
    def it_holds_together(self):
        """Crews and agents say the same of each other, and a lead belongs."""
        crews = {each.name: each for each in self.registry.crews("w")}
        for agent in self.registry.agents("w"):
            assert agent.slug in crews[agent.crew].agents
            assert all(agent.slug in crews[each].members for each in agent.crews[1:])
            assert agent.crew == agent.crews[0] not in agent.crews[1:]
            leads = crews[agent.crew].lead == agent.slug
            assert agent.role == ("lead" if leads else "agent")
            for crew in self.registry.led_by("w", agent.slug):
                assert crew in agent.crews
        agents = {each.slug: each for each in self.registry.agents("w")}
        for name, crew in crews.items():
            assert all(agents[slug].crew == name for slug in crew.agents)
            assert all(name in agents[slug].crews[1:] for slug in crew.members)

    def teardown(self):
        self.db.close()


Life.TestCase.settings = settings(
    max_examples=80, stateful_step_count=12, deadline=None
)
TestLife = Life.TestCase
