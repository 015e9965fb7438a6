"""What hooks answer: recorded inputs of each program, and what is given once."""

import io
import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest

import crewmem
from crewmem.access import Actor
from crewmem.cli.main import run
from crewmem.hooks.answers import answer_event, record_event_loss, sync_session
from crewmem.hooks.events import Event, parse_event
from crewmem.hooks.log import list_problems
from crewmem.hooks.programs import PROGRAMS
from crewmem.hooks.subjects import (
    describe_command,
    describe_error,
    describe_file,
    filter_mentioned,
)

RECORDED = [
    json.loads(line) for line in Path(__file__).with_name("events.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['program']}-{case['kind']}")
def test_recorded_input_is_understood(case):
    event = parse_event(case["program"], case["input"])
    if case["kind"] is None:
        assert event is None
        return
    assert (event.kind, event.session, event.directory) == (case["kind"], "s", "/p")
    if event.kind == "prompt":
        assert event.prompt == case["prompt"]
    assert list(event.files) == case.get("files", [])
    assert event.command == case.get("command", "")
    assert event.error == case.get("error", "")
    assert event.is_cleared == case.get("is_cleared", False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_input_of_the_wrong_types_is_not_an_error(name):
    for payload in ({}, {"hook_event_name": 3}, {"hook_event_name": []}):
        assert parse_event(name, payload) is None
    for event in ("PreToolUse", "AfterTool", "PostToolUse", "SessionStart"):
        wrong = {"tool_input": [1], "cwd": 7, "tool_response": "x", "session_id": None}
        parsed = parse_event(name, {"hook_event_name": event, **wrong})
        assert parsed is None or parsed.session == ""


def ask(home, kind, program="claude", **values):
    event = Event(kind, kind, **{"session": "s1", "directory": "/p", **values})
    return answer_event(home, program, event, started=time.perf_counter())


def test_program_that_kept_its_context_in_memory_is_given_it_again(home):
    home.facts.add("Deploys are on Tuesdays", kind="decision", importance=5)
    start = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": "/p", "source": "clear"}
    for _ in range(2):
        event = parse_event("opencode", start)
        assert "Tuesdays" in answer_event(home, "opencode", event, started=time.perf_counter())


def test_edit_of_a_file_with_a_lesson_says_it_once(make_home):
    home = make_home("agent:ada")
    home.facts.add("src/db.py keeps the pool size; raise it with the DBA only", kind="lesson")
    home.facts.add("The colour of the logo is green", kind="fact")
    first = ask(home, "before tool", files=("/p/src/db.py",))
    assert "pool size" in first
    assert "logo" not in first
    assert ask(home, "before tool", files=("/p/src/db.py",)) == ""
    assert "pool size" in ask(home, "before tool", files=("/p/src/db.py",), session="s2")
    assert ask(home, "before tool", files=("/p/src/other.py",)) == ""


def test_subagent_and_its_session_are_each_told_of_a_file(make_home):
    home = make_home("agent:ada")
    home.facts.add("src/db.py keeps the pool size; raise it with the DBA only", kind="lesson")
    call = {
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": "/p",
        "tool_name": "Read", "tool_input": {"file_path": "/p/src/db.py"},
    }  # fmt: skip
    for more in ({"agent_id": "a1", "agent_type": "Explore"}, {"agent_id": "a2"}, {}):
        event = parse_event("claude", {**call, **more})
        assert "pool size" in answer_event(home, "claude", event, started=time.perf_counter())
        assert answer_event(home, "claude", event, started=time.perf_counter()) == ""


def test_command_for_which_there_was_no_line_is_told_of_later(make_home):
    home = make_home("agent:ada")
    for what in ("needs the cache", "takes an hour", "fails without a lock"):
        home.facts.add(f"cargo bench {what}", kind="lesson")
    home.facts.add("kubectl apply waits for a second person", kind="lesson")
    both = ask(home, "before tool", command="cargo bench && kubectl apply")
    assert both.count("cargo bench") == 3
    assert "second person" not in both
    assert "second person" in ask(home, "before tool", command="kubectl apply")
    assert ask(home, "before tool", command="cargo bench && kubectl apply") == ""


@pytest.mark.parametrize(
    "command",
    ["sed -i 's/a/b/' conf/app.yaml", "echo a: 1 >> ./conf/app.yaml", "rm -f conf/app.yaml"],
)
def test_command_that_changes_a_file_is_told_of_it(make_home, command):
    home = make_home("agent:ada")
    home.facts.add("conf/app.yaml is generated: edit conf/app.in.yaml instead", kind="lesson")
    assert "app.in.yaml" in ask(home, "before tool", command=command)
    assert ask(home, "before tool", command="cat conf/app.yaml | head") == ""


def test_at_most_three_lines_are_said_of_a_file(make_home):
    home = make_home("agent:ada")
    for what in ("parsing", "printing", "tokens", "numbers", "comments"):
        home.facts.add(f"grammar.py is where {what} live since the spring", kind="lesson")
    block = ask(home, "before tool", files=("/p/grammar.py",))
    assert block.count("\n- ") == 3
    assert ask(home, "before tool", files=("/p/grammar.py",)) == ""


def test_failed_command_whose_error_is_known_says_it_once(make_home):
    home = make_home("agent:ada")
    home.facts.add(
        "OperationalError: no such table users means that CREWMEM_TEST_DB is not set", kind="lesson"
    )
    error = "Traceback\nsqlite3.OperationalError: no such table: users"
    assert "CREWMEM_TEST_DB" in ask(home, "after tool", command="pytest", error=error)
    assert ask(home, "after tool", command="pytest", error=error) == ""
    assert ask(home, "after tool", command="x", error="fatal: not a git repository") == ""


def test_rule_about_a_program_is_shown_before_its_command(make_home):
    home = make_home("agent:ada")
    home.facts.add("Run everything with pnpm, never npm.", kind="preference")
    home.facts.add("Commit messages of git are in English.", kind="preference")
    assert "never npm" in ask(home, "before tool", command="npm test")
    assert ask(home, "before tool", command="git status") == ""


@pytest.mark.parametrize(
    "command",
    [
        "git push origin release",
        "pytest tests/integration -k ledger",
        "cd x && ./deploy.sh staging",
    ],
)
def test_rule_with_two_words_of_a_command_is_shown_before_it(make_home, command):
    home = make_home("agent:ada")
    home.facts.add("Never push to the release branch on Fridays", kind="preference")
    home.facts.add("The integration tests need Docker; start colima first", kind="lesson")
    home.facts.add("Deploys to staging wait for the smoke run", kind="decision")
    block = ask(home, "before tool", command=command)
    assert block.count("\n- ") == 1
    assert ask(home, "before tool", command=command) == ""


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'push the release notes'",
        "git push origin main",
        "grep -rn release push.py",
        "git checkout main",
    ],
)
def test_rule_is_not_shown_for_a_word_or_a_quoted_sentence(make_home, command):
    home = make_home("agent:ada")
    home.facts.add("Never push to the release branch on Fridays", kind="preference")
    home.facts.add("The checkout page and its main button are green", kind="fact")
    assert ask(home, "before tool", command=command) == ""


def test_agent_whose_memory_is_off_is_given_nothing(make_home):
    home = make_home("agent:ada")
    home.facts.add("Deploys are on Tuesdays", kind="decision", importance=5)
    assert "Tuesdays" in ask(home, "start")
    make_home().registry.set_agent("ada", memory=False)
    assert ask(home, "start", session="s2") == ""
    assert ask(home, "prompt", session="s2", prompt="on which day are deploys?") == ""


def test_read_only_home_needs_no_lock_to_answer(make_home, home_path):
    make_home("agent:ada").facts.add("Deploys are on Tuesdays", kind="decision", importance=5)
    home = make_home("agent:ada")
    home.context.read_only = True
    shutil.rmtree(home_path / "locks")
    (home_path / "locks").write_text("no lock can be taken here")
    assert "Tuesdays" in ask(home, "start")


def test_tool_hooks_can_be_switched_off(make_home):
    home = make_home("agent:ada", hooks__before_tools="off")
    home.facts.add("src/db.py keeps the pool size", kind="lesson")
    assert ask(home, "before tool", files=("/p/src/db.py",)) == ""


def test_prompt_is_given_nothing_twice_until_context_is_lost(make_home):
    home = make_home("agent:ada", hooks__min_relevance="0.2")
    home.facts.add("The staging database runs on port 6543", kind="fact")
    prompt = "On which port does the staging database run?"
    assert "6543" in ask(home, "prompt", prompt=prompt)
    assert ask(home, "prompt", prompt=prompt) == ""
    record_event_loss(home, "claude", Event("lost", "x", session="s1"))
    assert "6543" in ask(home, "prompt", prompt=prompt)


def test_what_the_recovery_gave_is_not_given_again_by_the_next_prompt(make_home):
    home = make_home("agent:ada", hooks__min_relevance="0.2")
    home.facts.add("The staging database runs on port 6543", kind="fact")
    assert "6543" in ask(home, "compacted")
    assert ask(home, "prompt", prompt="On which port does the staging database run?") == ""


def test_shared_copy_of_a_fact_is_given_once_with_it(make_home):
    home = make_home("lead:ada", hooks__min_relevance="0.2")
    said = "We decided that the staging database runs on port 6543"
    own = home.facts.add(said, kind="decision", scope="agent", importance=4)
    home.facts.share(own.id, to="crew:web")
    assert len(home.facts.list().facts) == 2
    assert ask(home, "compacted").count("6543") == 1
    assert ask(home, "prompt", prompt="On which port does the staging database run?") == ""


def test_cleared_session_is_given_the_start_again(make_home):
    home = make_home("agent:ada")
    home.facts.add("We use PostgreSQL 16", kind="decision", importance=5)
    told = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": "/p"}
    texts = [
        answer_event(home, "claude", parse_event("claude", {**told, "source": source}), started=0)
        for source in ("startup", "resume", "clear")
    ]
    assert ["PostgreSQL" in text for text in texts] == [True, False, True]


def test_code_of_an_error_alone_finds_what_is_known_of_it(make_home):
    home = make_home("agent:ada")
    home.facts.add("If ENOSPC shows up, empty /var/tmp/crumbs", kind="error")
    home.facts.add("ERROR lines go to the second log", kind="lesson")
    assert "crumbs" in ask(home, "after tool", error="Exit code 2\nmake: *** ENOSPC")
    assert ask(home, "after tool", error="ERROR: make: *** EACCES") == ""


@pytest.mark.parametrize(
    ("error", "known"),
    [
        ('connection to "127.0.0.1", port 5433 failed: Connection refused', "make db"),
        ("npm ERR! code EINTEGRITY\nnpm ERR! checksum failed", "npm cache"),
        ("No module named 'crypto' (ModuleNotFoundError)", "pycryptodome"),
        ("No module named 'yaml' (ModuleNotFoundError)", ""),
        ("curl: (7) localhost port 8080 after 0 ms: Connection refused", ""),
    ],
)
def test_lesson_is_about_an_error_by_what_is_telling_in_it(make_home, error, known):
    home = make_home("agent:ada")
    for lesson in (
        "'connection refused 5433': the test database is not started, run make db first",
        "If npm ci says EINTEGRITY, clear the npm cache",
        "ModuleNotFoundError: No module named 'crypto' means that pycryptodome is missing",
    ):
        home.facts.add(lesson, kind="lesson")
    block = ask(home, "after tool", error=error)
    assert known in block
    assert block.count("\n- ") == bool(known)


def test_quoted_name_of_an_error_alone_finds_the_rules_about_it(make_home):
    home = make_home("agent:ada")
    home.facts.add("Build @shop/schema with `pnpm build:schema` before the tests", kind="lesson")
    home.facts.add("The tests of users run first", kind="lesson")
    error = "Exit code 1\nError: Cannot find module '@shop/schema'"
    assert "build:schema" in ask(home, "after tool", error=error)
    assert ask(home, "after tool", error="error: cannot drop table 'users'") == ""


def test_name_of_a_hash_is_no_code_of_an_error(make_home):
    home = make_home("agent:ada")
    home.facts.add("Archives are checked by SHA256 before they are moved", kind="lesson")
    assert ask(home, "after tool", error="error: SHA256 of wheel 4711 cannot be read") == ""


def test_prompt_that_nothing_answers_prints_nothing(make_home):
    home = make_home("agent:ada")
    home.facts.add("The staging database runs on port 6543", kind="fact")
    for prompt in ("yes", "/clear", "", "please bake a chocolate cake for my aunt"):
        assert ask(home, "prompt", prompt=prompt) == ""


def test_short_prompt_of_a_script_without_spaces_is_answered(make_home):
    home = make_home("agent:ada")
    home.facts.add("水位表在码头办公室的墙上", kind="fact")
    assert "码头办公室" in ask(home, "prompt", prompt="水位表在哪里？")


def test_words_behind_a_command_are_answered(make_home):
    home = make_home("agent:ada")
    home.facts.add("The staging database runs on port 6543", kind="fact")
    prompt = "/plan move the staging database to another port"
    assert "6543" in ask(home, "prompt", prompt=prompt)


def test_start_after_compaction_is_the_recovery(make_home):
    home = make_home("agent:ada")
    home.facts.add("We use PostgreSQL 16", kind="decision", importance=5)
    assert "PostgreSQL" in ask(home, "start")
    assert "MEMORY RECOVERY" in ask(home, "compacted")
    assert len(home.sessions.list_losses()) == 1


def test_blocks_keep_the_limit_of_bytes(make_home):
    home = make_home("agent:ada")
    for number in range(40):
        rule = f"module_{number} is built before the others, because they read its tables at start"
        home.facts.add(rule, importance=5)
    assert 0 < len(ask(home, "start").encode()) <= 1800


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("git push origin main", ["git push origin"]),
        ("cd /x && FOO=1 sudo make -j4 all; ls", ["make"]),
        ("npm run build | tee log", ["npm run build", "tee log"]),
        ("cat a 'b", []),
        ("", []),
    ],
)
def test_command_is_about_its_program_and_subcommand(command, keys):
    assert [each.key.removeprefix("command:") for each in describe_command(command)] == keys


def test_common_file_names_need_their_directory():
    assert describe_file("/p/a/__init__.py", "/p").names == ("a/__init__.py",)
    assert describe_file("/p/a/db.py", "/p").names == ("a/db.py", "db.py")
    assert describe_file("/elsewhere/db.py", "/p").names == ("db.py",)
    assert describe_file("/p/b/index.ts", "/p/a").names == ("b/index.ts",)
    assert describe_file("/p/README.md", "/p").names == ("README.md",)
    assert describe_error("\n \n") is None


def test_subjects_that_nothing_names_are_dropped_without_a_search(make_home):
    home = make_home("agent:ada")
    home.facts.add("src/db.py keeps the pool size", kind="lesson")
    home.memory.write("# Deploys\n\nRun make release first.\n", tier="topic", key="deploys")
    home.search("anything")
    subjects = [describe_file("/p/src/db.py", "/p"), describe_file("/p/x.py", "/p")]
    subjects += describe_command("make release; cargo build")
    keys = [each.key for each in filter_mentioned(home.context, subjects)]
    assert keys == ["file:src/db.py", "command:make release"]


# The process


def call(home_path, payload, *options, cwd=None, **variables):
    import os

    environ = {**os.environ, **variables}
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return subprocess.run(
        [sys.executable, "-m", "crewmem", "--home", str(home_path), "hook", *options],
        input=text, capture_output=True, text=True, env=environ, cwd=cwd, check=False,
    )  # fmt: skip


START = {"hook_event_name": "SessionStart", "session_id": "s9", "source": "startup"}


def test_hook_ends_with_0_and_says_nothing_when_anything_is_wrong(home_path, tmp_path):
    for payload, options in [
        ("nonsense", ["claude"]),
        ("[]", ["claude"]),
        (START, ["unheard-of"]),
        (START, ["claude", "--agent", "nobody"]),
        (START, ["claude", "--newer-option"]),
        (START, []),
    ]:
        done = call(home_path, payload, *options, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), payload
    problems = [each["problem"] for each in list_problems(home_path)]
    assert any("nobody" in problem for problem in problems)
    assert not any("Expecting value" in problem for problem in problems)
    assert call(tmp_path / "none", START, "claude").returncode == 0


def test_context_loss_is_stored_when_the_hook_has_ended(home_path, make_home):
    home = make_home()
    compressed = {"hook_event_name": "PreCompress", "session_id": "s9", "trigger": "auto"}
    call(home_path, compressed, "gemini", "--agent", "ada")
    assert [loss.native_id for loss in home.sessions.list_losses()] == ["s9"]


def test_log_of_hooks_holds_no_secret(home_path):
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z45"
    call(home_path, START, token)
    (problem,) = list_problems(home_path)
    assert problem["program"] == "[redacted: github-token]"
    assert token not in (home_path / "logs" / "hooks.log").read_text()


def test_half_a_character_in_an_event_is_not_an_error(home_path, home):
    home.facts.add("The staging database runs on port 6543", importance=5)
    done = call(home_path, {**START, "session_id": "s \ud83d"}, "claude", "--fallback", "ada")
    assert "6543" in done.stdout
    assert done.stderr == ""


def test_hook_never_acts_as_operator(home_path, home, tmp_path):
    home.facts.add("Operators know this", importance=5)
    assert call(home_path, START, "claude", cwd=tmp_path).stdout == ""
    assert call(home_path, START, "claude", cwd=tmp_path, CREWMEM_ACTOR="operator:kim").stdout == ""
    assert "Operators know" in call(home_path, START, "claude", "--fallback", "ada").stdout


def test_hook_is_quiet_in_programs_that_we_start(home_path, home):
    home.facts.add("Something", importance=5)
    done = call(home_path, START, "claude", "--agent", "ada", CREWMEM_HOOKS_OFF="1")
    assert (done.returncode, done.stdout) == (0, "")


def test_agent_is_known_by_the_directory_of_the_event(home_path, home, tmp_path):
    (tmp_path / "project").mkdir()
    home.registry.set_agent("bob", projects=[tmp_path / "project"])
    home.facts.add("Bob's own secret plan", scope="agent", agent="bob", importance=5)
    payload = {**START, "cwd": str(tmp_path / "project")}
    done = call(home_path, payload, "claude", "--fallback", "ada", cwd=tmp_path)
    output = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    assert "secret plan" in output["additionalContext"]


def test_session_keeps_its_agent_in_another_directory(home_path, home, tmp_path):
    project, other = tmp_path / "project", tmp_path / "other"
    project.mkdir()
    other.mkdir()
    home.registry.set_agent("ada", projects=[project])
    home.registry.set_agent("bob", projects=[other])
    home.as_actor(Actor("agent", "ada")).facts.add("pay.py never rounds", kind="lesson")
    home.close()
    call(home_path, {**START, "cwd": str(project)}, "claude")

    edit = {"hook_event_name": "PreToolUse", "session_id": "s9", "cwd": str(other),
            "tool_name": "Edit", "tool_input": {"file_path": f"{other}/pay.py"}}  # fmt: skip
    assert "never rounds" not in call(home_path, {**edit, "session_id": "s8"}, "claude").stdout
    edit["agent_id"] = "a1"  # is given nothing yet
    assert "never rounds" in call(home_path, edit, "claude").stdout


def test_directory_that_is_gone_counts_to_the_project_around_it(
    home_path, home, tmp_path, monkeypatch
):
    project, other = tmp_path / "project", tmp_path / "other"
    project.mkdir()
    other.mkdir()
    home.registry.set_agent("ada", projects=[project])
    home.registry.set_agent("bob", projects=[other])
    home.as_actor(Actor("agent", "ada")).facts.add("ada deploys on Tuesdays", importance=5)
    home.as_actor(Actor("agent", "bob")).facts.add("bob deploys on Fridays", importance=5)
    home.close()
    monkeypatch.chdir(other)

    assert "Tuesdays" in call(home_path, {**START, "cwd": str(project / "gone")}, "claude").stdout
    assert call(home_path, {**START, "cwd": str(tmp_path / "gone")}, "claude").stdout == ""


def test_log_says_that_two_agents_share_the_directory(home_path, home, tmp_path):
    for slug in ("ada", "bob"):
        home.registry.set_agent(slug, projects=[tmp_path])
    home.close()
    assert call(home_path, {**START, "cwd": str(tmp_path)}, "claude").stdout == ""
    [problem] = list_problems(home_path)
    assert problem["problem"] == f"not exactly one agent works in {tmp_path}"


def test_fallback_is_not_for_projects_of_other_workspaces(home_path, home, tmp_path):
    home.facts.add("Deploys are on Tuesdays", kind="decision", importance=5)
    home.registry.add_workspace("team2")
    team2 = crewmem.open(home_path, workspace="team2")
    team2.registry.add_crew("blue")
    (tmp_path / "project").mkdir()
    team2.registry.add_agent("tess", crew="blue", projects=[tmp_path / "project"])
    team2.close()
    home.close()

    for directory, is_given in ((tmp_path, True), (tmp_path / "project", False)):
        event = {**START, "session_id": f"s {is_given}", "cwd": str(directory)}
        done = call(home_path, event, "claude", "--fallback", "ada")
        assert ("Tuesdays" in done.stdout) is is_given


def test_hook_gives_up_when_the_home_stays_locked(home_path, home):
    home.facts.add("Something", importance=5)
    home.close()
    with apsw.Connection(str(home_path / "crewmem.db")) as db:
        db.pragma("locking_mode", "exclusive")
        db.execute("update facts set importance = importance")
        done = call(home_path, START, "claude", "--agent", "ada")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_hook_answers_while_another_program_writes(home_path, home):
    home.facts.add("pay.py never rounds before VAT is added", kind="lesson", scope="workspace")
    home.close()
    edit = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": "/",
            "tool_name": "Edit", "tool_input": {"file_path": "/srv/pay.py"}}  # fmt: skip
    db = apsw.Connection(str(home_path / "crewmem.db"))
    db.execute("begin immediate")
    assert "never rounds" in call(home_path, edit, "claude", "--agent", "ada").stdout
    db.execute("rollback")
    assert "never rounds" in call(home_path, edit, "claude", "--agent", "ada").stdout
    assert call(home_path, edit, "claude", "--agent", "ada").stdout == ""
    db.close()


def test_nothing_waits_for_a_hook_that_has_ended(home_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"nonsense")))
    assert run(["--home", str(home_path), "hook", "claude"]) == 0
    assert not any(isinstance(thread, threading.Timer) and not thread.finished.is_set()
                   for thread in threading.enumerate())  # fmt: skip


def test_event_without_session_and_log_reads_no_logs(make_home, tmp_path, monkeypatch):
    home = make_home("agent:ada")
    monkeypatch.setenv("HOME", str(tmp_path))
    log = tmp_path / ".claude/projects/-p/s1.jsonl"
    log.parent.mkdir(parents=True)
    message = {"role": "user", "content": "The crane is out"}
    line = {"type": "user", "sessionId": "s1", "uuid": "u1", "cwd": "/p", "message": message}
    log.write_text(json.dumps(line) + "\n")

    for values in ({}, {"log": "/"}, {"log": str(log.parent)}):
        sync_session(home, "claude", Event("sync", "Stop", **values))
    assert home.sessions.list().sessions == []
    sync_session(home, "claude", Event("sync", "Stop", session="s1", log="/gone.jsonl"))
    assert len(home.sessions.list().sessions) == 1
