"""From an empty machine: install, one session, and what the next one is given."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

DECISIONS = {
    "Mollie": "Build the order form for the bakery. We take Mollie for payments, not Adyen.",
    "vitest": "No, our tests run with vitest. Fix the two that fail and show me the diff.",
    "integers": "ok thanks. one more thing: all amounts are integers in cents, never floats",
    "owner": "From now on, always retry mails three times, then give up and tell the owner.",
}


@pytest.fixture
def machine(tmp_path):
    """A user's empty home directory and a project; returns what runs crewmem there."""
    user, project = tmp_path / "user", tmp_path / "project"
    user.mkdir()
    project.mkdir()
    environ = {"PATH": os.environ["PATH"], "HOME": str(user), "USER": "kim", "LANG": "C.UTF-8"}

    def start(*arguments, event=None):
        return subprocess.run(
            [sys.executable, "-m", "crewmem", *arguments],
            input=None if event is None else json.dumps(event),
            capture_output=True, text=True, env=environ, cwd=project, check=False,
        )  # fmt: skip

    def run(*arguments, event=None, status=0):
        done = start(*arguments, event=event)
        assert done.returncode == status, done.stderr
        return done.stdout if status == 0 else done.stderr

    run.user, run.project, run.start = user, project, start
    return run


def write_session(machine, session: str) -> Path:
    """Write the log of a session of Claude Code in which a person decides some things."""
    folder = machine.user / ".claude/projects" / str(machine.project).replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    common = {
        "sessionId": session, "cwd": str(machine.project), "version": "2.1.240",
        "gitBranch": "main", "isSidechain": False, "userType": "external",
    }  # fmt: skip
    lines = []
    for number, text in enumerate(DECISIONS.values()):
        asked = {"role": "user", "content": text}
        answer = {
            "role": "assistant", "model": "x", "id": f"m{number}", "type": "message",
            "content": [{"type": "text", "text": "Understood."}],
        }  # fmt: skip
        for kind, message, second in (("user", asked, "00"), ("assistant", answer, "30")):
            at = f"2026-05-01T09:0{number}:{second}.000Z"
            identifier = f"{kind}-{number}"
            lines.append({**common, "type": kind, "uuid": identifier, "parentUuid": None,
                          "timestamp": at, "message": message})  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_next_session_is_given_what_was_decided(machine):
    machine("hooks", "install", "claude", "--yes")
    settings = json.loads((machine.user / ".claude/settings.json").read_text())
    command = settings["hooks"]["SessionEnd"][0]["hooks"][0]["command"].split()
    arguments = command[command.index("hook") :]
    log = write_session(machine, "11111111-0000-4000-8000-000000000001")
    end = {
        "hook_event_name": "SessionEnd", "session_id": log.stem, "transcript_path": str(log),
        "cwd": str(machine.project), "reason": "other",
    }  # fmt: skip
    assert machine(*arguments, event=end) == ""
    start = {
        "hook_event_name": "SessionStart", "session_id": "11111111-0000-4000-8000-000000000002",
        "transcript_path": "", "cwd": str(machine.project), "source": "startup",
    }  # fmt: skip
    deadline = time.monotonic() + 20
    context = ""
    while time.monotonic() < deadline and not all(word in context for word in DECISIONS):
        time.sleep(0.2)
        start["session_id"] += "x"
        output = machine(*arguments, event=start)
        context = json.loads(output)["hookSpecificOutput"]["additionalContext"] if output else ""
    for word in DECISIONS:
        assert word in context
    assert len(context.encode()) <= 1800


def test_session_is_of_the_agent_of_its_hooks_though_a_job_reads_the_log_first(machine):
    machine("hooks", "install", "claude", "--yes")
    hook = ("hook", "claude", "--fallback", "claude")
    session = "11111111-0000-4000-8000-000000000001"
    log = write_session(machine, session)
    event = {"session_id": session, "transcript_path": str(log), "cwd": str(machine.project)}
    machine(*hook, event={**event, "hook_event_name": "SessionStart", "source": "startup"})
    machine("timers", "run", "extract")

    [listed] = json.loads(machine("sessions", "list", "--json"))["data"]
    assert listed["agent"] == "claude"


def test_end_of_a_turn_reads_the_logs_of_its_subagents(machine):
    machine("hooks", "install", "claude", "--yes")
    session = "11111111-0000-4000-8000-000000000001"
    log = write_session(machine, session)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    found = {**lines[1], "isSidechain": True, "agentId": "a1", "uuid": "found"}
    found["message"]["content"][0]["text"] = "The quokka tuples are in docs/authz.md"
    subagent = log.with_suffix("") / "subagents" / "agent-a1.jsonl"
    subagent.parent.mkdir(parents=True)
    subagent.write_text(json.dumps(found) + "\n")
    event = {"session_id": session, "transcript_path": str(log), "cwd": str(machine.project)}
    stop = {**event, "hook_event_name": "Stop"}
    machine("hook", "claude", "--fallback", "claude", event=stop)

    deadline = time.monotonic() + 20
    hits = []
    while time.monotonic() < deadline and not hits:
        time.sleep(0.2)
        answer = machine("sessions", "search", "quokka", "--as", "agent:claude", "--json")
        hits = json.loads(answer)["data"]["hits"]
    assert hits


def test_programs_that_are_connected_together_share_a_memory(machine):
    for name in (".codex", ".gemini"):
        (machine.user / name).mkdir()
    output = machine("hooks", "install", "all", "--yes")
    assert output.count("created a home at") == 1
    assert "Codex, agent assistant:" in output
    assert "Gemini CLI, agent assistant:" in output
    assert "agent assistant:" in machine("hooks", "install", "claude", "--yes")
    agents = json.loads(machine("agent", "list", "--json"))["data"]
    assert [agent["slug"] for agent in agents] == ["assistant"]


def test_installations_at_once_keep_all_projects(machine):
    machine("hooks", "install", "claude", "--yes")
    projects = [machine.user / name for name in ("depot", "quay", "yard")]
    environ = {"PATH": os.environ["PATH"], "HOME": str(machine.user), "USER": "kim"}
    for project in projects:
        project.mkdir()
    words = [sys.executable, "-m", "crewmem", "hooks", "install", "claude", "--yes", "--project"]
    running = [subprocess.Popen([*words, project], env=environ) for project in projects]
    assert [each.wait() for each in running] == [0, 0, 0]
    (agent,) = json.loads(machine("agent", "list", "--json"))["data"]
    assert sorted(agent["projects"]) == [str(project) for project in projects]


def test_person_in_the_project_is_told_how_to_act_as_a_person(machine):
    installed = machine("hooks", "install", "claude", "--project", ".", "--yes")
    undo = re.search(r"Undo: crewmem (.*)", installed)[1]
    refused = machine("config", "set", "recall.budget", "900", status=8)
    hint = re.search(r"hint: crewmem (.*)", refused)[1]
    assert hint == "--as operator:kim config set recall.budget 900"
    machine(*hint.split())
    assert "delete" in machine(*undo.split())
    assert not (machine.project / ".claude").exists()


def test_command_of_status_forgets_a_project_that_was_moved(machine):
    old, new = machine.project / "old", machine.project / "new"
    old.mkdir()
    machine("hooks", "install", "claude", "--project", str(old), "--yes")
    old.rename(new)
    [line] = [line for line in run_status(machine, status=1) if line.startswith("fix: ")]
    output = machine(*line.removeprefix("fix: crewmem ").split())
    assert output == f"forgot {old}, which is gone\n"
    machine("hooks", "install", "claude", "--project", str(new), "--yes")
    assert all(" ok " in line for line in run_status(machine)[1:])

    assert "there is no directory" in machine(
        "hooks", "remove", "claude", "--project", str(old), status=4
    )


def test_installation_names_the_command_that_reads_earlier_logs(machine):
    write_session(machine, "11111111-0000-4000-8000-000000000001")
    assert machine("hooks", "install", "claude", "--yes").endswith("Next: crewmem sessions sync\n")
    learned = machine("sessions", "sync")
    [fact] = re.findall(r"^- (f_\w+) .*Mollie", learned, re.MULTILINE)
    machine("forget", fact)
    assert "Next:" not in machine("hooks", "install", "gemini", "--yes")


def test_removing_names_the_installations_that_are_left(machine):
    machine("hooks", "install", "claude", "--yes")
    project = str(machine.project)
    machine("hooks", "install", "claude", "--project", project, "--yes")
    error = machine("hooks", "remove", "all", status=8)
    assert "hint: crewmem --as operator:kim hooks remove all" in error
    output = machine("--as", "operator:kim", "hooks", "remove", "all")
    left = output.splitlines()[-1].removeprefix("Next: crewmem ")
    again = machine("--as", "operator:kim", "hooks", "remove", "all")
    assert again.startswith("There are no entries of crewmem for all your projects.\n")
    assert "Next:" not in machine(*left.split())


def test_installation_from_another_home_names_the_one_that_it_replaces(machine):
    first = machine.user / ".local/share/crewmem"
    other = ("--home", str(machine.user / "other"))
    assert "replaces" not in machine("hooks", "install", "claude", "--yes")
    assert "replaces" not in machine("hooks", "install", "claude", "--yes")
    replaced = f"This replaces the entries of the home {first}."
    assert replaced in machine(*other, "hooks", "install", "claude", "--dry-run")
    assert replaced in machine(*other, "hooks", "install", "claude", "--yes")
    assert f"the home {other[1]}." in machine("hooks", "install", "claude", "--yes")


def test_person_in_a_project_is_told_how_to_act_as_themselves(machine):
    machine("hooks", "install", "claude", "--project", str(machine.project), "--yes")
    shared = machine("--as", "operator:kim", "remember", "Trains run on Tuesday").split()[0]
    error = machine("forget", shared, status=8)
    hint = error.splitlines()[-1].removeprefix("hint: crewmem ")
    assert machine(*hint.split()).startswith(f"{shared}  archived")


def run_status(machine, status=0):
    """Return the lines that `hooks status` prints."""
    result = machine.start("hooks", "status")
    assert result.returncode == status
    return result.stdout.splitlines()
