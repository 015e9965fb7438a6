"""After a repair of versions: what can be shown is what was written."""

import os

import pytest
from health.faults import FAULTS, KEPT, LONG_AGO
from homes import MIRA

REF = "agent:harbor/mira/AGENT.md"

NAMED = {fault.plant.__name__: fault for fault in FAULTS}

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"  # noqa: S105 - it opens nothing


def repaired(crewmem, home, name):
    """Plant the fault *name*, and let doctor repair it."""
    fault = NAMED[name]
    fault.plant(home)
    ran = crewmem("doctor", "--fix", "--only", fault.check, environ=fault.environ)
    assert ran.status == 0, ran.stdout


def doctor(crewmem, check):
    (finding,) = crewmem("doctor", "--only", check, "--json").json["data"]
    return finding


@pytest.mark.parametrize(
    "name",
    ["content_of_a_version_that_is_damaged", "content_of_a_version_that_is_gone"],
)
def test_what_the_file_still_holds_is_kept_again(crewmem, harbor, name):
    """Then its version can be shown as before."""
    content = (harbor / MIRA / "AGENT.md").read_text()
    repaired(crewmem, harbor, name)
    sha = KEPT.rpartition("/")[2]
    assert crewmem("memory", "show", REF, sha[:8]).stdout == content


def test_what_is_kept_without_secrets_is_made_again_without_them(crewmem, harbor):
    """Of a file that holds some, what is kept is another text."""
    (harbor / MIRA / "AGENT.md").write_text(f"token {SECRET}\n")
    crewmem("memory", "reindex")
    newest = crewmem("memory", "log", REF, "--json").json["data"][0]
    path = harbor / "versions" / newest["kept"][:2] / newest["kept"]
    path.unlink()
    crewmem("doctor", "--fix", "--only", "versions.contents")
    assert path.exists()
    shown = crewmem("memory", "show", REF, newest["id"]).stdout
    assert shown == "token [REDACTED:github-token]\n"


def test_what_is_dropped_is_of_no_version(crewmem, harbor):
    """All that is of one is there as before."""
    repaired(crewmem, harbor, "content_of_no_version")
    assert not (harbor / "versions/ab" / f"ab{'0' * 62}").exists()
    assert doctor(crewmem, "versions.contents")["status"] == "pass"


def test_what_was_just_kept_is_not_taken_for_left_behind(crewmem, harbor):
    """A write is going on: its version comes in a moment."""
    path = harbor / "versions/ab" / f"ab{'0' * 62}"
    path.parent.mkdir(mode=0o700)
    path.touch(mode=0o600)
    assert doctor(crewmem, "versions.unkept")["status"] == "pass"


def test_a_change_of_today_waits_for_the_next_sweep(crewmem, harbor):
    """It is told, and is no problem; a sweep that meets it leaves nothing to tell."""
    (harbor / MIRA / "AGENT.md").write_text("something else\n")
    found = doctor(crewmem, "versions.recorded")
    assert (found["status"], found["observed"]) == (
        "pass",
        "1 file was changed outside; the next sweep records that",
    )
    os.utime(harbor / MIRA / "AGENT.md", (LONG_AGO, LONG_AGO))
    assert doctor(crewmem, "versions.recorded")["status"] == "warn"
    crewmem("episodes", "sweep", environ={"CREWMEM_EMBEDDER": "none"})
    assert doctor(crewmem, "versions.recorded")["status"] == "pass"


def test_an_agent_whose_memory_is_off_is_not_waited_for(crewmem, harbor):
    """No sweep records what it writes."""
    (harbor / MIRA / "AGENT.md").write_text("something else\n")
    os.utime(harbor / MIRA / "AGENT.md", (LONG_AGO, LONG_AGO))
    crewmem("agent", "set", "mira", "--memory", "off")
    assert doctor(crewmem, "versions.recorded")["status"] == "pass"


def test_many_contents_that_are_gone_are_told_in_few_lines(crewmem, harbor):
    """Twenty by name, and how many more there are."""
    for number in range(25):
        (harbor / MIRA / f"note-{number}.md").write_text(f"{number}\n")
    crewmem("memory", "reindex")
    for path in (harbor / "versions").glob("*/*"):
        path.unlink()
    data = crewmem("doctor", "--only", "versions.contents", "--json").json["data"]
    assert len(data) == 21
    assert "8 more are missing or damaged" in data[-1]["observed"]


def test_many_contents_that_are_gone_are_kept_again_at_once(crewmem, harbor):
    """One repair is enough for what files still hold; the rest is still told."""
    for number in range(25):
        (harbor / MIRA / f"note-{number}.md").write_text(f"{number}\n")
    crewmem("memory", "reindex")
    kept = [*(harbor / "versions").glob("*/*")]
    before = {path: path.read_bytes() for path in kept}
    for path in kept:
        path.unlink()
    words = ("doctor", "--only", "versions.contents")
    assert crewmem(*words, "--fix").status == 0
    assert {path: path.read_bytes() for path in kept} == before
    for path in kept:
        path.unlink()
    (harbor / MIRA / "note-7.md").write_text("something else\n")
    (told,) = [
        each
        for each in crewmem(*words, "--fix", "--json").json["data"]
        if each["status"] == "fail"
    ]
    assert "is missing" in told["observed"]
    assert sum(path.exists() for path in kept) == len(kept) - 1


@pytest.mark.parametrize("who", ["agent:mira", "lead:pilot"])
def test_versions_of_all_are_for_operators_to_check(crewmem, harbor, who):
    """An agent is told that, and no name of another's file."""
    NAMED["content_of_a_version_that_is_gone"].plant(harbor)
    ran = crewmem("--as", who, "doctor", "--only", "versions", "--json")
    assert {each["status"] for each in ran.json["data"]} == {"skip"}
