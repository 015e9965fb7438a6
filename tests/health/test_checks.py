"""Every check: a fault that it finds, what repairs it, and nothing that it leaves."""

from dataclasses import replace

import pytest
from health.faults import FAULTS
from homes import stamps

from crewmem.cli.app import App, World
from crewmem.cli.scene import scene
from crewmem.health.checks import CHECKS, python, space, sqlite

FACTS = {
    "runtime.python",
    "runtime.sqlite",
    "home.space",
    "recall.mode",
    "vectors.scan",
}
"""Checks of what a test cannot plant; they are handed facts below."""

ELSEWHERE = {"index.fresh"}
"""Faults of trees outside the home; in test_doctor."""


def problems(findings, fault):
    """The findings that *fault* is told by."""
    return [
        each
        for each in findings
        if each["id"] == fault.check and fault.says in each["observed"]
    ]


@pytest.mark.usefixtures("harbor")
def test_a_home_as_it_should_be_has_no_problems(crewmem):
    """Every check passes, and one line says so."""
    ran = crewmem("doctor")
    assert ran.stdout == f"{len(CHECKS)} checks: {len(CHECKS)} pass\n"
    assert (ran.status, ran.stderr) == (0, "")


def test_every_check_has_a_fault():
    """A check that nobody saw fail is no check."""
    planted = {fault.check for fault in FAULTS}
    assert planted | FACTS | ELSEWHERE == {check.NAME for check in CHECKS}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_found_and_nothing_is_touched(crewmem, harbor, tmp_path, fault):
    """It is named, with what should be; looking changes no byte and no timestamp.

    Every other check has something to say all the same.
    """
    fault.plant(harbor)
    before = stamps(tmp_path)
    ran = crewmem("doctor", "--json", environ=fault.environ)
    assert stamps(tmp_path) == before
    findings = ran.json["data"]
    assert {each["id"] for each in findings} == {check.NAME for check in CHECKS}
    assert ran.status == any(each["status"] == "fail" for each in findings)
    assert ran.stderr == ""
    told = problems(findings, fault)[0]
    assert told["status"] == fault.status
    assert told["where"] == ("" if fault.where is None else str(harbor / fault.where))
    assert told["expected"]
    assert bool(told["fix"]) == fault.fixed


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_what_is_safe_to_repair_is_repaired(crewmem, harbor, tmp_path, fault):
    """First it is only said; then done, said, and found no more."""
    fault.plant(harbor)
    before = stamps(tmp_path)
    words = ("doctor", "--only", fault.check, "--fix")
    dry = crewmem(*words, "--dry-run", environ=fault.environ)
    assert ("--fix would: " in dry.stdout) == fault.fixed
    assert stamps(tmp_path) == before
    ran = crewmem(*words, "--json", environ=fault.environ)
    again = crewmem("doctor", "--only", fault.check, "--json", environ=fault.environ)
    assert bool(problems(again.json["data"], fault)) != fault.fixed
    told = problems(ran.json["data"], fault)[0]
    assert told["fixed"] == fault.fixed
    assert told["status"] == ("pass" if fault.fixed else fault.status)
    if not fault.fixed:
        assert stamps(tmp_path) == before


@pytest.fixture
def seen(harbor):
    """What checks look at, of a home as it should be."""
    return scene(App(World(environ={"CREWMEM_HOME": str(harbor)}), {}), None)


def test_a_python_that_is_too_old_fails(seen):
    """And one that is new enough passes."""
    (finding,) = python.look(seen)
    assert finding.status == "pass"
    old = replace(seen, host=replace(seen.host, python=(3, 10, 12)))
    (finding,) = python.look(old)
    assert (finding.status, finding.expected) == ("fail", "Python 3.11 or later")


@pytest.mark.parametrize(
    ("version", "lacking", "status"),
    [
        ("3.54.1", [], "pass"),
        ("4.0", [], "pass"),
        ("3.51.2", [], "fail"),
        ("3.54.1", ["contentless_delete"], "fail"),
    ],
)
def test_sqlite_is_current_and_can_do_what_is_needed(seen, version, lacking, status):
    """Older ones can corrupt what two processes write."""
    host = replace(seen.host, sqlite=version, lacking=lacking)
    (finding,) = sqlite.look(replace(seen, host=host))
    assert finding.status == status
    assert all(what in finding.observed for what in (version, *lacking))


@pytest.mark.parametrize(
    ("free", "status"),
    [(None, "skip"), (0, "fail"), (49_999_999, "fail"), (60_000_000, "warn")],
)
def test_a_disk_that_fills_up_is_told_before_it_is_full(seen, free, status):
    """First a warning, then a failure; where nothing can be written, neither."""
    (finding,) = space.look(replace(seen, host=replace(seen.host, free_bytes=free)))
    assert finding.status == status


def test_the_least_python_is_that_of_the_package():
    """As its metadata have it."""
    from importlib.metadata import metadata

    wanted = ".".join(map(str, python.LEAST))
    assert metadata("crewmem")["Requires-Python"] == f">={wanted}"


def test_a_temporary_file_of_a_writer_at_work_is_none_left_behind(crewmem, harbor):
    """Only what is older than any write takes."""
    (harbor / "locks" / ".AGENT.md.0123456789abcdef.tmp").write_text("half")
    ran = crewmem("doctor", "--only", "leftovers", "--strict")
    assert ran.status == 0
