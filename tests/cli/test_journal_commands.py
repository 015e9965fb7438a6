"""``crewmem journal``: adding to it, and looking into it."""

import json
import os
import shutil
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from homes import HARBOR, copied

from crewmem.cli.journal import add, filters
from crewmem.cli.journal.shown import CUT
from crewmem.db.truth import open_to_write
from crewmem.disk import lock, make_dirs, open_root
from crewmem.journal.entry import ACTOR_TYPES, PRIORITIES, SEVERITIES
from crewmem.journal.payload_text import WORDS_MOST

NOW_TEXT = "2026-05-01T09:30:00.000Z"
CLOCK = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


@pytest.fixture(name="harbor")
def _harbor(home):
    """A home with a crew: its lead is pilot, mira is in it."""
    return copied(home, *HARBOR)


@pytest.fixture(name="told")
def _told(harbor, crewmem):
    """Entries of pilot and mira in harbor, of zoe elsewhere, and of nobody."""
    for words in (
        "--as agent:mira journal add note.taken Of mira",
        "--as lead:pilot journal add note.taken Of pilot",
        "journal add note.taken Of zoe --agent zoe --crew lab",
        "journal add note.taken Of nobody",
    ):
        assert crewmem(*words.split()).status == 0
    return harbor


def data(ran):
    assert ran.status == 0, ran.stderr
    return ran.json["data"]


def summaries(ran):
    return [each["summary"] for each in data(ran)]


@pytest.mark.usefixtures("harbor")
def test_what_of_a_payload_is_not_found_is_said(crewmem):
    """Words are found to a limit; who adds more is told, one by one or in a file."""
    assert f"{WORDS_MOST:,}" in CUT
    long = json.dumps({"log": "x" * WORDS_MOST + " afterwards"})
    ran = crewmem("journal", "add", "a.b", "x", "--payload", "-", "--json", stdin=long)
    assert (ran.status, ran.json["warnings"]) == (0, [CUT])
    file = lines(record(1, payload=json.loads(long)), record(2))
    ran = crewmem("journal", "import", "-", "--json", stdin=file)
    assert (ran.json["data"]["cut"], ran.json["warnings"]) == (1, [f"{CUT}: 1 entry"])
    assert "65,536 characters" in crewmem("journal", "list", "--help").stdout


def test_choices_are_those_of_the_journal():
    """What the command line takes is what an entry may be."""
    assert (filters.SEVERITIES, filters.PRIORITIES) == (SEVERITIES, PRIORITIES)
    assert add.ACTOR_TYPES == ACTOR_TYPES


# Adding


def test_the_first_entry_makes_home_and_workspace(crewmem, home):
    """Nothing has to be prepared to write."""
    ran = crewmem("-w", "lab", "journal", "add", "memory.updated", "Hello", "world")
    assert ran.status == 0
    assert ran.stdout.startswith("Added j_")
    assert (home / "workspaces/lab/.memory").is_dir()
    names = [each["name"] for each in data(crewmem("workspace", "list", "--json"))]
    assert names == ["lab"]
    assert summaries(crewmem("-w", "lab", "journal", "list", "--json")) == [
        "Hello world"
    ]


def test_reading_makes_nothing(crewmem, home):
    """Where there is no home, or no such workspace, that is said with 4."""
    for verb in ("list", "count", "verify", "compact", "get j_abcdef"):
        ran = crewmem("journal", *verb.split(), "--json")
        assert (ran.status, ran.error["code"]) == (4, "home_missing")
    assert not home.exists()
    crewmem("init")
    assert crewmem("-w", "lab", "journal", "list", "--json").error["code"] == (
        "workspace_missing"
    )
    assert data(crewmem("journal", "list", "--json")) == []
    assert crewmem("journal", "get", "j_abcdef").status == 4


@pytest.mark.usefixtures("harbor")
def test_an_operator_says_whose_an_entry_is(crewmem):
    """Crew and agent are as told; of an agent that is known its home crew."""
    entry = data(crewmem("journal", "add", "a.b", "words", "--agent", "mira", "--json"))
    assert (entry["agent_id"], entry["crew_id"]) == ("mira", "harbor")
    assert (entry["actor_type"], entry["actor_id"]) == ("user", "ada")
    assert (entry["severity"], entry["priority"], entry["ts"]) == (
        "info",
        "normal",
        NOW_TEXT,
    )
    ran = crewmem("journal", "add", "a.b", "words", "--agent", "ghost", "--json")
    assert (data(ran)["agent_id"], data(ran)["crew_id"]) == ("ghost", None)
    assert "there is no agent 'ghost' here" in ran.json["warnings"][0]


@pytest.mark.usefixtures("harbor")
def test_everything_can_be_said(crewmem):
    """Every field of an entry has an option."""
    words = [
        *("--severity", "warn", "--priority", "high", "--payload", '{"a": [1]}'),
        *("--refs", '{"episodic": true}', "--mission", "m", "--trace", "t"),
        *("--span", "s", "--ts", "2h", "--expires", "2026-06-01T00:00:00Z"),
        *("--actor-type", "keeper", "--actor-id", "k"),
    ]
    entry = data(crewmem("journal", "add", "a.b", "x", *words, "--json"))
    assert crewmem("journal", "get", entry["id"], "--json").json["data"] == entry
    assert entry == entry | {
        "severity": "warn",
        "priority": "high",
        "payload": {"a": [1]},
        "refs": {"episodic": True},
        "mission_id": "m",
        "trace_id": "t",
        "span_id": "s",
        "ts": "2026-05-01T07:30:00.000Z",
        "expires_at": "2026-06-01T00:00:00.000Z",
        "actor_type": "keeper",
        "actor_id": "k",
    }


@pytest.mark.usefixtures("harbor")
def test_a_dash_is_standard_input(crewmem):
    """The summary or the payload may be read, but not both."""
    entry = data(crewmem("journal", "add", "a.b", "-", "--json", stdin="From\nbelow\n"))
    assert entry["summary"] == "From\nbelow"
    read = crewmem(
        "journal", "add", "a.b", "x", "--payload", "-", "--json", stdin='{"a": 1}'
    )
    assert data(read)["payload"] == {"a": 1}
    assert (
        crewmem("journal", "add", "a.b", "-", "--payload", "-", stdin="x").status == 2
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Updated", "x"], "entry_type should be dotted lower case"),
        (["a.b", " "], "summary should be some text"),
        (["a.b", "x", "--payload", "[1]"], "--payload: it is no JSON object"),
        (["a.b", "x", "--payload", "{"], "--payload: it is not JSON"),
        (["a.b", "x", "--payload", '{"a": 1, "a": 2}'], "--payload: it has 'a' twice"),
        (["a.b", "x", "--refs", '{"a": NaN}'], "--refs: it holds NaN"),
        (["a.b", "x", "--payload", '{"a": 1e999}'], "--payload: it holds a number"),
        (["a.b", "x", "--payload", '{"a":' * 70 + "1" + "}" * 70], "nested at most 64"),
        (["a.b", "x", "--refs", '{"a":' * 70 + "1" + "}" * 70], "nested at most 64"),
        (["a.b", "x", "--severity", "fatal"], "'fatal' is not one of"),
        (["a.b", "x", "--ts", "soon"], "--ts: 'soon' is not a time"),
        (["a.b", "x", "--trace", "a\nb"], "trace_id should be a name"),
        (["a.b", "\udcff"], "not UTF-8"),
        (["a.b"], "Missing argument"),
    ],
)
def test_what_cannot_be_an_entry_is_said(crewmem, home, words, said):
    """A command line that makes no entry ends with 2, and makes nothing."""
    ran = crewmem("journal", "add", *words)
    assert ran.status == 2
    assert said in ran.stderr
    assert not home.exists()


@pytest.mark.usefixtures("harbor")
def test_too_much_is_refused(crewmem):
    """Over a limit nothing is written, and it ends with 8."""
    large = json.dumps({"a": "x" * (1 << 20)})
    for argv, stdin in (
        (["x", "--payload", large], ""),
        (["x", "--payload", "-"], large),
        (["x" * (64 << 10) + "y"], ""),
        (["-"], "y" * ((64 << 10) + 1)),
    ):
        ran = crewmem("journal", "add", "a.b", *argv, "--json", stdin=stdin)
        assert (ran.status, ran.error["code"]) == (8, "input_too_large")
    assert data(crewmem("journal", "list", "--json")) == []


@pytest.mark.usefixtures("harbor")
def test_an_agent_writes_as_itself(crewmem):
    """Its entries are its own, in its home crew or in another one of its crews."""
    words = ["--as", "agent:mira", "journal", "add", "a.b", "x", "--json"]
    entry = data(crewmem(*words))
    assert (entry["agent_id"], entry["crew_id"]) == ("mira", "harbor")
    assert (entry["actor_type"], entry["actor_id"]) == ("agent", "mira")
    assert data(crewmem(*words, "--agent", "mira", "--crew", "harbor"))
    for given in (
        ["--agent", "pilot"],
        ["--actor-type", "system"],
        ["--actor-id", "pilot"],
        ["--crew", "lab"],
    ):
        ran = crewmem(*words, *given)
        assert (ran.status, ran.error["code"]) == (8, "out_of_scope")
    assert len(data(crewmem("journal", "list", "--json"))) == 2


@pytest.mark.usefixtures("harbor")
def test_an_agent_that_nobody_knows_writes_nothing(crewmem, home):
    """A misspelled name is said, rather than written into the journal."""
    for verb in (["add", "a.b", "x"], ["list"]):
        ran = crewmem("--as", "agent:mirra", "journal", *verb, "--json")
        assert (ran.status, ran.error["code"]) == (4, "agent_missing")
    assert crewmem("--as", "lead:mira", "journal", "add", "a.b", "x").status == 8
    elsewhere = str(home.with_name("elsewhere"))
    ran = crewmem(
        "--home", elsewhere, "--as", "agent:mira", "journal", "add", "a.b", "x"
    )
    assert ran.status == 4
    assert not Path(elsewhere).exists()


@pytest.mark.parametrize(
    "kind", ["exec.output_chunk", "container.metrics", "network.egress"]
)
@pytest.mark.usefixtures("harbor")
def test_a_tag_that_does_nothing_is_told(crewmem, kind):
    """Some types are never recalled; who tags one is told what helps."""
    tag = ["--refs", '{"episodic": true}', "--json"]
    [warning] = crewmem("journal", "add", kind, "x", *tag).json["warnings"]
    assert "episodes add" in warning
    assert crewmem("journal", "add", "note.taken", "x", *tag).json["warnings"] == []


# Looking


@pytest.mark.parametrize(
    ("who", "scope", "seen"),
    [
        ("agent:mira", None, "mira"),
        ("agent:mira", "agent", "mira"),
        ("agent:mira", "crew", "pilot mira"),
        ("agent:mira", "all", "pilot mira"),
        ("lead:pilot", None, "pilot mira"),
        ("lead:pilot", "agent", "pilot"),
        ("lead:pilot", "crew", "pilot mira"),
        ("agent:pilot", None, "pilot"),
        ("operator:ada", None, "nobody zoe pilot mira"),
        ("operator:ada", "workspace", "nobody zoe pilot mira"),
    ],
)
@pytest.mark.usefixtures("told")
def test_everybody_reads_what_is_theirs(crewmem, who, scope, seen):
    """List, count and get see the same entries, and no others."""
    given = ["--scope", scope] if scope else []
    everything = data(crewmem("journal", "list", "--json"))
    found = summaries(crewmem("--as", who, "journal", "list", *given, "--json"))
    assert found == [f"Of {name}" for name in seen.split()]
    counted = data(crewmem("--as", who, "journal", "count", *given, "--json"))
    assert sum(each["entries"] for each in counted) == len(found)
    for entry in everything:
        ran = crewmem("--as", who, "journal", "get", entry["id"], *given, "--json")
        assert ran.status == (0 if entry["summary"] in found else 4)
        assert ran.status == 0 or ran.error["code"] == "entry_missing"


@pytest.mark.usefixtures("told")
def test_a_scope_that_is_too_wide_is_refused(crewmem):
    """Agents and leads do not read the workspace's journal."""
    for who in ("agent:mira", "lead:pilot"):
        for verb in (["list"], ["count"], ["get", "j_abcdef"]):
            words = ["--as", who, "journal", *verb, "--scope", "workspace"]
            assert crewmem(*words).status == 8


@pytest.mark.usefixtures("told")
def test_a_listing_prints_prefixes_that_work(crewmem):
    """Each id that is shown to a person finds its entry."""
    ran = crewmem("journal", "list")
    head, *rows = ran.stdout.splitlines()
    assert head.split() == [
        "ID",
        "TIME",
        "SEVERITY",
        "PRIORITY",
        "AGENT",
        "TYPE",
        "SUMMARY",
    ]
    assert len(rows) == 4
    for row in rows:
        found = data(crewmem("journal", "get", row.split()[0], "--json"))
        assert row.endswith(found["summary"])


@pytest.mark.usefixtures("told")
def test_a_listing_goes_on_where_it_ended(crewmem):
    """The cursor of a page is where the next one begins."""
    first = crewmem("journal", "list", "--limit", "3", "--json").json
    assert first["next"]
    rest = crewmem("journal", "list", "--after", first["next"], "--json").json
    assert [each["summary"] for each in rest["data"]] == ["Of mira"]
    assert rest["next"] is None
    plain = crewmem("journal", "list", "--limit", "3")
    assert plain.stderr == f"There is more: --after {first['next']}\n"
    assert crewmem("journal", "list", "--after", "nowhere").status == 2


@pytest.mark.usefixtures("told")
def test_limits_are_clamped_and_that_is_said(crewmem):
    """Neither too many nor none are listed."""
    for limit, taken in (("0", 1), ("-5", 1), ("5000", 1000)):
        ran = crewmem("journal", "list", "--limit", limit, "--json")
        assert ran.json["warnings"] == [
            f"--limit {limit} is out of range; it was taken as {taken}"
        ]
        assert len(ran.json["data"]) == min(taken, 4)


@pytest.mark.usefixtures("told")
def test_filters_are_joined(crewmem):
    """Several values may be given with commas or one by one."""
    crewmem("journal", "add", "b.c", "Deploying", "the", "key", "--severity", "warn")
    listed = ["journal", "list", "--json"]
    assert summaries(crewmem(*listed, "--type", "b.*,x.y")) == ["Deploying the key"]
    assert len(data(crewmem(*listed, "--type", "b.*", "--type", "note.*"))) == 5
    assert len(data(crewmem(*listed, "--exclude-type", "note.*"))) == 1
    assert len(data(crewmem(*listed, "--severity", "warn,error"))) == 1
    assert len(data(crewmem(*listed, "--since", "1h", "--until", NOW_TEXT))) == 5
    assert data(crewmem(*listed, "--since", "2026-05-02")) == []
    assert crewmem(*listed, "--severity", "loud").status == 2
    assert crewmem(*listed, "--since", "soon").status == 2


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("deployed key", 1),
        ("deploy lock", 0),
        ("where is the key", 1),
        ('"the key"', 1),
        ("deploy* AND key", 1),
        ("key NOT deploying", 0),
        ("lock OR key", 1),
        ("of", 4),
        ("of mira", 1),
    ],
)
@pytest.mark.usefixtures("told")
def test_words_are_all_required(crewmem, query, count):
    """A listing has no rank, so every word counts; operators are understood."""
    crewmem("journal", "add", "b.c", "Deploying", "the", "key")
    assert len(data(crewmem("journal", "list", "--query", query, "--json"))) == count


@pytest.mark.parametrize(
    "query", ['"', "AND", "(((", "*", "NEAR(", "!!!", "", "a" * 9000, "-"]
)
@pytest.mark.usefixtures("told")
def test_no_query_is_a_syntax_error(crewmem, query):
    """Whatever is looked for, there is an answer."""
    assert crewmem("journal", "list", "--query", query, "--json").status == 0


@pytest.mark.usefixtures("harbor")
@pytest.mark.parametrize(
    "words",
    [
        ["--type", "a*" * 30_000],
        ["--type", ",".join(f"a.b{number}" for number in range(3_000))],
        [f"--exclude-type=a.b{number}" for number in range(2_000)],
        ["--after", f"2026-05-01T09:30:00.000Z~{1 << 64}"],
    ],
    ids=["long", "many", "often", "after"],
)
@pytest.mark.usefixtures("told")
def test_a_filter_has_an_end(crewmem, words):
    """What SQLite would not take is a mistake of whoever typed it."""
    ran = crewmem("journal", "list", *words, "--json")
    assert (ran.status, ran.stdout, ran.error["code"]) == (2, "", "usage")


@pytest.mark.parametrize("words", ["list --limit 9", "list --include-archive", "get"])
@pytest.mark.parametrize("damage", ["payload = '{'", "ts = 'yesterday'"])
def test_a_row_that_was_changed_by_hand_is_damage(told, crewmem, words, damage):
    """What is not what was written ends with 5, and says what looks at all of it."""
    entry = data(crewmem("journal", "list", "--json"))[1]["id"]
    with closing(open_to_write(told)) as db:
        sql = f"update journal_entries set {damage} where id = ?"  # noqa: S608 - ours
        db.execute(sql, (entry,))
    named = [entry] if words == "get" else []
    ran = crewmem("journal", *words.split(), *named, "--json")
    assert (ran.status, ran.stdout) == (5, "")
    assert (ran.error["code"], "journal verify" in ran.error["hint"]) == (
        "entry_changed",
        True,
    )
    assert crewmem("journal", "verify", "--json").status == 1


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("journal_chains", "add note.taken Something"),
        ("journal_chains", "verify"),
        ("journal_entries_fts", "list --query pilot"),
        ("journal_entries_archived", "list --include-archive"),
    ],
)
def test_a_table_that_was_dropped_is_damage(told, crewmem, table, words):
    """A database that lacks what it had is damaged: 5, whatever was asked."""
    with closing(open_to_write(told)) as db:
        db.execute(f"drop table {table}")
    ran = crewmem("journal", *words.split(), "--json")
    assert (ran.status, ran.stdout) == (5, "")
    assert table in ran.error["message"]


def test_what_is_stored_cannot_act_on_a_terminal(crewmem):
    """Control characters are shown as what they are."""
    crewmem(
        "journal", "add", "a.b", "\x1b[31mred\u202e", "--payload", '{"a": "\\u001b[1m"}'
    )
    [entry] = data(crewmem("journal", "list", "--json"))
    for ran in (crewmem("journal", "list"), crewmem("journal", "get", entry["id"])):
        assert "\x1b" not in ran.stdout
        assert "\u202e" not in ran.stdout
        assert "\\x1b[31mred" in ran.stdout


@pytest.mark.usefixtures("told")
def test_counting_has_a_total(crewmem):
    """A person sees how many there are together."""
    ran = crewmem("journal", "count", "--by", "agent")
    assert [row.split() for row in ran.stdout.splitlines()] == [
        ["AGENT", "ENTRIES"],
        ["-", "1"],
        ["mira", "1"],
        ["pilot", "1"],
        ["zoe", "1"],
        ["total", "4"],
    ]


# Pinning


def entry_of(crewmem, name):
    [entry] = [
        each
        for each in data(crewmem("journal", "list", "--json"))
        if each["summary"] == f"Of {name}"
    ]
    return entry["id"]


@pytest.mark.parametrize(
    ("who", "whose", "status"),
    [
        ("operator:ada", "mira", 0),
        ("operator:ada", "nobody", 0),
        ("lead:pilot", "mira", 0),
        ("lead:pilot", "zoe", 4),
        ("lead:pilot", "nobody", 4),
        ("agent:mira", "mira", 8),
        ("agent:pilot", "mira", 8),
    ],
)
@pytest.mark.usefixtures("told")
def test_operators_and_leads_change_priorities(crewmem, who, whose, status):
    """An operator any entry's, a lead its crew's, an agent none."""
    words = ["journal", "pin", entry_of(crewmem, whose), "--reason", "it matters"]
    assert crewmem("--as", who, *words, "--json").status == status
    found = data(crewmem("journal", "get", words[2], "--json"))
    assert found["priority"] == ("normal" if status else "pin")


@pytest.mark.usefixtures("told")
def test_a_lead_that_is_a_guest_changes_nothing(crewmem):
    """In a crew that it does not lead a lead is a member like others."""
    crewmem("crew", "add", "lab", "--lead", "pilot")
    crewmem("crew", "set", "lab", "--lead", "mira")
    words = ["journal", "pin", entry_of(crewmem, "zoe"), "--reason", "so"]
    assert crewmem("--as", "lead:pilot", *words).status == 8
    assert crewmem("--as", "lead:mira", *words).status == 0


@pytest.mark.usefixtures("told")
def test_a_change_says_from_what_to_what(crewmem):
    """The answer has the entry as it is, and how it came to it."""
    words = ["journal", "pin", entry_of(crewmem, "mira"), "--reason", "it matters"]
    assert " normal → high." in crewmem(*words, "--priority", "high").stdout
    again = data(crewmem(*words, "--priority", "high", "--json"))
    assert (again["changed"], again["entry"]["priority"]) == (False, "high")
    changed = data(crewmem(*words, "--priority", "permanent", "--json"))
    assert (changed["from_priority"], changed["change"]) == ("high", 2)
    assert (changed["by"], changed["reason"]) == ("operator:ada", "it matters")
    assert crewmem(*words[:3]).status == 2
    assert crewmem(*words[:4], " ").status == 2


# Verifying


def test_a_broken_chain_ends_with_1(told, crewmem):
    """The first break is named, for a person and for a program."""
    assert crewmem("journal", "verify").stdout.startswith("Whole: 4 entries")
    with closing(open_to_write(told)) as db:
        db.execute("update journal_entries set summary = 'x' where seq = 2")
    ran = crewmem("journal", "verify", "--json")
    assert ran.status == 1
    assert ran.json["data"] == ran.json["data"] | {"ok": False, "entries": 1}
    assert ran.json["data"]["broken"]["kind"] == "changed"
    assert ran.json["data"]["broken"]["seq"] == 2
    assert crewmem("journal", "verify").stdout.startswith("Broken at j_")
    assert crewmem("--as", "agent:mira", "journal", "verify").status == 8


@pytest.mark.usefixtures("harbor")
def test_a_key_signs_what_is_written(crewmem):
    """With CREWMEM_CHAIN_KEY the chain proves who wrote it."""
    key = {"CREWMEM_CHAIN_KEY": "a secret"}
    crewmem("journal", "add", "a.b", "x", environ=key)
    assert crewmem("journal", "verify", environ=key).stdout == "Whole: 1 entry.\n"
    missing = crewmem("journal", "verify", "--json")
    assert (missing.status, missing.error["code"]) == (3, "chain_key_missing")
    other = crewmem("journal", "verify", "--json", environ={"CREWMEM_CHAIN_KEY": "x"})
    assert (other.status, other.json["data"]["broken"]["kind"]) == (1, "changed")
    assert "secret" not in crewmem("config", "list", environ=key).stdout


@pytest.mark.usefixtures("harbor")
def test_who_adds_without_the_key_is_told(crewmem):
    """It is added, for nothing is lost; that the chain breaks there is said at once."""
    key = {"CREWMEM_CHAIN_KEY": "a secret"}
    crewmem("journal", "add", "a.b", "x", environ=key)
    ran = crewmem("journal", "add", "a.b", "y", "--json")
    entry = ran.json["data"]["id"]
    (warning,) = ran.json["warnings"]
    assert warning.startswith(f"{entry} was added without CREWMEM_CHAIN_KEY")
    broken = crewmem("journal", "verify", "--json", environ=key).json["data"]["broken"]
    assert (broken["kind"], broken["id"]) == ("unkeyed", entry)


# Compacting


@pytest.fixture(name="aged")
def _aged(harbor, crewmem):
    """Entries of two days in March, some of which have to stay."""
    for day in (1, 2):
        for words in ("note.taken One", "note.taken Two", "peer.escalation Help"):
            kind, summary = words.split()
            at = ["--ts", f"2026-03-0{day}T10:00:00Z"]
            crewmem("journal", "add", kind, summary, "--agent", "mira", *at)
    return harbor


@pytest.mark.usefixtures("aged")
def test_a_plan_comes_before(crewmem):
    """What would be archived is said, and nothing is changed."""
    ran = crewmem("journal", "compact", "--dry-run")
    assert ran.stdout.splitlines() == [
        "To be archived, of what happened before 2026-04-01T09:30:00.000Z:",
        "TYPE        GROUPS  ENTRIES",
        "note.taken       2        4",
        "4 entries into 2. 2 entries from then left alone.",
        "Nothing was changed.",
    ]
    planned = data(crewmem("journal", "compact", "--dry-run", "--json"))
    done = data(crewmem("journal", "compact", "--json"))
    assert planned["groups"] == done["groups"]
    assert (planned["entries"], done["entries"], done["added"]) == (0, 4, 2)
    again = crewmem("journal", "compact")
    assert again.stdout.startswith("There is nothing to archive from before 2026-04-01")


@pytest.mark.usefixtures("aged")
def test_archived_entries_are_found(crewmem):
    """By their id, and by a listing that asks for them."""
    ids = [each["id"] for each in data(crewmem("journal", "list", "--json"))]
    crewmem("journal", "compact")
    assert len(data(crewmem("journal", "list", "--json"))) == 4
    everything = data(crewmem("journal", "list", "--include-archive", "--json"))
    assert {*ids} < {each["id"] for each in everything}
    for each in ids:
        assert data(crewmem("journal", "get", each, "--json"))["id"] == each
    assert crewmem("journal", "verify").status == 0
    archived = next(each["id"] for each in everything if each["archived_at"])
    assert crewmem("journal", "pin", archived, "--reason", "so").status == 9


def test_what_recall_has_stays(aged, crewmem):
    """An entry that is an episode is not archived, whatever its type."""
    with closing(open_to_write(aged)) as db:
        db.execute("insert into owners (workspace_id) values ('default')")
        db.execute("insert into episodes (seq, owner, indexed_ms, base, least)"
                   " values (1, 1, 0, 0.5, 0)")  # fmt: skip
    assert data(crewmem("journal", "compact", "--json"))["entries"] == 3
    assert (
        data(crewmem("journal", "compact", "--older-than", "2026-03-01", "--json"))[
            "entries"
        ]
        == 0
    )


def test_what_something_rests_on_stays(aged, crewmem):
    """Evidence of a memory that is in use, or of an open proposal, is not archived."""
    listed = data(crewmem("journal", "list", "--type", "note.*", "--json"))
    one, two, *_ = [each["id"] for each in listed if each["ts"] < "2026-04"]
    rests = f'{{"from": ["{one}"]}}'
    crewmem("remember", "so it is", "--metadata", rests, "--topic-key", "so")
    with closing(open_to_write(aged)) as db:
        db.execute(
            """
            insert into proposals (id, workspace_id, kind, scope, title, body,
                                   created_by, created_at)
            values ('p_1', 'default', 'some', 'workspace', '', ?, '', '')
            """,
            (f'{{"items": [{{"evidence": "{two}"}}]}}',),
        )
    assert data(crewmem("journal", "compact", "--json"))["entries"] == 2
    [made] = data(crewmem("memories", "list", "--json"))
    crewmem("forget", made["memory"]["id"])
    assert data(crewmem("journal", "compact", "--json"))["entries"] == 1
    assert crewmem("journal", "get", two).status == 0
    assert crewmem("journal", "verify").status == 0


def test_it_runs_once_at_a_time(aged, crewmem):
    """Who finds it running says so, and ends with 0."""
    with open_root(aged) as root:
        make_dirs(root, "locks")
        with lock(root, "locks/journal.compact", timeout=0):
            ran = crewmem("journal", "compact", "--json")
            assert "running already" in crewmem("journal", "compact").stdout
    assert (ran.status, ran.json["data"]["running"]) == (0, True)
    assert data(crewmem("journal", "compact", "--json"))["entries"] == 4


def test_what_is_tagged_for_recall_stays(crewmem):
    """Also where the tag does nothing else, for its type is never recalled."""
    for tag in ("--refs", '{"episodic": true}'), ("--payload", '{"episodic": true}'):
        words = ["journal", "add", "exec.output_chunk", "Line", "--ts", "2026-01-01"]
        crewmem(*words, *tag)
    done = data(crewmem("journal", "compact", "--json"))
    assert (done["entries"], done["kept"]) == (1, 1)


def test_what_has_not_happened_yet_is_not_old(crewmem):
    """Whatever age is named, what a clock has not come to is not archived."""
    for stamp in ("2026-04-30", "2027-01-01"):
        crewmem("journal", "add", "a.b", "Some", "--ts", stamp)
    for words in ["--dry-run"], []:
        ran = crewmem("journal", "compact", "--older-than", "2030-01-01", *words)
        assert "not over yet; it was taken as now" in ran.stderr
    listed = data(crewmem("journal", "list", "--type", "a.b", "--json"))
    assert [each["ts"][:10] for each in listed] == ["2027-01-01"]


@pytest.mark.parametrize("words", [["--dry-run"], []])
def test_a_plan_fits_a_narrow_terminal(crewmem, aged, words):
    """Every line of it is broken where the terminal ends, and none for a pipe."""
    assert aged
    crewmem("journal", "add", "a.very.long.kind.of.entry", "x", "--ts", "2026-01-01")
    plan = crewmem("journal", "compact", "--dry-run")
    assert max(map(len, plan.stdout.splitlines())) > 44
    ran = crewmem(
        *("journal", "compact", "--no-color", *words),
        tty=True,
        environ={"COLUMNS": "44"},
    )
    assert ran.status == 0
    assert max(map(len, ran.stdout.splitlines())) <= 44


@pytest.mark.usefixtures("aged")
def test_operators_compact(crewmem):
    """Agents do not put the journal away."""
    assert crewmem("--as", "agent:mira", "journal", "compact").status == 8
    assert crewmem("journal", "compact", "--older-than", "soon").status == 2


@pytest.mark.usefixtures("harbor")
def test_no_more_is_said_of_an_input_than_was_read(crewmem):
    """Of standard input the limit is told, and no size that nobody knows."""
    ran = crewmem("journal", "add", "a.b", "-", stdin="x" * (1 << 21))
    assert ran.status == 8
    assert "standard input is over the limit of 1,048,576 bytes" in ran.stderr


# Importing


def lines(*records):
    return "".join(f"{json.dumps(each)}\n" for each in records)


def record(n, **fields):
    return {"id": f"id-{n}", "ts": "2026-01-01T00:00:00Z", "entry_type": "a.b",
            "summary": f"Entry {n}", **fields}  # fmt: skip


def test_a_file_is_imported_once(crewmem, home, tmp_path):
    """The first import makes the home; the second finds everything there."""
    file = tmp_path / "entries.jsonl"
    file.write_text(lines(record(1), record(2)))
    ran = crewmem("journal", "import", file)
    assert ran.stdout == "Added 2 entries of 2 lines.\n"
    assert crewmem("journal", "import", file).stdout == (
        "Added 0 entries of 2 lines; 2 there already.\n"
    )
    assert (
        data(crewmem("journal", "import", "-", "--json", stdin=lines(record(3))))[
            "added"
        ]
        == 1
    )
    assert len(data(crewmem("journal", "list", "--json"))) == 3
    assert home.is_dir()


def test_bad_lines_are_told_by_number(crewmem):
    """The good ones are kept, and it ends with 0; with --strict it stops, with 1."""
    stdin = lines(record(1)) + "{\n" + lines(record(2), record(1, summary="Other"))
    planned = crewmem("journal", "import", "-", "--dry-run", "--json", stdin=stdin)
    ran = crewmem("journal", "import", "-", "--json", stdin=stdin)
    assert ran.status == 0
    assert ran.json["data"] == planned.json["data"]
    assert ran.json["data"] == ran.json["data"] | {"added": 2, "bad": 1, "conflicts": 1}
    assert [each[:7] for each in ran.json["warnings"]] == ["line 2:", "line 4:"]
    ran = crewmem("journal", "import", "-", stdin=lines(record(3)) + "{\n" * 22)
    *_, last = ran.stderr.splitlines()
    assert last == "warning: 2 more lines were not taken in: 22, 23"
    strict = crewmem("journal", "import", "-", "--strict", "--json", stdin=stdin)
    assert (strict.status, strict.json["data"]["stopped_at"]) == (1, 2)


def test_a_file_of_nothing_but_bad_lines_ends_with_5(crewmem):
    """Where nothing is taken in, that is a failure; an empty file is none."""
    ran = crewmem("journal", "import", "-", "--json", stdin="{\n[]\n")
    assert (ran.status, ran.error["code"]) == (5, "nothing_imported")
    assert crewmem("journal", "import", "-", stdin="").status == 0


def test_a_dry_run_makes_nothing(crewmem, home):
    """What would be added is said where there is not even a home."""
    ran = crewmem("journal", "import", "-", "--dry-run", stdin=lines(record(1)))
    assert ran.stdout == "Would add 1 entry of 1 lines.\n"
    assert not home.exists()
    crewmem("init")
    ran = crewmem("-w", "lab", "journal", "import", "-", "--dry-run", stdin=ran.stdout)
    assert ran.status == 5
    assert not (home / "workspaces/lab").exists()


def test_too_large_a_file_is_refused(crewmem, home, tmp_path):
    """Over the limit nothing is written, also of what comes through a pipe."""
    file = tmp_path / "entries.jsonl"
    file.write_text(lines(*(record(n) for n in range(100))))
    ran = crewmem("journal", "import", file, "--max-input", "1k", "--json")
    assert (ran.status, ran.error["code"]) == (8, "input_too_large")
    stdin = file.read_text()
    assert (
        crewmem("journal", "import", "-", "--max-input", "1k", stdin=stdin).status == 8
    )
    assert not home.exists()
    with file.open("ab") as more:
        more.truncate((10 << 20) + 1)
    assert crewmem("journal", "import", file).status == 8
    assert crewmem("journal", "import", file, "--max-input", "11M").status == 0
    assert crewmem("journal", "import", file, "--max-input", "much").status == 2


def test_a_pipe_is_a_file(crewmem, tmp_path):
    """What a shell hands over with <(…) is read."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = os.fork()
    if not child:
        pipe.write_text(lines(record(1)))
        os._exit(0)
    ran = crewmem("journal", "import", pipe, "--json")
    os.waitpid(child, 0)
    assert data(ran)["added"] == 1


def test_what_is_no_file_is_said(crewmem, tmp_path):
    """A directory, and what is not there, are failures of their own."""
    assert crewmem("journal", "import", tmp_path / "nothing").status == 4
    assert crewmem("journal", "import", tmp_path).status == 8
    assert crewmem("journal", "import", "a\0b").status == 8
    assert crewmem("--as", "agent:mira", "journal", "import", "-").status == 8


@pytest.mark.usefixtures("told")
def test_a_listing_can_be_imported(crewmem, tmp_path):
    """What one journal lists another takes in."""
    listed = crewmem("journal", "list", "-F", "jsonl").stdout
    other = ["--home", tmp_path / "other", "journal"]
    ran = crewmem(*other, "import", "-", "--json", stdin=listed)
    assert ran.json["data"] == ran.json["data"] | {"added": 4, "extra": [], "bad": 0}
    copied = data(crewmem(*other, "list", "--json"))
    ours = [*map(json.loads, listed.splitlines())]
    own = {"seq", "prev_hash", "entry_hash"}
    assert {
        tuple(sorted((k, str(v)) for k, v in each.items() if k not in own))
        for each in copied
    } == {
        tuple(sorted((k, str(v)) for k, v in each.items() if k not in own))
        for each in ours
    }


# Where nothing may be written, and where somebody else is writing


@pytest.fixture(name="frozen")
def _frozen(told, reachable):
    """A copy of the home, which nobody may write."""
    home = Path(shutil.copytree(told, reachable / "home"))
    paths = [home, *home.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield home
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_frozen_home_is_read(frozen, crewmem, nobody):
    """Every look works, and leaves nothing behind; every change says why not."""
    before = sorted(path.name for path in frozen.iterdir())
    entry = entry_of(crewmem, "mira")
    stdin = lines(record(1))
    looks = [["list"], ["count"], ["get", entry], ["verify"], ["compact", "--dry-run"]]
    looks += [["import", "-", "--dry-run"], ["list", "--query", "mira"]]
    changes = [["add", "a.b", "x"], ["pin", entry, "--reason", "so"], ["import", "-"]]
    changes += [["compact"]]
    for verb in (*looks, *changes):
        crewmem("journal", *verb, stdin=stdin)  # imported while that may be
    with nobody():
        for verbs, status in ((looks, 0), (changes, 8)):
            for verb in verbs:
                ran = crewmem("--home", frozen, "journal", *verb, stdin=stdin)
                assert ran.status == status, (verb, ran.stderr)
    assert sorted(path.name for path in frozen.iterdir()) == before


def test_an_older_home_is_read(crewmem, home, tmp_path):
    """A home from before there was a journal has an empty one."""
    from crewmem.db.migrate import steps

    older = tmp_path / "older"
    older.mkdir()
    name, sql = steps("crewmem")[0]
    (older / name).write_text(sql)
    home.mkdir()
    open_to_write(home, schema=str(older)).close()
    shutil.rmtree(older)
    (home / "workspaces/default").mkdir(parents=True)
    assert data(crewmem("journal", "list", "--json")) == []
    assert crewmem("journal", "add", "a.b", "x").status == 0


def test_a_locked_database_is_waited_for(told, crewmem):
    """Who waits too long is told with 6; who only reads does not wait."""
    environ = {"CREWMEM_BUSY_TIMEOUT": "0"}
    with closing(open_to_write(told)) as db:
        db.execute("begin immediate")
        for verb in (
            ["add", "a.b", "x"],
            ["import", "-"],
            ["pin", entry_of(crewmem, "mira"), "--reason", "so"],
        ):
            ran = crewmem("journal", *verb, stdin=lines(record(1)), environ=environ)
            assert ran.status == 6, verb
        assert len(data(crewmem("journal", "list", "--json", environ=environ))) == 4
        assert crewmem("journal", "verify", environ=environ).status == 0


@pytest.mark.usefixtures("told")
def test_time_goes_back(crewmem):
    """A clock that stands before the entries writes, and archives nothing."""
    past = timedelta(days=4000)
    assert crewmem("journal", "add", "a.b", "x", now=CLOCK - past).status == 0
    done = crewmem(
        "journal", "compact", "--older-than", "0s", "--json", now=CLOCK - past
    )
    assert data(done)["entries"] == 0
    assert crewmem("journal", "verify").status == 0
