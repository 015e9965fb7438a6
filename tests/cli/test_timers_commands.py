"""Timers: installed with systemd or cron, which here are programs of the tests'."""

import os
import stat
from pathlib import Path

import pytest

from crewmem.jobs.job import NAMES

SYSTEMCTL = """#!/bin/sh
# A manager of units: what is enabled is a file in $STATE.
cd "$STATE" || exit 1
[ -e broken ] && { echo "Failed to connect to bus: No medium found" >&2; exit 1; }
echo "$*" >> log
shift 2
verb=$1; shift
case $verb in
    enable) shift; touch "$@" ;;
    disable) shift; rm -f "$@" ;;
    show)
        shift
        for name; do
            echo "Id=$name"
            if [ -e "$name" ]; then
                echo "ActiveState=active"; echo "UnitFileState=enabled"
            else
                echo "ActiveState=inactive"; echo "UnitFileState=disabled"
            fi
            echo
        done ;;
esac
"""

CRONTAB = """#!/bin/sh
# The crontab of a user: a file in $STATE.
cd "$STATE" || exit 1
[ -e denied ] && { echo "You (ada) are not allowed to use this program" >&2; exit 1; }
case $1 in
    -l) [ -e crontab ] || { echo "no crontab for ada" >&2; exit 1; }; cat crontab ;;
    -) cat > new; [ -e full ] && { echo "disk full" >&2; exit 1; }; mv new crontab ;;
    -r) rm crontab ;;
esac
"""

FOREIGN = b"# mine\nMAILTO=ada\n0 5 * * 1 tar czf /b.tgz /home  # 100\\%\n\xff\xfe"


class Host:
    """What there is beside crewmem: programs, and what they keep.

    Attributes:
        state: The directory of what they keep.
        environ: What tells crewmem of them.
    """

    def __init__(self, folder):
        self.bin, self.state = folder / "bin", folder / "state"
        for each in (self.bin, self.state):
            each.mkdir()
        self.config = folder / "config"
        self.environ = {
            "PATH": f"{self.bin}:{os.defpath}",
            "STATE": str(self.state),
            "XDG_CONFIG_HOME": str(self.config),
        }

    def has(self, name, text):
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    @property
    def units(self):
        """The units there are, by name."""
        folder = self.config / "systemd/user"
        return {path.name: path.read_text() for path in sorted(folder.glob("*"))}

    @property
    def crontab(self):
        return (self.state / "crontab").read_bytes()

    @property
    def log(self):
        """What systemd was told, without questions."""
        path = self.state / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        words = [line.removeprefix("--user --no-ask-password ") for line in lines]
        return [each for each in words if not each.startswith("show")]


@pytest.fixture(name="host")
def _host(tmp_path):
    """A host with nothing that could run timers: neither program answers."""
    folder = tmp_path / "host"
    folder.mkdir()
    host = Host(folder)
    for name in ("systemctl", "crontab"):
        host.has(name, "#!/bin/sh\necho none >&2\nexit 1\n")
    return host


@pytest.fixture(name="timers")
def _timers(host, crewmem):
    """``timers("install")``: run a verb of the group on that host, with a home."""
    assert crewmem("init").status == 0
    host.has("systemctl", SYSTEMCTL)
    host.has("crontab", CRONTAB)

    def call(*words, environ=None, **how):
        return crewmem("timers", *words, environ=host.environ | (environ or {}), **how)

    return call


def test_systemd_is_used_where_it_answers(timers, host):
    """Units are written, read by systemd, and their timers started."""
    ran = timers("install")
    assert ran.status == 0, ran.stderr
    assert len(host.units) == 19
    assert all("-failed@" in each or "crewmem-" in each for each in host.units)
    names = [each for each in host.units if each.endswith(".timer")]
    assert host.log[0] == "daemon-reload"
    assert {*host.log[1].split()} == {"enable", "--now", *names}
    assert "systemd runs sweep, extract, housekeeping" in ran.stdout
    mode = stat.S_IMODE((host.config / "systemd/user" / names[0]).stat().st_mode)
    assert mode & 0o077 == 0o044 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_installing_twice_changes_nothing(timers, host):
    """What is as it should be is left alone."""
    timers("install")
    before, told = host.units, len(host.log)
    ran = timers("install")
    assert "Nothing is to be changed." in ran.stdout
    assert host.units == before
    assert host.log[told:] == []


def test_a_timer_that_was_stopped_is_started(timers, host):
    """Installing again starts what somebody has stopped."""
    timers("install")
    (name,) = [each for each in host.units if each.endswith("sweep.timer")]
    (host.state / name).unlink()
    timers("install")
    assert host.log[-1] == f"enable --now {name}"


def test_settings_change_units(timers, host, crewmem):
    """A changed schedule is written and its timer started anew; what is off goes."""
    timers("install")
    crewmem("config", "set", "timers.rollup", "01:30")
    crewmem("config", "set", "timers.nightly", "off")
    ran = timers("install", "--json")
    changed = {each["action"]: each["path"] for each in ran.json["data"]["changes"]}
    assert changed.keys() == {"write", "remove", "keep"}
    assert not any("nightly" in name for name in host.units)
    (timer,) = [name for name in host.units if name.endswith("rollup.timer")]
    assert "01:30" in host.units[timer]
    assert f"restart {timer}" in host.log
    assert any(line.startswith("disable") for line in host.log)
    assert "nightly" not in ran.json["data"]["jobs"]


def test_a_plan_writes_nothing(timers, host):
    """With --dry-run files and crontab stay as they are."""
    for words in (["--systemd"], ["--cron"], []):
        ran = timers("install", *words, "--dry-run")
        assert ran.status == 0, ran.stderr
        assert "Nothing was changed." in ran.stdout
    assert host.units == {}
    assert not (host.state / "crontab").exists()


def test_a_plan_shows_what_becomes_of_lines(timers, host, crewmem):
    """Of a crontab ours alone, of a unit those that change; as JSON of each."""
    (host.state / "crontab").write_bytes(FOREIGN)
    ran = timers("install", "--cron", "--dry-run")
    assert ran.stdout.count("    +") == ran.stdout.count(" timers run ") + 2
    assert "MAILTO" not in ran.stdout
    timers("install", "--cron")
    crewmem("config", "set", "timers.rollup", "01:30")
    (change,) = timers("install", "--cron", "--dry-run", "--json").json["data"][
        "changes"
    ]
    assert (change["action"], change["path"]) == ("write", "crontab")
    assert [line[0] for line in change["diff"]] == ["-", "+"]
    assert all(" timers run rollup " in line for line in change["diff"])
    gone = timers("remove", "--dry-run").stdout
    assert "    -# BEGIN crewmem-" in gone
    assert "    +" not in gone
    timers("remove")
    assert "timers show prints what is new" in timers("install", "--dry-run").stdout
    timers("install")
    crewmem("config", "set", "timers.rollup", "01:45")
    told = timers("install", "--dry-run").stdout.splitlines()
    assert [line for line in told if line.startswith("    ")] == [
        "    -OnCalendar=*-*-* 01:30:00",
        "    +OnCalendar=*-*-* 01:45:00",
    ]


def test_a_unit_of_somebody_elses_is_left_alone(timers, host):
    """Where a file of such a name is not crewmem's, nothing is written."""
    timers("install")
    (name,) = [each for each in host.units if each.endswith("sweep.timer")]
    timers("remove")
    path = host.config / "systemd/user" / name
    path.write_text("[Timer]\nOnCalendar=daily\n")
    ran = timers("install")
    assert ran.status == 9
    assert host.units == {name: "[Timer]\nOnCalendar=daily\n"}
    assert timers("remove").status == 9


def test_what_is_installed_can_be_removed(timers, host):
    """Removing stops the timers, and takes away the files and nothing else."""
    timers("install")
    other = host.config / "systemd/user/backup.timer"
    other.write_text("theirs\n")
    names = {each for each in host.units if each.endswith(".timer")} - {other.name}
    ran = timers("remove")
    assert ran.status == 0
    assert {*host.units} == {other.name}
    gone = next(line for line in host.log if line.startswith("disable"))
    assert {*gone.split()[2:]} == names
    assert "Nothing is to be changed." in timers("remove").stdout


def test_cron_is_used_where_systemd_does_not_answer(timers, host):
    """Lines go into the crontab, and no foreign one is lost, whatever it holds."""
    (host.state / "broken").touch()
    (host.state / "crontab").write_bytes(FOREIGN)
    ran = timers("install")
    assert ran.status == 0, ran.stderr
    assert "cron runs sweep" in ran.stdout
    assert host.crontab.startswith(FOREIGN + b"\n# BEGIN crewmem-")
    assert host.crontab.count(b" timers run sweep ") == 2
    before = host.crontab
    assert "Nothing is to be changed." in timers("install").stdout
    assert host.crontab == before
    assert timers("remove").status == 0
    assert host.crontab == FOREIGN + b"\n"


def test_a_first_crontab_is_made(timers, host):
    """A user without a crontab gets one, and has none when nothing is left in it."""
    assert timers("install", "--cron").status == 0
    assert host.crontab.startswith(b"# BEGIN crewmem-")
    assert timers("remove").status == 0
    assert not (host.state / "crontab").exists()


def test_a_crontab_that_cannot_be_read_is_not_written(timers, host):
    """Where cron does not say what there is, nothing is put in its place."""
    (host.state / "crontab").write_bytes(FOREIGN)
    (host.state / "denied").touch()
    ran = timers("install", "--cron", "--json")
    assert ran.status == 7
    assert ran.error["code"] == "scheduler"
    assert host.crontab == FOREIGN


def test_a_crontab_that_cannot_be_written_stays(timers, host):
    """Where cron refuses, its reason is told and the crontab is what it was."""
    (host.state / "crontab").write_bytes(FOREIGN)
    (host.state / "full").touch()
    ran = timers("install", "--cron")
    assert ran.status == 7
    assert "disk full" in ran.stderr
    assert host.crontab == FOREIGN


def test_a_broken_block_is_told(timers, host):
    """Where lines of ours have lost their end, a person is asked to look."""
    timers("install", "--cron")
    broken = host.crontab.rpartition(b"# END")[0] + b"0 0 * * * theirs\n"
    (host.state / "crontab").write_bytes(broken)
    for verb in ("install", "remove"):
        ran = timers(verb, *(["--cron"] if verb == "install" else []))
        assert ran.status == 9
        assert "crontab -e" in ran.stderr
    assert host.crontab == broken


def test_nothing_is_run_twice(timers, host):
    """Who changes from cron to systemd, or back, keeps no timers of the other."""
    timers("install", "--cron")
    timers("install", "--systemd")
    assert not (host.state / "crontab").exists()
    assert len(host.units) == 19
    timers("install", "--cron")
    assert host.units == {}
    assert b"timers run sweep" in host.crontab


def test_without_either_the_way_out_is_told(crewmem, host):
    """Where neither is there, any scheduler will do, and how is said."""
    crewmem("init")
    ran = crewmem("timers", "install", environ=host.environ)
    assert ran.status == 4
    assert "timers run --all-due" in ran.stderr
    ran = crewmem("timers", "install", "--systemd", environ=host.environ)
    assert ran.status == 7
    assert host.units == {}


def test_homes_and_workspaces_have_timers_of_their_own(timers, host, crewmem, tmp_path):
    """Timers of two homes, or of a workspace, do not meet."""
    crewmem("workspace", "add", "lab")
    other = tmp_path / "other home"
    crewmem("--home", other, "init")
    timers("install", "--cron")
    first = host.crontab
    timers("install", "--cron", "-w", "lab")
    timers("install", "--cron", "--home", other)
    assert host.crontab.startswith(first)
    assert host.crontab.count(b"# BEGIN") == 3
    assert b"--workspace lab timers run sweep" in host.crontab
    assert f"'{other}'".encode() in host.crontab
    timers("remove", "-w", "lab")
    assert b"--workspace" not in host.crontab
    assert host.crontab.count(b"# BEGIN") == 2


def test_the_usual_home_has_plain_names(host, crewmem, tmp_path):
    """Timers of the home that crewmem takes by itself have short names."""
    host.has("systemctl", SYSTEMCTL)
    usual = tmp_path / "person/.local/share/crewmem"
    crewmem("--home", usual, "init")
    crewmem("--home", usual, "timers", "install", environ=host.environ)
    assert "crewmem-sweep.timer" in host.units


def test_what_timers_do_not_know_is_told(timers):
    """Variables of the shell that jobs would need are named, and never their values."""
    value = "sk-do-not-print-me"
    more = {"OPENAI_API_KEY": value, "CREWMEM_CHAIN_KEY": value, "CREWMEM_ACTOR": ""}
    ran = timers("install", environ=more)
    assert "CREWMEM_CHAIN_KEY, OPENAI_API_KEY" in ran.stderr
    assert "crewmem/environment" in ran.stderr
    assert "CREWMEM_ACTOR" not in ran.stderr
    assert value not in ran.stdout + ran.stderr
    ran = timers("install", "--cron", environ=more)
    assert "the crontab" in ran.stderr


def test_where_backups_go_is_made(timers, tmp_path, crewmem, host):
    """A unit may write only to what is there, so the directory is made."""
    crewmem("config", "set", "backup_dir", tmp_path / "back ups")
    ran = timers("install")
    assert ran.status == 0, ran.stderr
    assert (tmp_path / "back ups").is_dir()
    (unit,) = [name for name in host.units if name.endswith("backup.service")]
    assert f'"-{tmp_path}/back ups"' in host.units[unit]


@pytest.mark.parametrize("verb", ["install", "remove", "status", "run sweep"])
def test_agents_do_not_install_timers(timers, crewmem, verb):
    """Timers and jobs are for operators."""
    crewmem("crew", "add", "harbor")
    crewmem("agent", "add", "mira", "--crew", "harbor")
    assert timers(*verb.split(), "--as", "agent:mira").status == 8


def test_status_tells_what_runs_and_how(timers, host):
    """Of each job it is told when it was run, and whether its timer is alive."""
    ran = timers("status")
    assert "No timers are installed" in ran.stderr
    timers("install")
    timers("run", "sweep")
    (name,) = [each for each in host.units if each.endswith("rollup.timer")]
    (host.state / name).unlink()
    jobs = {each["job"]: each for each in timers("status", "--json").json["data"]}
    assert jobs["sweep"]["scheduler"] == "systemd"
    assert jobs["sweep"]["alive"] is True
    assert jobs["sweep"]["state"] == "ok"
    assert jobs["rollup"]["alive"] is False
    assert jobs["rollup"]["state"] == "never"
    (host.state / "broken").touch()
    ran = timers("status", "--json")
    assert ran.json["data"][0]["alive"] is None
    assert "No medium found" in ran.json["warnings"][0]
    (host.state / "broken").unlink()
    timers("install", "--cron")
    jobs = timers("status", "--json").json["data"]
    assert {each["scheduler"] for each in jobs} == {"cron"}
    assert {each["alive"] for each in jobs} == {None}


def test_status_reads_a_tree_that_cannot_be_written(timers, home):
    """It leaves no trace in the home."""
    timers("run", "housekeeping")
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    assert timers("status").status == 0
    assert timers("show").status == 0
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before


def test_show_says_what_comes_next(timers, crewmem):
    """Below the jobs is the command that has them run; of files there is no word."""
    assert timers("show").stderr.endswith(" timers install\n")
    assert timers("show", "--cron").stderr == ""
    for job in NAMES:
        crewmem("config", "set", f"timers.{job}", "off")
    ran = timers("show")
    assert ran.stderr.startswith("Every job is off: ")
    assert "sweep" not in ran.stdout


def test_show_prints_what_would_be_installed(timers, host):
    """The jobs, the units or the lines are printed as install writes them."""
    assert "sweep" in timers("show").stdout
    timers("install")
    shown = timers("show", "--systemd", "--json").json["data"]["files"]
    assert {Path(each["path"]).name: each["text"] for each in shown} == host.units
    timers("install", "--cron")
    (lines,) = timers("show", "--cron", "--json").json["data"]["files"]
    assert lines["text"].encode() == host.crontab
    assert timers("show", "--cron").stdout.encode() == host.crontab
    assert timers("show", "--cron", "--systemd").status == 2
