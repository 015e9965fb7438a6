"""``crewmem transcripts``: learning from logs where programs leave them."""

import json
import os
import sys
from contextlib import closing
from datetime import timedelta

import apsw
import pytest
from conftest import NOW
from homes import stamps
from transcripts.logs import claude, codex, grow, pi

RULE = "Never push to main directly."

LISTED = ("memories", "list", "--json")


@pytest.fixture(name="person")
def _person(tmp_path):
    """The home directory of a person who uses all three programs."""
    home = tmp_path / "person"
    logs = {
        ".claude/projects/-srv-app/s9.jsonl": claude(RULE, 1),
        ".codex/sessions/2026/04/30/rollout-2026-04-30-c1.jsonl": codex(
            "session_meta", id="c1", cwd="/srv/app"
        )
        + codex(
            "event_msg", 1, type="user_message", message="Deploys only on Tuesdays."
        ),
        ".openclaw/agents/mira/sessions/0f3c.jsonl": pi(
            "message", 1, message={"role": "user", "content": "Use Caddy for the edge."}
        ),
        ".openclaw/agents/mira/sessions/notes.txt": b"Never read this file at all.",
        ".claude/history.jsonl": claude("Always read no history.", 2),
    }
    for name, content in logs.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return home


@pytest.fixture(name="harbor")
def _harbor(crewmem, person):
    """A home with two agents, of which one is known to OpenClaw."""
    assert person
    crewmem("crew", "add", "harbor", "--lead", "mira")
    crewmem("agent", "add", "mira", "--crew", "harbor", "--role", "lead")
    crewmem("agent", "add", "tor", "--crew", "harbor")
    return crewmem


def extract(crewmem, *words, **how):
    ran = crewmem("transcripts", "extract", *words, "--json", **how)
    assert ran.status == 0, ran.stderr
    return ran.json["data"]


def contents(crewmem):
    """Return what is held, by agent."""
    held = crewmem(*LISTED).json["data"]
    return {(each["memory"]["agent"], each["memory"]["content"]) for each in held}


def test_a_person_without_a_home_sees_what_would_be_learned(crewmem, person, home):
    """Before anything is set up a dry run reads all programs, and makes nothing."""
    assert person
    ran = crewmem("transcripts", "extract", "--dry-run")
    assert ran.status == 0
    for text in (RULE, "Deploys only on Tuesdays.", "Use Caddy for the edge."):
        assert text in ran.stdout
    assert "nobody yet" in ran.stdout
    assert "claude=SLUG" in ran.stderr
    assert crewmem("transcripts", "extract").status == 4
    assert crewmem("transcripts", "status").status == 0
    assert not home.exists()


def test_each_log_is_of_its_agent(harbor):
    """OpenClaw names its agents; of others nothing is learned until one is named."""
    done = extract(harbor)
    assert (done["read"], done["unowned"]) == (1, 2)
    assert contents(harbor) == {("mira", "Use Caddy for the edge.")}
    harbor("config", "set", "transcripts.agents", "claude=tor /srv/other=mira")
    done = extract(harbor)
    assert done["read"] == 1
    assert ("tor", RULE) in contents(harbor)
    extract(harbor, "--agent", "tor")
    assert ("tor", "Deploys only on Tuesdays.") in contents(harbor)
    assert extract(harbor, "--agent", "tor")["unchanged"] == 3


def test_an_unknown_agent_is_said(harbor):
    """A log is given to nobody who is not there."""
    assert harbor("transcripts", "extract", "--agent", "zoe").status == 4
    for text in ("claude", "cloude=mira", "claude=Mira", "claude=a/b/c", "srv=mira"):
        ran = harbor("config", "set", "transcripts.agents", text)
        assert ran.status in {2, 3}
        assert "claude=SLUG" in ran.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [(("--memory", "off"), "memory is off"), (("auto_extract=false",), "auto_extract")],
)
def test_who_takes_no_part_is_left_out(harbor, words, reason):
    """Of an agent that is switched off nothing is learned, and that is said."""
    harbor("agent", "set", "mira", *words)
    ran = harbor("transcripts", "extract")
    assert ran.status == 0
    assert reason in ran.stderr
    assert contents(harbor) == set()


def test_one_program_may_be_named(harbor):
    """With --harness only the logs of that program are looked for."""
    assert extract(harbor, "--harness", "openclaw")["files"] == 1
    assert extract(harbor, "--harness", "codex", "--dry-run")["files"] == 1
    assert extract(harbor, "--harness", "plain", "--dry-run")["files"] == 0


def test_other_places_are_honoured(harbor, person, tmp_path):
    """The variables by which programs are told where to write are read as well."""
    moved = tmp_path / "moved"
    (person / ".claude").rename(moved)
    assert extract(harbor, "--dry-run")["files"] == 2
    environ = {"CLAUDE_CONFIG_DIR": str(moved)}
    assert extract(harbor, "--dry-run", environ=environ)["files"] == 3


def test_a_directory_that_is_named_has_to_be_there(harbor):
    """A root that is not there is an error; a program that is not used is none."""
    assert harbor("transcripts", "extract", "--root", "/nowhere").status == 4


def test_the_newest_logs_are_read_first(harbor, tmp_path):
    """With --limit the newest logs are read, the rest next time."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(3):
        path = logs / f"s{number}.jsonl"
        grow(path, claude(f"Never paint boat {number} in spring.", number))
        os.utime(path, (1000 + number, 1000 + number))
    words = ("--root", logs, "--agent", "tor", "--limit", "2")
    assert [each["file"][-8:] for each in extract(harbor, *words)["learned"]] == [
        "s1.jsonl",
        "s2.jsonl",
    ]
    assert len(extract(harbor, *words)["learned"]) == 1


def test_from_now_on(harbor, person):
    """With --from-now what is there is passed over, and what follows is learned."""
    assert extract(harbor, "--from-now")["learned"] == []
    grow(
        person / ".openclaw/agents/mira/sessions/0f3c.jsonl",
        pi("message", 2, message={"role": "user", "content": "Use Redis for queues."}),
    )
    (learned,) = extract(harbor)["learned"]
    assert learned["content"] == "Use Redis for queues."


def test_bad_lines_are_told_by_number(harbor, person):
    """What cannot be read is a warning with the numbers; with --strict status 1."""
    path = person / ".openclaw/agents/mira/sessions/0f3c.jsonl"
    grow(path, b"not json\n{\n")
    ran = harbor("transcripts", "extract", "--strict")
    assert ran.status == 1
    assert f"{path}: lines 2, 3 could not be read" in ran.stderr
    assert "skipped   line 2, 3" in harbor("transcripts", "status").stdout


def test_what_nobody_knows_is_told(harbor, tmp_path):
    """Files and kinds of lines that nobody knows are told, and so are links."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "odd.jsonl").write_text('{"moon": 1}\n')
    (logs / "new.jsonl").touch()
    (logs / "link.jsonl").symlink_to("/etc/hostname")
    grow(logs / "s.jsonl", claude(RULE, 1) + b'{"type": "moon", "sessionId": "s"}\n')
    words = ("transcripts", "extract", "--root", logs, "--agent", "tor")
    ran = harbor(*words)
    assert ran.status == 0
    assert f"{logs}/odd.jsonl is left out: nobody knows" in ran.stderr
    assert f"{logs}/link.jsonl is left out: it is a link" in ran.stderr
    assert "new.jsonl" not in ran.stderr
    assert "1 lines of unknown kinds: moon" in ran.stdout
    assert "1 learned" in ran.stdout


def test_a_database_is_read_on(harbor, person):
    """Sessions that OpenClaw keeps in its database are read as they grow, once each."""
    folder = person / ".openclaw/agents/tor/agent"
    folder.mkdir(parents=True)
    with closing(apsw.Connection(str(folder / "openclaw-agent.sqlite"))) as db:
        db.execute(
            """
            create table transcript_events (session_id text, seq integer,
                event_json text, created_at integer, primary key (session_id, seq))
            """
        )

        def put(seq, text):
            line = pi("message", seq, message={"role": "user", "content": text})
            row = ("s1", seq, line.decode(), seq)
            db.execute(
                "insert or replace into transcript_events values (?, ?, ?, ?)", row
            )

        put(0, RULE)
        (learned,) = [e for e in extract(harbor)["learned"] if e["agent"] == "tor"]
        assert (learned["content"], learned["session"]) == (RULE, "s1")
        assert extract(harbor)["learned"] == []
        put(1, "Use Redis for queues.")
        assert [each["content"] for each in extract(harbor)["learned"]] == [
            "Use Redis for queues."
        ]
        db.execute("delete from transcript_events where seq = 1")
        put(0, "Deploys only on Mondays.")
        put(1, "Fine with me.")
        assert [each["content"] for each in extract(harbor)["learned"]] == [
            "Deploys only on Mondays."
        ]
    shown = harbor("transcripts", "show", "s1", "--json").json["data"]
    assert [each["text"] for each in shown] == [
        "Deploys only on Mondays.",
        "Fine with me.",
    ]


def test_what_cannot_be_read_holds_up_nothing(harbor, tmp_path):
    """A log that is damaged is a warning beside others, and alone a failure."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "rollout-1.jsonl.zst").write_bytes(b"no such thing")
    words = ("transcripts", "extract", "--root", logs, "--agent", "tor")
    ran = harbor(*words)
    assert (ran.status, ran.stdout) == (5, "")
    grow(logs / "s.jsonl", claude(RULE, 1))
    ran = harbor(*words)
    assert ran.status == 0
    assert "rollout-1.jsonl.zst" in ran.stderr
    assert "1 learned" in ran.stdout


def test_a_backlog_shows_how_far_it_is(harbor, tmp_path):
    """At a terminal a bar tells how much of many megabytes is read."""
    logs = tmp_path / "logs"
    logs.mkdir()
    grow(logs / "s.jsonl", claude("x" * 1_000, 1) * 400)
    words = ("transcripts", "extract", "--root", logs, "--agent", "tor")
    assert "Reading transcripts" in harbor(*words, tty=True).stderr


def test_an_agent_learns_of_its_own(harbor, person):
    """An agent reads its own logs, and those that are nobody's; nobody else's."""
    done = extract(harbor, "--as", "agent:tor")
    assert {each["agent"] for each in done["learned"]} == {"tor"}
    assert {text for _, text in contents(harbor)} == {RULE, "Deploys only on Tuesdays."}
    assert person
    assert harbor("--as", "agent:tor", "transcripts", "show", "0f3c").status == 4
    seen = harbor("--as", "agent:mira", "transcripts", "status", "--json").json["data"]
    assert seen["logs"] == []


def test_what_is_shown_is_what_is_read(harbor):
    """A log is shown turn by turn, with the memories that were made of it."""
    extract(harbor)
    (turn,) = harbor("transcripts", "show", "0f3c", "--json").json["data"]
    assert (turn["role"], turn["text"]) == ("user", "Use Caddy for the edge.")
    (memory,) = turn["learned"]
    assert harbor("get", memory).status == 0
    assert harbor("transcripts", "show", "nothing").status == 4


def test_status_tells_of_what_waits(harbor, person):
    """What was added since is told, with how far behind it is."""
    extract(harbor)
    path = person / ".openclaw/agents/mira/sessions/0f3c.jsonl"
    grow(path, b"x" * 2_000)
    when = (NOW + timedelta(hours=1)).timestamp()
    os.utime(path, (when, when))
    seen = harbor("transcripts", "status", "--json").json["data"]
    (own,) = [each for each in seen["logs"] if each["agent"] == "mira"]
    assert (own["waiting"], own["bytes"]) == (1, 2_000)
    assert own["gap_seconds"] == 24 * 3600 + 29 * 60
    assert seen["kinds"] == {"decision": 1}
    assert "24 h behind" in harbor("transcripts", "status").stdout
    assert harbor("status", "--json").json["data"]["transcripts"]["waiting"] == 1


def test_the_job_does_it(harbor):
    """The timer's job learns, and has nothing to do where nothing is new."""
    ran = harbor("timers", "run", "extract")
    assert ran.status == 0, ran.stderr
    assert "1 memory learned" in ran.stdout
    later = NOW + timedelta(minutes=5)
    assert "nothing to do" in harbor("timers", "run", "extract", now=later).stdout


def test_the_job_leaves_an_agent_its_interval(harbor, person):
    """An agent that wants to be looked after less often is not read before its time."""
    harbor("agent", "set", "mira", "extract_interval_minutes=60")
    harbor("timers", "run", "extract")
    grow(
        person / ".openclaw/agents/mira/sessions/0f3c.jsonl",
        pi("message", 2, message={"role": "user", "content": "Use Redis for queues."}),
    )
    for minutes, count in ((30, 1), (61, 2)):
        harbor("timers", "run", "extract", now=NOW + timedelta(minutes=minutes))
        assert len(contents(harbor)) == count


def test_logs_that_are_gone_are_forgotten(harbor, person):
    """A log that was away for a month leaves the list; what was learned stays."""
    extract(harbor)
    (person / ".openclaw/agents/mira/sessions/0f3c.jsonl").unlink()
    for days, count in ((29, 1), (31, 0)):
        harbor("timers", "run", "housekeeping", now=NOW + timedelta(days=days))
        seen = harbor("transcripts", "status", "--json").json["data"]["logs"]
        assert len([each for each in seen if each["agent"]]) == count
    assert contents(harbor) == {("mira", "Use Caddy for the edge.")}


def test_two_at_once_learn_once(harbor, beside, home):
    """A second run that finds the first at work leaves it to that."""
    assert home

    def run():
        assert harbor("transcripts", "extract", "--agent", "tor").status == 0

    assert beside(run, run, run) == [0, 0, 0]
    extract(harbor, "--agent", "tor")
    assert len(contents(harbor)) == 3
    assert len(harbor(*LISTED, "--limit", "50").json["data"]) == 3


def test_nothing_crosses_to_another_workspace(harbor):
    """The job learns for the usual workspace, and for another what is its own."""
    harbor("-w", "lab", "crew", "add", "dock")
    harbor("-w", "lab", "agent", "add", "mira", "--crew", "dock")
    harbor("config", "set", "transcripts.agents", "claude=lab/mira")
    harbor("timers", "run", "extract")
    assert contents(harbor) == {("mira", "Use Caddy for the edge.")}
    held = harbor("-w", "lab", *LISTED).json["data"]
    assert [each["memory"]["content"] for each in held] == [RULE]


MODEL = """
import json, sys
text = sys.stdin.read()
assert "Never push to main directly." in text, text
print(json.dumps([{
    "turn": 1, "quote": "Never push to main directly.", "kind": "correction",
    "title": "No direct pushes", "content": "Open a branch; never push to main.",
    "importance": 5, "confidence": 1, "entities": [], "scope": "agent"}]))
"""


def test_a_program_may_find_what_is_worth_it(harbor, tmp_path):
    """A language model that is named beside the command is asked, and has to quote."""
    script = tmp_path / "model.py"
    script.write_text(MODEL)
    words = ("--harness", "claude", "--agent", "tor")
    command = ("--llm-command", f"{sys.executable} {script}")
    (learned,) = extract(harbor, *words, *command)["learned"]
    assert (learned["kind"], learned["how"]) == ("correction", "model")


def test_what_a_model_was_not_asked_is_asked_again(harbor, tmp_path):
    """A model that is down costs nothing: the part waits, and --retry asks again."""
    words = ("--harness", "claude", "--agent", "tor")
    down = ("--llm-command", f"{sys.executable} -c 'import sys; sys.exit(1)'")
    done = extract(harbor, *words, *down)
    assert (len(done["learned"]), done["letters"]) == (1, 1)
    assert (
        "wait for the language model"
        in harbor("transcripts", "extract", *words, *down, "--retry").stderr
        or harbor("transcripts", "status", "--json").json["data"]["letters"]
    )
    script = tmp_path / "model.py"
    script.write_text(MODEL)
    up = ("--llm-command", f"{sys.executable} {script}", "--retry")
    done = extract(harbor, *words, *up)
    assert done["answered"] == 1
    assert [each["how"] for each in done["learned"]] == ["model"]
    assert harbor("transcripts", "status", "--json").json["data"]["letters"] == {}


def test_doctor_says_what_is_not_read(harbor, person):
    """Logs that are newer than what was learned of them are a warning."""
    only = ("doctor", "--only", "transcripts", "--json")
    before = harbor(*only).json["data"]
    assert {each["status"] for each in before} == {"pass"}
    extract(harbor)
    later = NOW + timedelta(days=365)
    found = [e for e in harbor(*only, now=later).json["data"] if e["status"] == "warn"]
    assert found == []  # nobody said that the other programs are to be learned of
    path = person / ".openclaw/agents/mira/sessions/0f3c.jsonl"
    grow(path, b"more\n")
    found = [
        e for e in harbor(*only, now=later).json["data"] if "mira" in e["observed"]
    ]
    assert found[0]["repair"].endswith("transcripts extract")


def test_reading_leaves_no_trace(harbor, person, home, tmp_path):
    """In a home that cannot be written logs are looked at, and nothing is made."""
    extract(harbor)
    grow(
        person / ".openclaw/agents/mira/sessions/0f3c.jsonl",
        pi("message", 2, message={"role": "user", "content": "Use Redis for queues."}),
    )
    paths = [home, *home.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = stamps(tmp_path)
    try:
        for words in (
            ("extract", "--dry-run"),
            ("status",),
            ("show", "0f3c"),
        ):
            ran = harbor("transcripts", *words)
            assert ran.status == 0, ran.stderr
        assert harbor("recover", "log").status == 0
        assert stamps(tmp_path) == before
    finally:
        home.chmod(0o755)


def test_where_it_was_said_is_exported(harbor, tmp_path):
    """The place in the log goes along with a memory."""
    extract(harbor)
    harbor("export", "--out", tmp_path / "b")
    text = (tmp_path / "b/memories/memories.jsonl").read_text()
    (span,) = json.loads(text)["source_spans"]
    assert span["file"].endswith("0f3c.jsonl")
