"""Every check: a fault that it finds, what repairs it, and nothing that it leaves."""

import os

import pytest
from conftest import NOW
from health import faults_memories, faults_runtime, faults_transcripts
from health.faults import FAULTS
from homes import stamps

from crewmem.cli.app import App, World
from crewmem.cli.scene import scene
from crewmem.health.check import by_hand
from crewmem.health.checks import CHECKS, python
from crewmem.health.diagnose import chosen, diagnose, mend, settled

PLANTED = (faults_memories, faults_runtime, faults_transcripts)
"""Modules that add to the list of faults when they are imported."""


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
    """A check that nobody saw fail or warn is no check."""
    planted = {fault.check for fault in FAULTS if fault.status in {"fail", "warn"}}
    assert planted == {check.NAME for check in CHECKS}


def test_every_check_that_mends_has_a_fault_that_is_repaired():
    """And those that leave it to a person promise nothing."""
    fixed = {fault.check for fault in FAULTS if fault.fixed}
    assert fixed == {check.NAME for check in CHECKS if check.mend is not by_hand}


class Doctor:
    """Looks at a home in which a fault is planted, and mends it."""

    def __init__(self, home, fault):
        self.home, self.fault = home, fault
        self.checks = chosen([fault.check])

    @property
    def seen(self):
        """What checks look at, as the command gathers it."""
        around = {"CREWMEM_HOME": str(self.home), "LOGNAME": "ada"}
        world = World(environ=around | self.fault.environ, clock=lambda: NOW)
        path = str(self.home.parent / self.fault.path) if self.fault.path else None
        found = scene(App(world, {}), path)
        return self.fault.facts(found) if self.fault.facts else found

    def findings(self):
        """What the check of the fault finds, told by the fault or not."""
        found = diagnose(self.seen, self.checks)
        mine = [each for each in found if self.fault.says in each.observed]
        return found, mine

    def mend(self, findings):
        return mend(self.seen, findings, self.checks)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_found_mended_and_nothing_else_is_touched(harbor, tmp_path, fault):
    """It is named, with what should be; looking changes no byte and no timestamp.

    What is safe to repair is repaired: it is found no more, and to do it again, as one
    who looked before, does no harm. What is not is left alone.
    """
    fault.plant(harbor)
    doctor = Doctor(harbor, fault)
    before = stamps(tmp_path)
    found, mine = doctor.findings()
    assert stamps(tmp_path) == before
    told = mine[0]
    where = "" if fault.where is None else os.path.normpath(harbor / fault.where)
    assert (told.status, told.where) == (fault.status, where)
    assert told.expected
    assert bool(told.fix) == fault.fixed
    tried = doctor.mend(found)
    again, left = doctor.findings()
    assert bool(left) != fault.fixed
    if not fault.fixed:
        assert stamps(tmp_path) == before
        return
    assert tried[told] == ""
    assert settled(again, tried)[0].fixed
    mended = {path: each[3] for path, each in stamps(harbor).items()}
    doctor.mend(found)
    assert [each.observed for each in doctor.findings()[0]] == [
        each.observed for each in again
    ]
    assert {path: each[3] for path, each in stamps(harbor).items()}.keys() == {*mended}


WHOLE = [fault for fault in FAULTS if not (fault.facts or fault.path)]
"""Faults that lie in the home."""

GRAVE = [fault for fault in WHOLE if fault.status == "fail"][::2]
"""Some that may be in the way of other checks."""


@pytest.mark.parametrize("fault", GRAVE, ids=str)
def test_with_a_fault_every_other_check_is_made(crewmem, harbor, tmp_path, fault):
    """The command says it all, says what it would repair, and touches nothing."""
    fault.plant(harbor)
    before = stamps(tmp_path)
    ran = crewmem("doctor", "--fix", "--dry-run", "--json", environ=fault.environ)
    assert stamps(tmp_path) == before
    findings = ran.json["data"]
    assert {each["id"] for each in findings} == {check.NAME for check in CHECKS}
    assert ran.status == any(each["status"] == "fail" for each in findings)
    assert ran.stderr == ""
    assert problems(findings, fault)[0]["status"] == fault.status


@pytest.mark.parametrize("fault", [each for each in WHOLE if each.fixed][::3], ids=str)
def test_what_is_repaired_is_said(crewmem, harbor, fault):
    """What it would do, and then that it is done."""
    fault.plant(harbor)
    words = ("doctor", "--only", fault.check, "--fix")
    assert "--fix would: " in crewmem(*words, "--dry-run", environ=fault.environ).stdout
    ran = crewmem(*words, "--json", environ=fault.environ)
    told = problems(ran.json["data"], fault)[0]
    assert (told["fixed"], told["status"]) == (True, "pass")


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
