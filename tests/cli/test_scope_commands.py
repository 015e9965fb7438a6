"""Whose memory a command reads: what narrows it, and what it never reaches."""

import pytest
from homes import HARBOR, MIRA, copied, stamps

DOCK = (*HARBOR, "-w beta crew add dock", "-w beta agent add rook --crew dock")
"""A second workspace, whose files are nobody's business in the first."""


@pytest.fixture
def beta(home, memory):
    """A home whose second workspace has a crew that knows a key."""
    copied(home, *DOCK)
    memory(AGENT="The vault key of mira.\n", at=(home / MIRA).parent)
    shared = home / "workspaces" / "beta" / "crews" / "dock" / "shared"
    memory(CREW="The vault key of beta.\n", at=shared)
    return home


@pytest.mark.parametrize("option", ["--crew", "--agent"])
@pytest.mark.parametrize("name", ["../../beta/crews/dock", "/", "..", "", "No_Slug"])
@pytest.mark.usefixtures("beta")
def test_names_that_are_none_are_a_usage_error(crewmem, option, name):
    """A path is no name, of a crew or of an agent."""
    for verb in ("search", "read"):
        ran = crewmem("memory", verb, "x.md", option, name)
        assert (ran.status, ran.stdout) == (2, "")
        assert "is no name" in ran.stderr


def test_a_linked_crew_is_neither_searched_nor_written(crewmem, beta):
    """It is said, and what it leads to stays as it is."""
    crews = beta / "workspaces" / "default" / "crews"
    dock = beta / "workspaces" / "beta" / "crews" / "dock"
    (crews / "h2").symlink_to("../../beta/crews/dock")
    before = stamps(dock)
    ran = crewmem("memory", "search", "vault", "key", "--json")
    assert [hit["owner"] for hit in ran.json["data"]["hits"]] == ["harbor/mira"]
    assert ran.json["warnings"] == [f"'{crews / 'h2'}' is refused: it is a link"]
    assert crewmem("memory", "search", "key", "--crew", "h2").status == 8
    assert stamps(dock) == before


def test_what_is_no_memory_file_is_not_read(crewmem, beta):
    """The index holds what others may not see."""
    crewmem("memory", "search", "vault")
    assert (beta / MIRA / "index.sqlite").exists()
    name = "agent:harbor/mira/index.sqlite"
    ran = crewmem("memory", "read", name, "--raw", "--as", "agent:mira")
    assert (ran.status, ran.stdout) == (4, "")


@pytest.mark.parametrize("file", ["AGENT.md", "nothing.md"])
def test_a_file_outside_ones_scope_is_refused(crewmem, beta, file):
    """By its ref, its path and its agent; and whether it is there is not told."""
    for words in (
        [f"agent:harbor/mira/{file}"],
        [beta / MIRA / file],
        [file, "--agent", "mira"],
        [f"agent:harbor/mira/{file}", "--agent", "mira"],
        [file, "--path", beta / MIRA],
    ):
        ran = crewmem("memory", "read", *words, "--as", "agent:pilot", "--json")
        assert (ran.status, ran.error["code"]) == (8, "out_of_scope"), words
    ran = crewmem("memory", "read", "agent:harbor/mira/AGENT.md", "--as", "agent:mira")
    assert ran.stdout == "The vault key of mira.\n"


def test_somebody_who_is_not_there_is_missing(crewmem, beta):
    """In a home and at a path; silence would say that there is nothing to find."""
    crew = beta / "workspaces" / "default" / "crews" / "harbor"
    for words, code in (
        (["--agent", "nope"], "agent_missing"),
        (["--crew", "nope"], "crew_missing"),
        (["--crew", "harbor", "--agent", "rook"], "agent_missing"),
        (["-p", crew, "--agent", "nope"], "memory_dir_missing"),
        (["-p", crew, "--crew", "nope"], "memory_dir_missing"),
    ):
        for verb in ("search", "read"):
            ran = crewmem("memory", verb, "x.md", *words, "--json")
            assert (ran.status, ran.error["code"]) == (4, code), words


@pytest.mark.usefixtures("beta")
def test_a_scope_that_what_was_named_is_not_in_is_a_usage_error(crewmem):
    """An agent has nothing in what a crew shares."""
    assert crewmem("memory", "search", "x", "--agent", "mira", "-S", "crew").status == 2
    search = ("memory", "search", "x", "--crew", "harbor", "-S")
    assert crewmem(*search, "workspace").status == 2
    assert crewmem(*search, "crew").status == 0


def test_anothers_files_are_refused_however_many_there_are(crewmem, beta, memory):
    """Two agents of one slug are as closed as one."""
    crews = beta / "workspaces" / "default" / "crews"
    memory(AGENT="key", at=crews / "yard" / "agents" / "mira")
    ran = crewmem("memory", "search", "x", "--agent", "mira", "--as", "agent:pilot")
    assert ran.status == 8


@pytest.mark.parametrize(
    ("lines", "status"), [("7-3", 2), ("0", 2), ("0-1", 2), ("900-901", 4), ("1", 0)]
)
@pytest.mark.usefixtures("beta")
def test_lines_that_are_none(crewmem, lines, status):
    """A range that is none is a mistake, and lines past the end are not there."""
    ran = crewmem("memory", "read", f"agent:harbor/mira/AGENT.md:{lines}")
    assert ran.status == status
    assert bool(ran.stdout) == (status == 0)
    if status == 4:
        assert "has 1 line, and no line 900" in ran.stderr


def test_a_crew_that_may_not_be_read_is_a_warning_to_whom_it_is_open(
    crewmem, reachable, nobody, memory
):
    """Where others can be read; where none can, it is the answer."""
    crews = reachable / "workspaces" / "default" / "crews"
    memory(CREW="key", at=crews / "dock" / "shared")
    memory(AGENT="key", at=crews / "harbor" / "agents" / "mira")
    list_ = ("--home", reachable, "memory", "list", "--json")
    crewmem(*list_)
    (crews / "dock").chmod(0)
    with nobody():
        ran, narrow = crewmem(*list_), crewmem(*list_, "--crew", "dock")
    assert [each["file"] for each in ran.json["data"]] == ["AGENT.md"]
    assert any(
        "cannot be read: permission denied" in each for each in ran.json["warnings"]
    )
    assert (narrow.status, narrow.error["code"]) == (8, "not_readable")
    (crews / "dock").chmod(0o755)


def test_nothing_found_says_where(crewmem, memory):
    """One directory, or as many as there are."""
    directory = memory(AGENT="x")
    ran = crewmem("memory", "search", "unheard", "-p", directory)
    assert ran.stderr == "Nothing found in 1 memory directory.\n"


def test_an_agents_name_stands_for_no_other(crewmem, memory, home):
    """Without a registry directories tell whose crew it is; a pattern is none."""
    crew = home / "workspaces" / "default" / "crews" / "harbor"
    memory(CREW="The vault key.\n", at=crew / "shared")
    memory(AGENT="A page.\n", at=crew / "agents" / "mira")
    searched = ("memory", "search", "vault")
    assert crewmem(*searched, "--as", "agent:mira").stdout != ""
    for name in ("*", "m*", "[m]ira", "mira*", "???a"):
        assert crewmem(*searched, "--as", f"agent:{name}").stdout == "", name
    for name in ("..", "mira/..", "../shared"):
        assert crewmem(*searched, "--as", f"lead:{name}").status == 2, name
        assert crewmem(*searched, environ={"CREWMEM_AGENT": name}).status == 3, name


def test_without_a_registry_one_leads_ones_own_crew(crewmem, memory, home):
    """Who acts as a lead is taken at its word, where it is at home."""
    crews = home / "workspaces" / "default" / "crews"
    memory(AGENT="A page.\n", at=crews / "harbor" / "agents" / "mira")
    dock = memory(CREW="Dock.\n", at=crews / "dock" / "shared")
    memory(CREW="Harbor.\n", at=crews / "harbor" / "shared")
    words = ("memory", "write", "--tier", "crew", "--mode", "append", "more", "--crew")
    assert crewmem(*words, "dock", "--as", "lead:mira").status == 8
    assert (dock / "CREW.md").read_text() == "Dock.\n"
    assert crewmem(*words, "harbor", "--as", "lead:mira").status == 0


def test_who_is_not_registered_is_told_how(crewmem, memory, home):
    """Once there is a registry it tells who is here; a directory alone is no agent."""
    crew = home / "workspaces" / "default" / "crews" / "harbor"
    memory(AGENT="The vault key.\n", at=crew / "agents" / "mira")
    searched = ("memory", "search", "vault", "--as")
    assert "vault" in crewmem(*searched, "agent:mira").stdout
    crewmem("init")
    ran = crewmem(*searched, "agent:mira")
    assert (ran.status, ran.stdout) == (4, "")
    assert "not registered: crewmem agent add mira --crew harbor" in ran.stderr
    assert "agent add" not in crewmem(*searched, "agent:bo").stderr
