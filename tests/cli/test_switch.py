"""An agent whose memory is off, also where no home knows of it."""

import json
import shutil

import pytest
from homes import HARBOR, copied

MIRA = "workspaces/default/crews/harbor/agents/mira/.memory"

OFF = """\
[MEMORY INSTRUCTIONS]
Written by crewmem, not by an earlier session.
- Your memory is ~/.memory: AGENT.md, daily/, pins.md.
- It cannot be written now: memory is switched off for this agent.
[END MEMORY INSTRUCTIONS]
"""
"""All that a prompt says then."""


@pytest.fixture(autouse=True)
def _harbor(home):
    """Make a home with a crew of a lead and an agent."""
    copied(home, *HARBOR)


@pytest.fixture
def off(crewmem, home, tmp_path):
    """Switch mira's memory off; return her crew's directory, as a container has it."""
    text = "- the lantern hangs at the quay"
    crewmem("memory", "write", "--agent", "mira", "--tier", "agent", text)
    assert crewmem("agent", "set", "mira", "--memory", "off").status == 0
    tree = tmp_path / "crew"
    shutil.copytree(home / "workspaces/default/crews/harbor", tree)
    return tree


def away(tmp_path):
    return {"CREWMEM_HOME": str(tmp_path / "nowhere")}


WRITES = [
    ("memory", "write", "--tier", "agent", "more"),
    ("memory", "write", "--tier", "pins", "--mode", "replace", "more", "--dry-run"),
    ("memory", "append-daily", "more"),
]


@pytest.mark.parametrize("actor", ["agent:mira", "operator:ada"])
@pytest.mark.parametrize("words", WRITES, ids=lambda words: words[1])
def test_without_a_home_its_directory_says_so(crewmem, off, tmp_path, words, actor):
    """What is written there is refused, wherever the directory is named."""
    own = off / "agents/mira"
    before = (own / ".memory/AGENT.md").read_bytes()
    for path in (own, own / ".memory"):
        ran = crewmem(*words, "-p", path, "--as", actor, environ=away(tmp_path))
        assert (ran.status, "switched off" in ran.stderr) == (8, True)
    assert (own / ".memory/AGENT.md").read_bytes() == before
    assert not (own / ".memory/pins.md").exists()


def test_it_writes_nothing_of_its_crew(crewmem, off, tmp_path):
    """Neither does who leads write the crew's files while its memory is off."""
    words = ("memory", "write", "--tier", "crew", "more", "-p", off)
    ran = crewmem(*words, "--as", "lead:mira", environ=away(tmp_path))
    assert ran.status == 8
    ran = crewmem(*words, "--as", "lead:otto", environ=away(tmp_path))
    assert ran.status == 0


@pytest.mark.parametrize("actor", ["agent:mira", "operator:ada"])
def test_nothing_of_it_goes_before_a_model(crewmem, off, tmp_path, actor):
    """Prompt, recall, prime and the hook lay nothing of it before it, and say so."""
    own = off / "agents/mira/.memory"
    for words, laid in (
        (("memory", "prompt"), OFF),
        (("recall", "lantern", "--no-gate"), ""),
        (("prime",), ""),
    ):
        ran = crewmem(*words, "-p", own, "--as", actor, environ=away(tmp_path))
        assert (ran.status, ran.stdout) == (0, laid)
        assert "mira" in ran.stderr
        assert " off" in ran.stderr
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "lantern"})
    words = ("recall", "--hook", "claude", "-p", own, "--as", actor)
    ran = crewmem(*words, stdin=event, environ=away(tmp_path))
    assert "quay" not in ran.stdout


def test_a_directory_whose_agent_nobody_knows_says_it(crewmem, off, tmp_path):
    """As ~/.memory of a container: the file in it names the agent."""
    own = tmp_path / "somebody/.memory"
    shutil.copytree(off / "agents/mira/.memory", own)
    ran = crewmem("memory", "prompt", "-p", own, environ=away(tmp_path))
    assert (ran.stdout, "mira" in ran.stderr) == (OFF, True)
    ran = crewmem("recall", "lantern", "--no-gate", "-p", own, environ=away(tmp_path))
    assert ran.stdout == ""
    words = ("memory", "write", "--tier", "agent", "more", "-p", own)
    ran = crewmem(*words, environ=away(tmp_path))
    assert (ran.status, "agent set mira" in ran.stderr) == (8, True)


def test_others_are_recalled_all_the_same(crewmem, off, tmp_path):
    """Of a whole tree only what is the agent's own is left out."""
    (off / "shared/.memory/CREW.md").write_text("- the lantern hangs at the pier\n")
    words = ("recall", "lantern", "--no-gate", "-p", off)
    said = crewmem(*words, environ=away(tmp_path)).stdout
    assert ("pier" in said, "quay" in said) == (True, False)


def test_switched_on_again_nothing_says_otherwise(crewmem, off, home):
    """The file goes; the home never looks at it."""
    assert (home / MIRA / ".off").exists()
    (home / MIRA / ".off").unlink()
    assert crewmem("memory", "prompt", "--agent", "mira").stdout == OFF
    (off / "agents/mira/.memory/.off").replace(home / MIRA / ".off")
    crewmem("agent", "set", "mira", "--memory", "on")
    assert not (home / MIRA / ".off").exists()
    assert "quay" in crewmem("memory", "prompt", "--agent", "mira").stdout
    assert crewmem("agent", "set", "mira", "--memory", "on").status == 0


def test_a_tree_that_comes_back_is_off_as_it_was(crewmem, off, home):
    """Adding the agent of a restored tree switches nothing on."""
    assert off.is_dir()
    crewmem("agent", "remove", "mira", "--yes")
    ran = crewmem("agent", "add", "mira", "--crew", "harbor")
    assert (ran.status, "was off" in ran.stderr) == (0, True)
    assert crewmem("memory", "prompt", "--agent", "mira").stdout == OFF
    shutil.rmtree(home / MIRA)
    assert crewmem("agent", "set", "mira", "--memory", "on").status == 0


def test_a_bundle_brings_it_along(crewmem, off, tmp_path):
    """Where an export is imported the memory is off, and the directory says so."""
    assert off.is_dir()
    crewmem("export", "--out", tmp_path / "bundle")
    other = tmp_path / "other"
    crewmem("--home", other, "import", "--from", tmp_path / "bundle", "--apply")
    assert (other / MIRA / ".off").exists()
    ran = crewmem("--home", other, "memory", "prompt", "--agent", "mira")
    assert ran.stdout == OFF


def test_what_is_there_of_it_is_known_when_a_bundle_comes_again(crewmem, off, tmp_path):
    """Only what is new to it is left out, and that is said."""
    assert off.is_dir()
    assert crewmem("agent", "set", "mira", "--memory", "on").status == 0
    words = ("--as", "agent:mira", "remember", "The lantern is lit at")
    assert crewmem(*words, "dusk").status == 0
    assert crewmem("export", "--out", tmp_path / "bundle").status == 0
    assert crewmem(*words, "dawn").status == 0
    assert crewmem("export", "--out", tmp_path / "more").status == 0
    other = ("--home", tmp_path / "other", "import", "--apply", "--json", "--from")
    assert crewmem(*other, tmp_path / "bundle").status == 0
    named = ("--home", tmp_path / "other", "agent", "set", "mira", "--memory", "off")
    assert crewmem(*named).status == 0
    again = crewmem(*other, tmp_path / "bundle")
    taken = again.json["data"]["memories"]
    assert (taken["total"], taken["known"], taken["left_out"]) == (1, 1, 0)
    assert "memory 1" not in again.stderr
    taken = crewmem(*other, tmp_path / "more").json["data"]["memories"]
    assert (taken["total"], taken["known"], taken["left_out"]) == (2, 1, 1)
