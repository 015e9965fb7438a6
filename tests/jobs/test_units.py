"""Timers as units of systemd."""

import os
import re
import shutil
import subprocess
from itertools import pairwise
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors.jobs import UnspeakablePathError
from crewmem.jobs.job import NAMES, planned
from crewmem.jobs.timers import Timers
from crewmem.jobs.units import MARK, is_ours, names, quoted, units
from crewmem.settings import Settings
from crewmem.settings.whens import read

ANALYZE = shutil.which("systemd-analyze")

with_systemd = pytest.mark.skipif(
    ANALYZE is None, reason="systemd-analyze, which systemd ships, is not installed"
)

MOST_EXPOSED = 6.5
"""What systemd-analyze may make of a service. It counts as if root's manager ran it:
what that alone can take away (capabilities, devices) is half of the sum."""

TIMERS = Timers(
    tag="",
    program=["/opt/crewmem/bin/crewmem"],
    home="/srv/crewmem",
    workspace=None,
    whens=planned(Settings({"backup_dir": "/backup"})),
    writable=["/backup"],
)


def texts(timers=TIMERS):
    return {each.name: each.text for each in units(timers)}


def keys(text):
    """Return the settings of a unit, of each the last."""
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def test_each_job_has_a_service_and_a_timer():
    """There are two units for each job that is wanted, and one for what fails."""
    found = texts()
    assert {*found} == {*names("")}
    assert len(found) == 2 * len(NAMES) + 1
    assert all(is_ours(text) for text in found.values())
    assert not is_ours("[Unit]\nDescription=theirs\n")
    fewer = texts(TIMERS._replace(whens={"sweep": read("30s")}))
    assert {*fewer} == {
        "crewmem-sweep.service",
        "crewmem-sweep.timer",
        "crewmem-failed@.service",
    }
    assert texts(TIMERS._replace(whens={})) == {}


def test_the_sweep_comes_every_thirty_seconds():
    """A sweep comes as often as it says, exactly, and is put off by nothing."""
    timer = keys(texts()["crewmem-sweep.timer"])
    assert timer["OnUnitActiveSec"] == timer["OnActiveSec"] == "30s"
    assert timer["AccuracySec"] == "1s"
    assert not {"RandomizedDelaySec", "OnCalendar", "Persistent"} & timer.keys()


@pytest.mark.parametrize(
    ("text", "zone", "calendar"),
    [
        ("03:00", "", "*-*-* 03:00:00"),
        ("00:10", "Europe/Berlin", "*-*-* 00:10:00 Europe/Berlin"),
        ("sun 04:30", "", "Sun *-*-* 04:30:00"),
        ("6h", "Europe/Berlin", "*-*-* 00/6:00:00 UTC"),
        ("1h", "", "*-*-* 00/1:00:00 UTC"),
        ("5m", "", "*-*-* *:00/5:00 UTC"),
        ("1d", "", "*-*-* 00:00:00 UTC"),
    ],
)
def test_others_are_of_the_calendar(text, zone, calendar):
    """What comes at times of day is made up for when it was missed."""
    timers = TIMERS._replace(whens={"nightly": read(text)}, zone=zone)
    timer = keys(texts(timers)["crewmem-nightly.timer"])
    assert timer["OnCalendar"] == calendar
    assert timer["Persistent"] == "true"
    assert timer["RandomizedDelaySec"].endswith("s")


def test_what_no_calendar_says_comes_after_a_while():
    """A span that systemd's calendar has no word for is counted from the last run."""
    timers = TIMERS._replace(whens={"condense": read("90m")})
    timer = keys(texts(timers)["crewmem-condense.timer"])
    assert timer["OnUnitActiveSec"] == "5400s"
    assert "OnCalendar" not in timer


def test_units_call_this_program_on_this_home():
    """A service names the program, the home, the workspace and the job, in full."""
    timers = TIMERS._replace(workspace="lab")
    service = keys(texts(timers)["crewmem-nightly.service"])
    assert service["ExecStart"] == (
        '"/opt/crewmem/bin/crewmem" "--home" "/srv/crewmem" "--workspace" "lab" '
        '"timers" "run" "nightly" "--strict"'
    )
    assert service["Type"] == "oneshot"
    assert service["OnFailure"] == "crewmem-failed@nightly.service"


def test_hardening_has_reasons():
    """Above what a service is forbidden stands why."""
    text = texts()["crewmem-nightly.service"]
    lines = text[text.index("UMask") :].splitlines()
    allowed = {
        "SystemCallFilter",
        "SystemCallErrorNumber",
        "ProtectHome",
        "ReadWritePaths",
    }
    for above, line in pairwise(lines):
        if not line.startswith("#") and line.partition("=")[0] not in allowed:
            assert above.startswith("# "), line


def test_nothing_is_written_but_what_has_to_be():
    """A service may write to the home and to where backups go; and has a /tmp."""
    service = keys(texts()["crewmem-sweep.service"])
    assert service["ProtectSystem"] == "strict"
    assert service["ReadWritePaths"] == '"-/srv/crewmem" "-/backup"'
    assert service["PrivateTmp"] == "yes"


def test_a_home_in_tmp_is_not_hidden():
    """A service of a home in /tmp has no /tmp of its own, and may write to it."""
    service = keys(texts(TIMERS._replace(home="/tmp/home"))["crewmem-sweep.service"])  # noqa: S108 - a name
    assert "PrivateTmp" not in service
    assert '"-/tmp"' in service["ReadWritePaths"]


def test_a_program_of_the_persons_is_not_locked_in():
    """Where llm_command is run, what it may need is not taken from it."""
    service = keys(texts(TIMERS._replace(is_open=True))["crewmem-sweep.service"])
    closed = {"ProtectSystem", "MemoryDenyWriteExecute", "SystemCallFilter"}
    assert not closed & service.keys()
    assert service["NoNewPrivileges"] == "yes"


def test_what_is_run_on_failure_is_a_setting():
    """A failure is logged with the jobs that fail, or told to a program."""
    log = keys(texts()["crewmem-failed@.service"])
    assert log["ExecStart"].endswith('"timers" "status" "--bad"')
    assert log["SyslogLevel"] == "err"
    told = TIMERS._replace(on_failure=["/usr/bin/mail me", "-s", "100%"])
    line = keys(texts(told)["crewmem-failed@.service"])["ExecStart"]
    assert line == '"/usr/bin/mail me" "-s" "100%%" %i'


def unquoted(line):
    """Read a command line as systemd does: quotes, escapes, and specifiers."""
    words, at = [], 0
    while at < len(line):
        assert line[at] == '"'
        word, at = "", at + 1
        while line[at] != '"':
            if line[at] == "\\":
                at += 1
                assert line[at] in '"\\'
            elif line[at] == "%":
                at += 1
                assert line[at] == "%"
            word, at = word + line[at], at + 1
        words.append(word)
        at += 2
    return words


@given(st.lists(st.text(alphabet="ab /\\\"'%$;#=&äß日", min_size=1), min_size=1))
def test_words_reach_the_program_as_they_are(words):
    """What systemd reads of a quoted word is the word."""
    assert unquoted(" ".join(map(quoted, words))) == words


@given(st.text(alphabet='ab %$"\\', min_size=1).map(lambda text: f"/{text}"))
def test_variables_are_no_variables(home):
    """Where a path has a dollar sign, systemd is told to leave it alone."""
    line = keys(texts(TIMERS._replace(home=home))["crewmem-sweep.service"])["ExecStart"]
    assert line.startswith(":") == ("$" in home)
    assert unquoted(line.removeprefix(":"))[2] == home


@pytest.mark.parametrize("home", ["/a\nExecStartPre=/bin/false", "/a\x1bb", "/a\udcff"])
def test_what_a_unit_cannot_say_is_refused(home):
    """A path with a line end or another control character is in no unit."""
    with pytest.raises(UnspeakablePathError):
        units(TIMERS._replace(home=home))


@pytest.fixture(name="written")
def _written(tmp_path):
    """Units in a directory, of a program that is there, on an odd home."""
    folder = tmp_path / "units"
    folder.mkdir()
    home = tmp_path / "a b % $HOME \" \\ '"
    home.mkdir()
    timers = TIMERS._replace(
        program=[shutil.which("true")], home=str(home), zone="Europe/Berlin"
    )
    for each in units(timers):
        (folder / each.name).write_text(each.text)
    return folder


def analyzed(folder, *words):
    """Ask systemd of the units in *folder*.

    It reads those of the host as well, whose sockets are below its run time directory;
    in the name of one there is room for a hundred characters.
    """
    with TemporaryDirectory(dir="/tmp") as short:
        environ = {"PATH": os.defpath, "XDG_RUNTIME_DIR": short, "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            [ANALYZE, *words],
            env=environ,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@with_systemd
def test_systemd_finds_nothing_wrong(written):
    """systemd's own check has nothing to say of any unit."""
    paths = [f"./{each.name}" for each in sorted(written.iterdir())]
    ran = analyzed(written, "verify", "--user", "--man=no", *paths)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@with_systemd
def test_systemd_finds_faults(written):
    """The check above sees a setting that systemd does not know."""
    unit = written / "crewmem-sweep.service"
    unit.write_text(unit.read_text().replace("NoNewPrivileges", "NoNewPrivilges"))
    ran = analyzed(written, "verify", "--user", "--man=no", "./crewmem-sweep.service")
    assert "NoNewPrivilges" in ran.stderr


@with_systemd
@pytest.mark.parametrize("job", ["sweep", "nightly"])
def test_services_are_little_exposed(written, job):
    """systemd's own measure of what a service could do stays low."""
    words = ("security", "--user", "--offline=true", f"./crewmem-{job}.service")
    ran = analyzed(written, *words)
    level = re.search(r"exposure level[^:]*: ([\d.]+)", ran.stdout)
    assert level, ran.stderr
    assert float(level[1]) <= MOST_EXPOSED


def test_the_first_line_tells_whose_it_is():
    """Who looks into a unit is told where changes belong."""
    assert all(text.startswith(f"{MARK}\n") for text in texts().values())
