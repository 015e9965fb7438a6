"""What checks of upkeep leave alone, and repairs beside each other."""

import os
import shutil
import time
from datetime import timedelta

import pytest
from conftest import NOW
from health import faults_memories, faults_runtime, faults_transcripts
from health.events import OLLAMA, embedded, happened
from health.faults import CREW, FAULTS, TEMPORARY, sql, typed
from health.faults_runtime import FACT, RECALLED, RULES
from homes import MIRA

PLANTED = (faults_memories, faults_runtime, faults_transcripts)
"""Modules that add to the list of faults when they are imported."""

NAMED = {fault.plant.__name__: fault for fault in FAULTS}

NOTHING = {"CREWMEM_MODEL_DIR": "/nowhere"}

PILOT = MIRA.replace("mira", "pilot")


def found(crewmem, check, *words, environ=NOTHING, now=NOW):
    """What one check finds."""
    ran = crewmem("doctor", "--only", check, "--json", *words, environ=environ, now=now)
    assert ran.status in {0, 1}, ran.stderr
    return ran.json["data"]


def passes(crewmem, check, *words, **how):
    """Tell whether it finds nothing wrong; return what it says."""
    (each,) = found(crewmem, check, *words, **how)
    assert each["status"] in {"pass", "skip"}, each
    return each["observed"]


@pytest.mark.parametrize(
    "cited",
    [
        "src/AGENT.md:99",
        "agent:harbor/ghost/AGENT.md:99",
        "crew:other/CREW.md:99",
        "topics/never.md:9",
        "CREW.md:2",
        "crew:harbor/CREW.md:2",
        "daily/2026-04-01.md:2",
        "agent:harbor/mira/daily/2026-04-01.md:2",
    ],
)
def test_only_of_what_was_kept_here_is_anything_claimed(crewmem, harbor, cited):
    """A path of a repository may be right, and notes that were put away are there."""
    (harbor / CREW / "CREW.md").write_text("one\ntwo\n")
    away = harbor / MIRA / "daily/archive/2026"
    away.mkdir(parents=True)
    (away / "2026-04-01.md").write_text("one\ntwo\n")
    (harbor / MIRA / "AGENT.md").write_text(f"As {cited} says.\n")
    passes(crewmem, "files.citations")


def test_notes_of_a_day_say_what_was_so_then(crewmem, harbor):
    """What they cite may have changed since."""
    (harbor / MIRA / "daily/2026-04-30.md").write_text("As CREW.md:99 said.\n")
    passes(crewmem, "files.citations")


def test_an_agent_is_not_told_of_citations_that_it_cannot_follow(crewmem, harbor):
    """What is known of persons is not there to it, and nothing is claimed."""
    (harbor / CREW / "users").mkdir()
    (harbor / CREW / "users/ab.md").write_text("one\n")
    (harbor / MIRA / "AGENT.md").write_text("As users/ab.md:9 says.\n")
    passes(crewmem, "files.citations", "--as", "agent:mira")
    assert found(crewmem, "files.citations")[0]["status"] == "warn"


def test_what_two_agents_know_is_no_duplicate(crewmem, harbor):
    """Nor what pins and briefs repeat: an agent is told it once, or on purpose."""
    for file in (f"{MIRA}/AGENT.md", f"{PILOT}/AGENT.md", f"{CREW}/pins.md"):
        (harbor / file).write_text(f"{FACT}\n")
    (harbor / MIRA / "BRIEF.md").write_text(f"{FACT}\n")
    passes(crewmem, "files.duplicates")


def test_an_agent_is_told_of_its_own_strays(crewmem, harbor):
    """And of no other's, nor of what is hidden."""
    for folder in (MIRA, PILOT):
        (harbor / folder / "notes.txt").write_text("x")
        (harbor / folder / ".hidden").write_text("x")
    every = found(crewmem, "files.strays")
    assert [each["where"] for each in every] == [
        str(harbor / folder / "notes.txt") for folder in (MIRA, PILOT)
    ]
    assert every[0]["repair"].startswith("mv ")
    (own,) = found(crewmem, "files.strays", "--as", "agent:mira")
    assert own["where"] == str(harbor / MIRA / "notes.txt")


def test_rules_that_a_prompt_has_room_for_are_met(crewmem, harbor):
    """And so are those that a recall has found."""
    NAMED["rules_that_nobody_was_shown"].plant(harbor)
    shown = RECALLED.replace("CREW.md:1-2", "learned/2026-03-01.md:1-3")
    sql(harbor / "crewmem.db", shown)
    assert "2 learned rules" in passes(crewmem, "files.rules")
    sql(harbor / "crewmem.db", "delete from recalls where id > 9")
    assert "not known yet" in passes(crewmem, "files.rules")
    (harbor / CREW / "learned/2026-04-20.md").unlink()
    assert "prompts have room for them" in passes(crewmem, "files.rules")
    (harbor / RULES).unlink()
    assert passes(crewmem, "files.rules") == "there are no learned rules"


def test_a_temporary_file_of_minutes_ago_is_told_and_left(crewmem, harbor):
    """Who writes it may be at work; in ten minutes nobody is."""
    path = harbor / MIRA / TEMPORARY
    path.write_text("half")
    told = passes(crewmem, "leftovers.temporary")
    assert told.startswith("1 temporary file is being written, or left minutes ago")
    assert crewmem("doctor", "--fix", "--only", "leftovers").status == 0
    assert path.exists()


def test_a_home_of_today_needs_no_timers(crewmem, harbor):
    """Nor one whose jobs something else runs; it is said what installs them."""
    happened(harbor, "the crane broke")
    sql(harbor / "crewmem.db", "update workspaces set created_at = '2026-05-01T00:00Z'")
    assert "timers install installs them" in passes(crewmem, "timers.alive")
    later = NOW + timedelta(days=2)
    (each,) = found(crewmem, "timers.alive", now=later)
    assert each["status"] == "warn"
    faults_memories.ran(harbor, "sweep", faults_memories.AT)
    assert "something else runs jobs" in passes(crewmem, "timers.alive", now=later)


def test_a_proposal_of_today_is_told_and_waits(crewmem, harbor):
    """It is a problem after a week."""
    typed(harbor, "knowledge", "share", "The pier is closed", acting="agent:mira")
    told = passes(crewmem, "proposals.waiting")
    assert told.startswith("1 proposal waits for less than 7 days: crewmem proposals")


def test_a_refused_text_that_is_damaged_can_be_dropped(crewmem, harbor):
    """As doctor says; it could be neither shown nor released."""
    NAMED["refused_text_that_is_damaged"].plant(harbor)
    (each,) = found(crewmem, "quarantine.files")
    program, *words = each["repair"].split()
    assert program == "crewmem"
    ran = crewmem(*words, "--yes")
    assert (ran.status, ran.stdout) == (0, "Removed aaaaaaaaaaaa which is damaged.\n")
    passes(crewmem, "quarantine.files")


def test_an_older_database_takes_nothing_of_a_newer_one_along(crewmem, harbor):
    """What a newer crewmem.db knows stays, in case it comes back."""
    happened(harbor, "the crane broke")
    embedded(harbor)
    shutil.copy(harbor / "crewmem.db", harbor.parent / "older")
    for text in ("one", "two", "three"):
        words = ("memory", "write", "--tier", "agent", "--mode", "replace")
        typed(harbor, *words, f"The crane is {text}.", acting="agent:mira")
    happened(harbor, "the pier sank")
    embedded(harbor)
    os.replace(harbor / "crewmem.db", harbor.parent / "newer")  # noqa: PTH105
    shutil.copy(harbor.parent / "older", harbor / "crewmem.db")
    long_ago = time.time() - 7_200
    for path in (harbor / "versions").glob("*/*"):
        os.utime(path, (long_ago, long_ago))
    before = {path.name for path in (harbor / "versions").glob("*/*")}
    ran = crewmem("doctor", "--fix", environ=OLLAMA)
    assert "as if an older one had been put in its place" in ran.stdout
    assert "its vectors are of another journal" in ran.stdout
    assert {path.name for path in (harbor / "versions").glob("*/*")} == before
    shutil.move(harbor.parent / "newer", harbor / "crewmem.db")
    assert crewmem("doctor", "--only", "versions", environ=OLLAMA).status == 0


TOGETHER = (
    "home_open_to_all",
    "directory_for_a_lock",
    "index_whose_rows_were_deleted",
    "temporary_file_in_a_tree",
    "cache_of_a_tree_that_is_gone",
    "words_that_are_gone",
    "content_of_a_version_that_is_damaged",
    "content_of_no_version",
    "content_that_others_may_read",
    "vector_of_no_episode",
)
"""Faults that are in nobody's way, and that are repaired."""


def test_two_that_repair_at_once_do_what_one_does(crewmem, harbor, beside):
    """Neither fails, and nothing is left to repair."""
    for name in TOGETHER:
        NAMED[name].plant(harbor)

    def repair():
        ran = crewmem("doctor", "--fix", "--json", environ=OLLAMA)
        assert ran.status in {0, 1}, ran.stderr
        assert "not repaired" not in ran.stdout, ran.stdout

    assert beside(repair, repair) == [0, 0]
    data = crewmem("doctor", "--json", environ=OLLAMA).json["data"]
    checks = {NAMED[name].check for name in TOGETHER}
    wrong = [each for each in data if each["id"] in checks and each["fix"]]
    assert wrong == []


def test_a_quarantine_that_cannot_be_listed_keeps_no_other_from_being_cleared(
    crewmem, harbor
):
    """What was refused elsewhere is found; what is nowhere is said with the reason."""
    NAMED["refused_text_that_is_damaged"].plant(harbor)
    (harbor / PILOT / ".quarantine").write_text("x")
    words = ("memory", "quarantine", "drop")
    assert crewmem(*words, "a" * 12, "--yes").status == 0
    ran = crewmem(*words, "b" * 12, "--yes")
    assert ran.status != 0
    assert ".quarantine is not a directory" in ran.stderr
