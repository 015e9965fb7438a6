"""Which memory directories a path stands for, and how references are read."""

import pytest

from crewmem.access import Scope
from crewmem.errors import NotFoundError, RefusedError, UsageError
from crewmem.files.directories import find_home_directories
from crewmem.files.references import parse_reference
from crewmem.files.tree import find_tree_directories


def make_crew(root):
    for where in ("shared", "agents/winch", "agents/crane"):
        directory = root / where / ".memory"
        directory.mkdir(parents=True)
        (directory / "AGENT.md").write_text("apples\n")
    return root


def found(path, scope=None):
    return [(str(d.scope), d.crew, d.agent, d.prefix) for d in find_tree_directories(path, scope)]


def test_memory_directory_and_its_parent_are_the_same(tmp_path):
    root = make_crew(tmp_path / "crews" / "harbor")

    assert found(root / "agents" / "winch") == [("agent", "harbor", "winch", "")]
    assert found(root / "agents" / "winch" / ".memory") == [("agent", "harbor", "winch", "")]
    assert found(root / "shared") == [("crew", "harbor", "", "")]


def test_crew_root_is_its_shared_directory_and_its_agents(tmp_path):
    root = make_crew(tmp_path / "crew")

    assert found(root, Scope.CREW) == [("crew", "", "", "")]
    assert found(root, Scope.ALL) == [
        ("crew", "", "", "shared/.memory/"),
        ("agent", "", "crane", "agents/crane/.memory/"),
        ("agent", "", "winch", "agents/winch/.memory/"),
    ]


def test_agent_with_scope_all_is_its_crew_too(tmp_path):
    root = make_crew(tmp_path / "crews" / "harbor")

    assert found(root / "agents" / "winch", Scope.ALL) == [
        ("agent", "harbor", "winch", "agents/winch/.memory/"),
        ("crew", "harbor", "", "shared/.memory/"),
    ]


def test_any_directory_of_markdown_is_searched_whole(tmp_path, make_tree):
    for name in ("CLAUDE.md", "docs/a.md", "node_modules/x/README.md", ".git/b.md", ".hidden/c.md"):
        path = tmp_path / "repo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("apples\n")
    memory = make_tree(tmp_path / "repo")

    assert [(each.file, each.tier) for each in memory.list_files()] == [
        ("CLAUDE.md", "other"),
        ("docs/a.md", "other"),
    ]
    assert memory.read("docs/a.md").text == "apples\n"


def test_path_without_markdown_lists_what_was_tried(tmp_path):
    with pytest.raises(NotFoundError) as error:
        find_tree_directories(tmp_path)

    assert str(tmp_path / ".memory") in error.value.details["tried"]


def test_home_named_by_path_has_its_references(home):
    home.put("crew:harbor/CREW.md", "x")

    prefixes = [each.prefix for each in find_tree_directories(home.home)]
    assert prefixes == [
        "workspace:",
        "crew:harbor/",
        "agent:harbor/crane/",
        "agent:harbor/winch/",
        "crew:yard/",
        "agent:yard/rivet/",
    ]


def test_links_to_directories_of_a_home_are_not_followed(home, tmp_path):
    (tmp_path / "elsewhere" / ".memory").mkdir(parents=True)
    (home.root / "crews" / "harbor" / "agents" / "evil").symlink_to(tmp_path / "elsewhere")

    assert "evil" not in [each.agent for each in find_home_directories(home.root)]


def test_tree_index_is_in_the_cache_and_the_tree_stays_as_it_is(tmp_path, make_tree):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("apples\n")
    cache = tmp_path / "cache"

    memory = make_tree(tmp_path / "vault", cache=cache)
    assert len(memory.index.source.match("apples", 5)) == 1
    memory.index.close()

    assert [path.name for path in (tmp_path / "vault").iterdir()] == ["a.md"]
    (index,) = (cache / "trees").glob("*.sqlite")
    again = make_tree(tmp_path / "vault", cache=cache)
    report = again.index.refresh()
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    again.index.close()
    assert index.stat().st_mode & 0o777 == 0o600


def test_search_works_when_the_cache_cannot_be_written(tmp_path, make_tree):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("apples\n")
    (tmp_path / "cache").write_text("a file where the directory should be")

    memory = make_tree(tmp_path / "vault", cache=tmp_path / "cache")

    assert len(memory.index.source.match("apples", 5)) == 1


def test_agent_reads_its_own_files_of_a_crew_root_only(tmp_path, make_tree):
    root = make_crew(tmp_path / "crew")
    memory = make_tree(root, actor="agent:winch", scope=Scope.ALL)

    assert {each.file for each in memory.list_files()} == {
        "shared/.memory/AGENT.md",
        "agents/winch/.memory/AGENT.md",
    }
    with pytest.raises(RefusedError):
        memory.read("agents/crane/.memory/AGENT.md")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("crew:harbor/topics/a.md:12-23", (Scope.CREW, "harbor", "", "topics/a.md", 12, 23, False)),
        (
            "agent:harbor/winch/AGENT.md:3",
            (Scope.AGENT, "harbor", "winch", "AGENT.md", 3, 3, False),
        ),
        ("workspace:NOTES.md", (Scope.WORKSPACE, "", "", "NOTES.md", 0, 0, False)),
        ("topics/a.md", (None, "", "", "topics/a.md", 0, 0, False)),
        ("[[Deploys#Keys|the keys]]", (None, "", "", "Deploys", 0, 0, True)),
    ],
)
def test_references_are_parsed(text, expected):
    assert tuple(parse_reference(text)) == expected


@pytest.mark.parametrize("text", ["crew:harbor", "agent:harbor/AGENT.md", "a.md:0", "a.md:5-3"])
def test_bad_references_are_usage_errors(text):
    with pytest.raises(UsageError):
        parse_reference(text)
