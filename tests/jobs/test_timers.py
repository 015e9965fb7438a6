"""Units and crontab lines."""

import getpass
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from crewmem.config import load_settings
from crewmem.errors import DamagedError, RefusedError, ServiceError
from crewmem.jobs import cron
from crewmem.jobs.schedule import list_jobs
from crewmem.jobs.systemd import MARK, Systemd, TimerTarget, list_unit_names, make_units

HOME = Path("/home/kim/.local/share/crewmem")
JOBS = list_jobs(load_settings(None, overrides={"eval.suite": "x", "backup_dir": "/b"}))
BLOCK = cron.make_block("crewmem", ["/usr/bin/crewmem", "--home", "/a b/100%", "timers", "run"])


def make_target(home=HOME, **values):
    return TimerTarget(["/usr/bin/env"], home, HOME, **values)


@pytest.mark.parametrize(
    "crontab", [b"", b"# mine\n0 1 * * * x\n", b"0 1 * * * x", b"\n\n", b"MAILTO=a\n# END other\n"]
)
def test_cron_block_is_added_once_and_removed_without_a_trace(crontab):
    once = cron.add_block(crontab, "crewmem", BLOCK)
    assert once.count(b"* * * * * /usr/bin/crewmem --home '/a b/100\\%' timers run") == 1
    assert cron.add_block(once, "crewmem", BLOCK) == once
    assert cron.remove_block(once, "crewmem") == crontab
    both = cron.add_block(once, "crewmem-1a2b", cron.make_block("crewmem-1a2b", ["y"]))
    assert cron.remove_block(both, "crewmem-1a2b") == once


def test_lines_of_others_stay_when_the_block_is_in_the_middle():
    crontab = cron.add_block(b"a\n", "crewmem", BLOCK) + b"b\n"
    assert cron.remove_block(crontab, "crewmem") == b"a\nb\n"


def test_half_a_block_is_not_guessed_at():
    with pytest.raises(DamagedError, match="line 2"):
        cron.remove_block(b"a\n# BEGIN crewmem timers: x\n* * * * * y\n", "crewmem")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("* * * * * /bin/sh -c true", ""),
        ("* * * * * /no/such run", "/no/such does not exist"),
        ("* * * * * '/bin/sh run", """the line "* * * * * '/bin/sh run" has no command"""),
        ("", "the line '' has no command"),
    ],
)
def test_command_of_a_block_that_somebody_edited_is_judged(line, problem):
    crontab = cron.add_block(b"", "crewmem", BLOCK).splitlines()
    crontab[1] = line.encode()
    assert cron.find_problem(b"\n".join(crontab), "crewmem") == problem


def test_units_have_names_and_a_reason_for_each_hardening():
    units = make_units(make_target(), JOBS)
    assert {unit.name for unit in units} == set(list_unit_names("crewmem"))
    sweep = {unit.name: unit.text for unit in units}["crewmem-sweep.timer"]
    assert "OnUnitActiveSec=30s" in sweep
    assert "AccuracySec=1s" in sweep
    assert "RandomizedDelaySec" not in sweep
    for unit in units:
        assert unit.text.startswith(MARK)
        assert "$" not in unit.text
    other = make_units(make_target(Path("/srv/x")), JOBS)
    assert not {unit.name for unit in other} & {unit.name for unit in units}


def test_paths_are_quoted_for_systemd():
    target = make_target(Path('/srv/50% "x" $HOME'))
    text = make_units(target, JOBS)[0].text
    assert 'ExecStart=:"/usr/bin/env" "--home" "/srv/50%% \\"x\\" $HOME"' in text
    with pytest.raises(RefusedError):
        make_units(make_target(Path("/srv/a\nb")), JOBS)


def test_every_service_is_bounded_and_closed():
    units = make_units(make_target(), JOBS)
    services = [unit.text for unit in units if unit.name.endswith(".service")]
    for line in ("MemoryMax=", "PrivateUsers=yes", "ProtectSystem=strict", "SystemCallFilter="):
        assert all(line in text for text in services), line


def test_model_that_is_a_program_is_left_free(tmp_path):
    closed = make_units(make_target(), JOBS)[0].text
    open_ = make_units(make_target(runs_programs=True), JOBS)[0].text
    assert "MemoryDenyWriteExecute" in closed
    assert "MemoryDenyWriteExecute" not in open_


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("runs_programs", [False, True])
def test_systemd_accepts_the_units_and_calls_them_safe(tmp_path, runs_programs):
    names = []
    for unit in make_units(make_target(tmp_path, runs_programs=runs_programs), JOBS):
        (tmp_path / unit.name).write_text(unit.text)
        names.append(unit.name)
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", *(n for n in names if "@" not in n)],
        cwd=tmp_path,
        env={**environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in done.stderr.splitlines() if "crewmem" in line] == []
    service = next(name for name in names if name.endswith("nightly.service"))
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=40", service],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-500:]


def fake_systemctl(tmp_path):
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:/usr/bin:/bin", "XDG_CONFIG_HOME": str(tmp_path / "config")}


def test_units_are_written_only_where_systemd_answers(tmp_path, monkeypatch):
    environ = fake_systemctl(tmp_path)
    monkeypatch.setenv("PATH", environ["PATH"])
    (tmp_path / "bin" / "systemctl").write_text("#!/bin/sh\nexit 1\n")
    manager = Systemd(environ)
    with pytest.raises(ServiceError):
        manager.install(make_units(make_target(), JOBS), "crewmem")
    assert not manager.directory.exists()


def test_units_are_installed_and_removed(tmp_path, monkeypatch):
    environ = fake_systemctl(tmp_path)
    monkeypatch.setenv("PATH", environ["PATH"])
    manager = Systemd(environ)
    manager.install(make_units(make_target(), JOBS), "crewmem")
    assert manager.list_timers("crewmem") == [job.name for job in JOBS]
    manager.install(make_units(make_target(), JOBS[:3]), "crewmem")
    assert manager.list_timers("crewmem") == ["sweep", "extract", "housekeeping"]
    foreign = manager.directory / "crewmem-nightly.service"
    foreign.write_text("[Unit]\n")
    with pytest.raises(RefusedError):
        manager.install(make_units(make_target(), JOBS), "crewmem")
    assert manager.list_timers("crewmem") == ["sweep", "extract", "housekeeping"]
    manager.remove("crewmem")
    assert [path.name for path in manager.directory.iterdir()] == [foreign.name]
    assert "enable --now crewmem-sweep.timer" in (tmp_path / "calls").read_text()


def test_installing_systemd_timers_says_that_they_stop_at_logout(tmp_path):
    environ = {**os.environ, **fake_systemctl(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "crewmem", "--home", str(tmp_path / "home")]
    subprocess.run([*command, "init"], env=environ, check=True)
    words = [*command, "timers", "install", "--systemd"]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
    lingers = Path("/var/lib/systemd/linger", getpass.getuser()).exists()
    assert ("loginctl enable-linger" in done.stderr) is not lingers
    assert "Installed systemd timers" in done.stdout


def test_status_promises_a_retry_only_where_the_scheduler_retries(tmp_path):
    environ = {**os.environ, **fake_systemctl(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "crewmem", "--home", str(tmp_path / "home")]
    command += ["--now", "2026-05-01T04:00:00Z"]
    subprocess.run([*command, "init"], env=environ, check=True)
    with apsw.Connection(str(tmp_path / "home/crewmem.db")) as db:
        db.execute(
            "insert into jobs values ('default', 'nightly', '2026-05-01T04:00:00.000Z',"
            " '2026-05-01T04:00:00.000Z', 'failed', '{}', 'no answer', 1, '')"
        )

    def find_next_run():
        words = [*command, "timers", "status", "--json"]
        done = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
        jobs = {each["job"]: each["next_due"] for each in json.loads(done.stdout)["data"]}
        return jobs["nightly"]

    environ["CREWMEM_TIMEZONE"] = "UTC"
    assert find_next_run() == "2026-05-01T04:15:00.000Z"
    subprocess.run([*command, "timers", "install", "--systemd"], env=environ, check=True)
    assert find_next_run() == "2026-05-02T03:00:00.000Z"


def test_print_shows_only_the_timers_that_would_be_installed(tmp_path):
    environ = {**os.environ, **fake_systemctl(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "crewmem", "--home", str(tmp_path / "home")]
    subprocess.run([*command, "init"], env=environ, check=True)

    def show(*options):
        words = [*command, "timers", "install", "--print", *options]
        return subprocess.run(words, env=environ, capture_output=True, text=True, check=True).stdout

    assert "[Timer]" in show()
    assert "* * * * *" not in show()
    (tmp_path / "bin" / "systemctl").write_text("#!/bin/sh\nexit 1\n")
    crontab = tmp_path / "bin" / "crontab"
    crontab.write_text("#!/bin/sh\n")
    crontab.chmod(0o755)
    assert "[Timer]" not in show()
    assert "* * * * *" in show()
    assert "[Timer]" in show("--systemd")


def test_units_of_a_user_without_home_variable_are_in_the_home_directory():
    assert Systemd({}).directory == Path.home() / ".config/systemd/user"
