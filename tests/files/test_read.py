"""Reading one memory file by its name."""

import pytest
from files.conftest import OPERATOR, agent
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors import CrewmemError
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.disk import UnsafePathError
from crewmem.errors.files import (
    LinesMissingError,
    MemoryFileAmbiguousError,
    MemoryFileMissingError,
)
from crewmem.errors.registry import OutOfScopeError
from crewmem.files.locate import at_path
from crewmem.files.read import named, parsed, read
from crewmem.scope import Scope


@pytest.fixture
def crew(memory, tmp_path):
    """A crew with one agent."""
    root = tmp_path / "crews" / "harbor"
    memory(
        {"peers/p.md": "p\n"}, AGENT="one\ntwo\nthree\n", at=root / "agents" / "mira"
    )
    memory({"users/u.md": "u\n"}, AGENT="of the crew\n", at=root / "shared")
    return root


def content(crew, name, sight=OPERATOR, limit=1000, cwd=None):
    places = at_path(crew, Scope.ALL)
    here = cwd or crew
    return read(places, parsed(name), sight, limit=limit, cwd=here, base=crew)[1]


@pytest.mark.parametrize(
    "name",
    [
        "agent:harbor/mira/AGENT.md",
        "agents/mira/.memory/AGENT.md",
        "agent:harbor/mira/AGENT.md:1-3",
    ],
)
def test_a_file_goes_by_its_ref_and_by_its_path(crew, name):
    """As a search prints it, and as a shell completes it."""
    assert content(crew, name) == b"one\ntwo\nthree\n"


def test_lines_may_follow_a_name():
    """``:2-3`` behind a name asks for lines; any other colon is part of it."""
    assert parsed("AGENT.md:2-3") == ("AGENT.md", 2, 3)
    assert parsed("AGENT.md:2") == ("AGENT.md", 2, 2)
    for name in ("agent:AGENT.md", "AGENT.md:", "AGENT.md:3-", f"x:{'9' * 5000}"):
        assert parsed(name) == (name, None, None)


def test_lines_are_printed_alone(crew):
    """The lines asked for, and no others; they end at line feeds only."""
    assert content(crew, "agent:harbor/mira/AGENT.md:2-3") == b"two\nthree\n"
    odd = crew / "agents" / "mira" / ".memory" / "odd.md"
    odd.write_bytes(b"one\rstill one\r\ntwo\x0b\n")
    assert content(crew, "agent:harbor/mira/odd.md:1") == b"one\rstill one\r\n"
    with pytest.raises(LinesMissingError, match="has 3 lines, and no line 4"):
        content(crew, "agent:harbor/mira/AGENT.md:4-9")
    assert content(crew, "agent:harbor/mira/AGENT.md:3-9") == b"three\n"


def test_a_name_of_two_files_is_ambiguous(crew):
    """And the error names both."""
    with pytest.raises(MemoryFileAmbiguousError) as error:
        content(crew, "AGENT.md")
    assert "crew:harbor/AGENT.md" in error.value.candidates


def test_a_path_from_where_one_is_has_no_namesakes(crew):
    """In a memory directory a file is called as a search prints it there."""
    own = crew / "agents" / "mira" / ".memory"
    for name in ("AGENT.md", "./AGENT.md", "../.memory/AGENT.md", "peers/../AGENT.md"):
        assert content(crew, name, cwd=own) == b"one\ntwo\nthree\n"
    assert content(crew, "AGENT.md", cwd=crew / "shared" / ".memory")[:2] == b"of"
    assert content(crew, "users/u.md", cwd=own) == b"u\n"  # there is none here
    with pytest.raises(UnsafePathError):
        content(crew, "../../bo/.memory/AGENT.md", cwd=own)
    (own / "AGENT.md").unlink()
    (own / "AGENT.md").symlink_to(crew / "nothing")
    for here in (own, crew):
        with pytest.raises(UnsafePathError):
            content(crew, "AGENT.md", cwd=here)


def test_a_file_that_is_gone_from_where_one_is_is_no_namesake(crew):
    """Its history is meant, though another file of that name is there."""
    own, places = crew / "agents" / "mira" / ".memory", at_path(crew, Scope.ALL)
    (own / "AGENT.md").unlink()
    place, file = named(
        places, "AGENT.md", OPERATOR, cwd=own, base=crew, is_known=lambda *_: True
    )
    assert place.ref(file) == "agent:harbor/mira/AGENT.md"


def test_persons_are_for_operators(crew):
    """``users/`` and ``peers/`` are refused to agents, and read by operators."""
    assert content(crew, "crew:harbor/users/u.md") == b"u\n"
    for name in ("crew:harbor/users/u.md", "agent:harbor/mira/peers/p.md"):
        with pytest.raises(OutOfScopeError):
            content(crew, name, agent("mira"))


def test_what_is_not_there_and_what_is_too_large(crew):
    """Each has its error."""
    with pytest.raises(MemoryFileMissingError):
        content(crew, "nothing.md")
    with pytest.raises(InputTooLargeError):
        content(crew, "agent:harbor/mira/AGENT.md", limit=3)


def test_a_link_is_not_followed(crew, tmp_path):
    """Neither as a file nor as a directory."""
    (tmp_path / "secret.md").write_text("secret")
    own = crew / "agents" / "mira" / ".memory"
    (own / "link.md").symlink_to(tmp_path / "secret.md")
    (own / "dir").symlink_to(tmp_path)
    for name in ("link.md", "dir/secret.md"):
        with pytest.raises(UnsafePathError):
            content(crew, f"agent:harbor/mira/{name}")


parts = st.sampled_from(
    ["..", ".", "", "/", "a", "AGENT.md", "\0", "peers", ":", "2-3"]
)


@given(st.lists(parts, max_size=6).map("/".join) | st.text(max_size=20))
def test_no_name_leads_out(tmp_path_factory, name):
    """Whatever is typed, only what is below the directory is read."""
    root = tmp_path_factory.mktemp("t")
    (root / "secret.md").write_text("secret")
    (root / ".memory").mkdir()
    (root / ".memory" / "AGENT.md").write_text("mine")
    places = at_path(root, None)
    try:
        _, got = read(
            places, parsed(name), OPERATOR, limit=99, cwd=root / ".memory", base=root
        )
    except CrewmemError:
        return
    assert b"secret" not in got


@pytest.mark.parametrize(
    "name",
    ["index.sqlite", ".quarantine/x.md", "topics/.hidden/x.md", ".x.md", "x.md.lock"],
)
def test_what_a_walk_does_not_list_is_no_memory_file(crew, name):
    """The index, quarantine and hidden files are not read, whoever asks."""
    path = crew / "shared" / ".memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("secret")
    for spelled in (f"crew:harbor/{name}", name, f"shared/.memory/{name}"):
        with pytest.raises(MemoryFileMissingError):
            content(crew, spelled)


def test_a_memory_files_ending_may_be_in_capitals(crew):
    """As a walk has it."""
    (crew / "shared" / ".memory" / "NOTES.MD").write_text("notes")
    assert content(crew, "crew:harbor/NOTES.MD") == b"notes"


@pytest.mark.parametrize("file", ["AGENT.md", "nothing.md", "index.sqlite"])
def test_another_agents_file_is_refused_whether_it_is_there_or_not(crew, file):
    """By its ref and by its path: nothing is told about what is there."""
    own = f"{crew}/agents/mira/.memory/{file}"
    for name in (f"agent:harbor/mira/{file}", f"agents/mira/.memory/{file}", own):
        with pytest.raises(OutOfScopeError, match="own files"):
            content(crew, name, agent("bo"))


def test_a_name_without_a_place_is_of_the_places_that_are_open(crew):
    """What others have of that name makes it neither ambiguous nor refused."""
    (crew / "shared" / ".memory" / "AGENT.md").write_text("shared")
    assert content(crew, "AGENT.md", agent("bo")) == b"shared"
    with pytest.raises(MemoryFileMissingError):
        content(crew, "nothing.md", agent("bo"))
    with pytest.raises(OutOfScopeError):
        content(crew, "AGENT.md", agent("bo", crews=()))


def test_persons_are_refused_whether_they_are_known_or_not(crew):
    """An agent does not learn whose files there are."""
    for name in ("crew:harbor/users/nobody.md", "users/nobody.md"):
        with pytest.raises(OutOfScopeError, match="for operators"):
            content(crew, name, agent("mira"))
