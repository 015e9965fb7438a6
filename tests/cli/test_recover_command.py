"""``crewmem recover``: memory is given back to who lost its context, and told."""

import json
from datetime import timedelta

import pytest
from conftest import NOW
from transcripts.logs import claude

RULE = "Never push to main directly."


@pytest.fixture(name="mira")
def _mira(crewmem):
    """An agent with a memory, a note, and what happened of late."""
    for words in (
        ["init", "--quiet"],
        ["config", "set", "embedder", "none"],
        ["crew", "add", "harbor", "--lead", "mira"],
        ["agent", "add", "mira", "--crew", "harbor", "--role", "lead"],
        ["agent", "add", "tor", "--crew", "harbor"],
        [
            *("remember", "Staging stays on PG 16", "--agent", "mira"),
            *("--kind", "decision", "--importance", "4"),
        ],
        ["remember", "The moon is far", "--agent", "mira", "--importance", "2"],
        ["remember", "Tor owns the winch", "--agent", "tor", "--importance", "5"],
        ["--as", "agent:mira", "scratch", "add", "--session", "s9", "half is done"],
    ):
        ran = crewmem(*words)
        assert ran.status == 0, ran.stderr
    return crewmem


def recover(mira, *words, **how):
    return mira("recover", "--agent", "mira", *words, **how)


def events(crewmem, kind):
    ran = crewmem("journal", "list", "--type", kind, "--json")
    return ran.json["data"]


def test_the_last_day_is_given_back(mira):
    """Decisions and notes are there; what is minor, or another's, is not."""
    ran = recover(mira, "--session", "s9")
    assert ran.status == 0, ran.stderr
    assert ran.stdout.startswith(
        "[MEMORY RECOVERY — context restored after compaction]"
    )
    assert "Staging stays on PG 16" in ran.stdout
    assert "half is done" in ran.stdout
    assert "moon" not in ran.stdout
    assert "winch" not in ran.stdout
    (told,) = events(mira, "compaction.recovered")
    assert told["agent_id"] == "mira"
    assert told["payload"]["tokens"] > 0


def test_yesterday_is_yesterday(mira):
    """What is of the day before stands apart, and what is older is not there."""
    later = recover(mira, now=NOW + timedelta(hours=20)).stdout
    assert "### Yesterday's Highlights" in later
    assert recover(mira, now=NOW + timedelta(hours=25)).stdout == ""


def test_nothing_to_give_back_is_no_output(crewmem):
    """An agent of which nothing is remembered gets nothing, and that is no failure."""
    crewmem("crew", "add", "harbor")
    crewmem("agent", "add", "mira", "--crew", "harbor")
    ran = recover(crewmem)
    assert (ran.status, ran.stdout) == (0, "")
    assert events(crewmem, "compaction.*") == []


def test_what_happened_comes_along(mira):
    """Events that weigh something stand where they belong; others are left out."""
    for kind, text in (
        ("peer.escalation", "The crane broke at the pier"),
        ("note.taken", "The tea is cold"),
    ):
        words = ("journal", "add", kind, text, "--agent", "mira", "--crew", "harbor")
        assert mira(*words).status == 0
    ran = recover(mira)
    lessons = ran.stdout.partition("**Lessons**")[2]
    assert "[peer.escalation] The crane broke at the pier" in lessons
    assert "tea" not in ran.stdout


def test_the_budget_is_kept(mira):
    """The block has at most so many tokens."""
    ran = recover(mira, "--max-tokens", "60", "--json")
    assert ran.json["data"]["total_tokens"] <= 60
    assert ran.json["data"]["hidden"] >= 0


def test_restricted_memories_stay_where_they_are(mira):
    """What is restricted goes into no prompt."""
    secret = ("The vault is green", "--agent", "mira", "--sensitivity", "restricted")
    mira("remember", *secret, "--importance", "5")
    assert "vault" not in recover(mira).stdout


def test_shared_corrections_come_along_where_they_answer(mira):
    """What others were corrected for is there if it is about the same, only then."""
    for text in ("Never deploy staging on Fridays", "Paint the boats in autumn"):
        words = (text, "--crew", "harbor", "--kind", "correction")
        assert mira("remember", *words, now=NOW - timedelta(days=90)).status == 0
    mira("remember", "Deploy staging", "--agent", "mira", "--importance", "4")
    ran = recover(mira)
    assert "Never deploy staging on Fridays" in ran.stdout
    assert "Paint" not in ran.stdout


# Hooks


def called(source="compact", **more):
    said = {"session_id": "s9", "hook_event_name": "SessionStart", "source": source}
    return json.dumps(said | more)


@pytest.mark.parametrize("program", ["claude", "codex"])
def test_a_hook_is_answered(mira, program):
    """A session that starts because it was compacted gets its memory, as JSON."""
    ran = recover(mira, "--hook", program, stdin=called())
    assert ran.status == 0
    said = json.loads(ran.stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart"
    assert "Staging stays on PG 16" in said["additionalContext"]
    assert len(ran.stdout.encode()) <= 1_800
    (lost,) = mira("recover", "log", "--json").json["data"]
    assert (lost["how"], lost["session"], lost["harness"]) == ("hook", "s9", program)
    assert lost["recovered_at"]


@pytest.mark.parametrize("source", ["startup", "resume", "clear"])
def test_other_starts_lost_nothing(mira, source):
    """A session that just starts has lost nothing: nothing is printed or told."""
    ran = recover(mira, "--hook", "claude", stdin=called(source))
    assert (ran.status, ran.stdout) == (0, "")
    assert events(mira, "compaction.*") == []


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("--agent", "nobody"), called()),
        (("--agent", "mira"), "no JSON"),
        (("--agent", "mira", "--max-tokens", "none"), called()),
        ((), called()),
        (("--agent", "mira", "--deadline", "0.0001"), called()),
    ],
)
def test_a_hook_always_ends_with_0(mira, words, stdin):
    """Whatever is wrong, the agent's program goes on, and nothing is printed."""
    ran = mira("recover", "--hook", "claude", *words, stdin=stdin)
    assert (ran.status, ran.stdout) == (0, "")
    assert ran.stderr


def test_a_hook_twice_in_five_minutes_is_one_loss(mira):
    """The same loss that is told twice is one, in the log and in the journal."""
    for minutes in (0, 4):
        now = NOW + timedelta(minutes=minutes)
        recover(mira, "--hook", "claude", stdin=called(), now=now)
    assert len(mira("recover", "log", "--json").json["data"]) == 1
    assert len(events(mira, "compaction.detected")) == 1
    recover(mira, "--hook", "claude", stdin=called(), now=NOW + timedelta(minutes=9))
    assert len(events(mira, "compaction.detected")) == 2


def test_the_log_and_the_hook_tell_of_one_loss(mira, tmp_path):
    """What a hook told of, and the transcript tells of later, was lost once."""
    recover(mira, "--hook", "claude", stdin=called())
    logs = tmp_path / "logs"
    logs.mkdir()
    boundary = claude(
        "",
        role="system",
        subtype="compact_boundary",
        timestamp="2026-05-01T09:29:00Z",
        compactMetadata={"preTokens": 155000, "postTokens": 9000},
    )
    (logs / "s9.jsonl").write_bytes(boundary)
    words = ("--root", logs, "--agent", "mira")
    assert mira("transcripts", "extract", *words).status == 0
    (lost,) = mira("recover", "log", "--json").json["data"]
    assert (lost["how"], lost["before"], lost["after"]) == ("hook", 155000, 9000)


def projects(tmp_path, content):
    folder = tmp_path / "person/.claude/projects/-srv-app"
    folder.mkdir(parents=True)
    (folder / "s9.jsonl").write_bytes(content)
    return folder / "s9.jsonl"


def test_the_last_words_of_the_person_are_there(mira, tmp_path):
    """The last five messages of the session are given back, and no sixth."""
    said = [claude(f"Message number {number}.", number) for number in range(1, 8)]
    path = projects(tmp_path, b"".join(said) + claude("Ok.", 9, role="assistant"))
    ran = recover(mira, "--hook", "claude", stdin=called(transcript_path=str(path)))
    context = json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]
    found = [line for line in context.splitlines() if "Message number" in line]
    assert found == [f"- Message number {number}." for number in range(3, 8)]


def test_of_a_log_that_is_long_the_end_is_read(mira, tmp_path):
    """The last words are found behind megabytes of what tools said."""
    chatter = claude("x" * 100_000, 1, role="assistant") * 30
    path = projects(tmp_path, claude("Long ago.", 1) + chatter + claude("Just now.", 2))
    ran = recover(mira, "--hook", "claude", stdin=called(transcript_path=str(path)))
    context = json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "- Just now." in context


def test_a_path_to_elsewhere_is_not_read(mira, tmp_path):
    """A hook that names a file that is no transcript gets nothing of it."""
    path = tmp_path / "elsewhere.jsonl"
    path.write_bytes(claude("Secret words.", 1))
    ran = recover(mira, "--hook", "claude", stdin=called(transcript_path=str(path)))
    assert "Secret" not in ran.stdout
    assert "no transcript" in ran.stderr


# Who may


def test_an_agent_recovers_for_itself(mira):
    """An agent names no other; an operator names one."""
    assert mira("--as", "agent:tor", "recover", "--agent", "mira").status == 8
    assert "winch" in mira("--as", "agent:tor", "recover").stdout
    assert mira("recover").status == 2
    assert mira("--as", "agent:tor", "recover", "log", "--agent", "mira").status == 8


def test_who_is_off_gets_nothing(mira):
    """For an agent whose memory is off nothing is given back, and that is said."""
    mira("agent", "set", "mira", "--memory", "off")
    ran = recover(mira)
    assert (ran.status, ran.stdout) == (0, "")
    assert "memory is off" in ran.stderr


def test_what_cannot_be_built_is_told(mira, home):
    """Nothing is printed, the status is its cause's, and the journal says why."""
    (home / "config.toml").write_text('[threats.rules.bad]\npattern = "("\n')
    ran = recover(mira)
    assert ran.status == 3
    assert ran.stdout == ""
    (home / "config.toml").unlink()
    (told,) = events(mira, "compaction.failed")
    assert told["severity"] == "error"


def test_a_home_that_is_only_read_is_read(mira, home):
    """What cannot be written down is given back all the same, and that is said."""
    for path in (home, home / "crewmem.db"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        ran = recover(mira)
    finally:
        home.chmod(0o700)
    assert ran.status == 0, ran.stderr
    assert "Staging stays" in ran.stdout
    assert "not counted" in ran.stderr
