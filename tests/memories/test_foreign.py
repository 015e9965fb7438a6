"""Dumps of OtterCamp, Engram and Beads become memories."""

import json

import pytest
from claims import Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.memories.carried_store import Wanted
from crewmem.memories.dump import items
from crewmem.memories.exporting import lines
from crewmem.memories.foreign import as_ours, form_of
from crewmem.memories.foreign.aim import Aim
from crewmem.memories.importing import Policy, take
from crewmem.threats.scan import scan

MIRA_ID = "5f0c1a52-8d1e-4c6b-9a57-2f1f6d6a9b01"
TOR_ID = "5f0c1a52-8d1e-4c6b-9a57-2f1f6d6a9b02"

OTTER = {
    "agents": [{"id": MIRA_ID, "slug": "mira"}],
    "memory_entries": [
        {
            "id": "e-1",
            "org_id": "o",
            "agent_id": MIRA_ID,
            "kind": "decision",
            "title": "Rounding",
            "content": "Round half up at each line.",
            "metadata": {"ticket": 7},
            "importance": 4,
            "confidence": 0.8,
            "sensitivity": "restricted",
            "status": "warm",
            "content_hash": "aa",
            "occurred_at": "2026-01-02 03:04:05.678+00",
            "expires_at": None,
            "source_session": "s1",
            "source_project": None,
            "source_issue": "PAY-1",
            "created_at": "2026-01-03T00:00:00Z",
            "updated_at": "2026-01-04T00:00:00+01:00",
        },
        {"id": "e-2", "agent_id": TOR_ID, "kind": "action_item", "title": "Do it"}
        | {"content": "Do it soon", "org_id": "o", "importance": 0},
        {"id": "e-3", "agent_id": TOR_ID, "kind": "lessn", "content": "x", "org_id": 1},
    ],
    "shared_knowledge": [
        {
            "id": "k-1",
            "source_agent_id": MIRA_ID,
            "source_memory_id": "e-1",
            "kind": "lesson",
            "title": "Of two teams",
            "content": "Retry with a pause.",
            "scope": "team",
            "scope_teams": ["Harbor", "quay"],
            "quality_score": 0.7,
            "confirmations": 2,
            "contradictions": 1,
            "last_accessed_at": "2026-02-01T00:00:00Z",
            "status": "superseded",
            "superseded_by": "k-2",
            "created_at": "2026-01-05T00:00:00Z",
        },
        {"id": "k-2", "source_agent_id": MIRA_ID, "kind": "lesson", "title": "Newer"}
        | {"content": "Retry with growing pauses.", "scope": "team"}
        | {"scope_teams": "{harbor,quay}", "quality_score": 0.9},
        {"id": "k-3", "source_agent_id": TOR_ID, "kind": "pattern", "title": "Of all"}
        | {"content": "Mondays are slow.", "scope": "org", "scope_teams": []}
        | {"confirmations": 10**9},
    ],
    "knowledge_entries": [
        {"id": "w-1", "org_id": "o", "title": "Wiki", "content": "A page."}
        | {"tags": ["a", "b"], "created_by": "ada"},
    ],
    "agent_memories": [
        {"id": "d-1", "agent_id": MIRA_ID, "kind": "note", "date": "2026-01-01"}
        | {"content": "Seen a seal."},
        {"id": "d-2", "agent_id": MIRA_ID, "kind": "daily", "date": "2026-01-01"}
        | {"content": "A day."},
        {"id": "d-3", "agent_id": MIRA_ID, "kind": "long_term"}
        | {"content": "The office is on pier 3."},
    ],
}

ENGRAM = [
    {
        "id": "p-1",
        "vector": [0.1, 0.2],
        "payload": {
            "content": "We deploy on Mondays",
            "memory_type": "decision",
            "priority": 7,
            "confidence": 1.0,
            "access_count": 6,
            "last_accessed": "2026-03-01T00:00:00+00:00",
            "negative_count": 2,
            "tags": ["deploy"],
            "entities": '["CI"]',
            "timestamp": "2026-01-01T00:00:00+00:00",
            "expires_at": "2027-01-01T00:00:00+00:00",
            "topic_key": "deploy/day",
            "decay_rate": 0.03,
            "source": "cli",
            "metadata": {"by": "ada"},
        },
    },
    {
        "id": "p-2",
        "payload": {
            "content": "We deploy on Fridays",
            "memory_type": "decision",
            "timestamp": 1770000000,
            "topic_key": "deploy/day",
            "tags": "deploy, old",
        },
    },
    {"id": "p-3", "content": "Many deploys", "memory_type": "context", "priority": 10},
    *(
        {"id": f"p-{n}", "content": f"Deploy {n}", "memory_type": "todo"}
        | {"consolidated_into": "p-3", "topic_key": f"a:b {n}"}
        for n in (4, 5)
    ),
    {"id": "p-6", "content": "Old", "memory_type": "avoidance", "outdated": "true"},
    {"id": "p-7", "content": "x", "memory_type": "desicion"},
    {"id": "p-8", "content": "x", "memory_type": "fact", "priority": 11},
]

BEADS = [
    {"_type": "issue", "id": "bd-1", "title": "Fix it", "status": "closed"}
    | {"issue_type": "bug", "priority": 0, "created_at": "2026-01-01T00:00:00Z"},
    {"_type": "memory", "key": "vault-key", "value": "The key is in the vault."},
    {"key": "kv.memory.naïve key", "value": "With a space."},
    {"key": "kv.other", "value": "Nothing."},
    {"_type": "memory", "key": "empty", "value": ""},
]


def brought(dump, bench=None, **aim):
    """Import *dump*; return the form, what came of it, and our lines by id."""
    content = dump if isinstance(dump, bytes) else json.dumps(dump).encode()
    found = items(content)
    form = form_of(found)
    told = as_ours(form, found, Aim(**aim))
    bench = bench or Bench()
    desk = bench.desk()
    done = take(desk, lambda: told, Policy(scan, told_as=form))
    every = map(json.loads, lines(bench.db, Wanted(desk.view)))
    return form, done, {each["id"]: each for each in every}


def in_lines(rows):
    return "".join(json.dumps(each) + "\n" for each in rows).encode()


def test_ottercamps_entries_are_an_agents():
    """An entry keeps id, times, state and trust, and is of the agent by its name."""
    form, done, told = brought(OTTER)
    assert form == "ottercamp"
    assert (done.total, done.added, done.bad) == (12, 11, 1)
    entry = told["e-1"]
    wanted = {
        "scope": "agent",
        "agent": "mira",
        "kind": "decision",
        "title": "Rounding",
        "content": "Round half up at each line.",
        "metadata": {"ticket": 7},
        "importance": 4,
        "confidence": 0.8,
        "sensitivity": "restricted",
        "status": "warm",
        "session": "s1",
        "issue": "PAY-1",
        "occurred_at": "2026-01-02T03:04:05.678Z",
        "created_at": "2026-01-03T00:00:00.000Z",
        "updated_at": "2026-01-03T23:00:00.000Z",
        "created_by": "agent:mira",
        "origin": "ottercamp",
    }
    assert entry.items() >= wanted.items()
    other = told["e-2"]
    assert (other["agent"], other["importance"], other["confidence"]) == (
        TOR_ID,
        3,
        0.5,
    )
    reasons = " ".join(each.reason for each in done.troubles)
    assert "did you mean lesson?" in reasons
    assert done.left_out == 0


def test_pages_of_a_diary_are_found_and_never_promoted():
    """A day is of its day, what was kept for long does not age; all matter little."""
    _, _, told = brought(OTTER)
    fields = ("kind", "subtype", "title", "agent", "importance", "confidence")
    low = ("mira", 2, 0.4)
    found = {each: tuple(told[each].get(name) for name in fields) for each in told}
    assert found["d-1"] == ("context", "note", "Seen a seal.", *low)
    assert found["d-2"] == ("context", "diary", "Diary of 2026-01-01", *low)
    assert found["d-3"] == ("fact", "long-term", "The office is on pier 3", *low)
    assert told["d-2"]["occurred_at"] == "2026-01-01T00:00:00.000Z"


def test_what_teams_share_is_one_row_each():
    """Knowledge of several teams is a memory for each crew, linked, with its votes."""
    _, _, told = brought(OTTER)
    first = told["k-1"]
    (second,) = (
        each
        for each in told.values()
        if each["title"] == "Of two teams" and each["crew"] == "quay"
    )
    assert (first["crew"], first["base_quality"]) == ("harbor", 0.7)
    assert first["edges"][0]["relation"] == "promoted_from"
    assert [e["to"] for e in second["edges"] if e["relation"] == "similar"] == ["k-1"]
    assert [(each["actor"], each["up"]) for each in first["votes"]] == [
        ("legacy:1", True),
        ("legacy:2", True),
        ("legacy:3", False),
    ]
    assert first["superseded_by"] == "k-2"
    newer = told[second["superseded_by"]]
    assert (newer["crew"], newer["title"]) == ("quay", "Newer")
    assert told["k-3"]["scope"] == "workspace"
    assert len(told["k-3"]["votes"]) == 100
    assert told["k-3"]["metadata"] == {"confirmations": 10**9, "contradictions": 0}
    assert told["w-1"].items() >= {"kind": "fact", "tags": ["a", "b"]}.items()
    assert told["d-1"]["kind"] == "context"


def test_names_can_be_others_here():
    """Agents, crews and kinds are called as is said."""
    names = {TOR_ID: "tor", "Harbor": "port", "harbor": "port", "lessn": "lesson"}
    _, done, told = brought(OTTER, names=names)
    assert told["e-2"]["agent"] == "tor"
    assert told["k-1"]["crew"] == "port"
    assert told["e-3"]["kind"] == "lesson"
    assert done.bad == 0


def test_one_agents_rows_alone():
    """For an agent only what is its own is taken; the rest is told to be left out."""
    _, done, told = brought(OTTER, agent="mira")
    assert {*told} == {"e-1", "d-1", "d-2", "d-3"}
    assert done.left_out == 8
    _, _, told = brought(OTTER, crew="quay")
    assert {each["title"] for each in told.values()} == {"Of two teams", "Newer"}


def test_rows_may_come_in_lines():
    """A dump may have a row in each line, or say of each its table."""
    rows = OTTER["memory_entries"][:2] + OTTER["shared_knowledge"]
    form, done, _ = brought(in_lines(rows))
    assert (form, done.added, done.bad) == ("ottercamp", 7, 0)
    tagged = [{"table": "memory_entries", "row": row} for row in rows[:2]]
    assert brought(in_lines(tagged))[1].added == 2


def test_engrams_points_are_memories():
    """A point keeps id, kind, labels, topic and end; its numbers become ours."""
    form, done, told = brought(ENGRAM)
    assert (form, done.added, done.bad) == ("engram", 6, 2)
    point = told["p-1"]
    wanted = {
        "scope": "workspace",
        "kind": "decision",
        "importance": 4,
        "confidence": 0.8,
        "tags": ["deploy"],
        "entities": ["CI"],
        "metadata": {"by": "ada", "source": "cli"},
        "expires_at": "2027-01-01T00:00:00.000Z",
        "occurred_at": "2026-01-01T00:00:00.000Z",
        "origin": "engram",
    }
    assert point.items() >= wanted.items()
    assert [each["up"] for each in point["votes"]] == [False, False]
    assert point["accesses"]["accessed"] == 6
    assert told["p-3"]["importance"] == 5
    assert told["p-6"].items() >= {"kind": "correction", "status": "stale"}.items()
    reasons = " ".join(each.reason for each in done.troubles)
    assert "did you mean decision?" in reasons
    assert "from 1 to 10" in reasons


def test_of_engrams_topics_the_newest_stays():
    """Of points with one topic the newest is active, and the others are superseded."""
    _, _, told = brought(ENGRAM)
    assert told["p-2"]["status"] == "active"
    assert (told["p-1"]["status"], told["p-1"]["superseded_by"]) == (
        "superseded",
        "p-2",
    )
    assert [each["relation"] for each in told["p-2"]["edges"]] == ["supersedes"]
    assert told["p-4"]["topic_key"] == "a-b-4"
    assert told["p-4"]["metadata"] == {"topic_key": "a:b 4"}


def test_what_engram_summed_up_is_derived_from():
    """A summary is derived from its sources, which step back as ours do."""
    _, _, told = brought(ENGRAM)
    edges = told["p-3"]["edges"]
    assert {(each["to"], each["relation"]) for each in edges} == {
        ("p-4", "derived_from"),
        ("p-5", "derived_from"),
    }
    assert told["p-4"]["status"] == "warm"


def test_a_namespace_is_a_workspace():
    """Of several namespaces only the one of the workspace's name is taken."""
    rows = [
        {"id": f"p-{name}", "content": name, "memory_type": "fact", "namespace": name}
        for name in ("Team_A", "other")
    ]
    _, done, told = brought(rows, workspace="team-a")
    assert ({*told}, done.left_out) == ({"p-Team_A"}, 1)
    assert "-w other" in done.troubles[0].reason
    assert brought(rows[:1])[1].added == 1  # there is nothing to choose


def test_beads_memories_have_their_keys_as_topics():
    """A memory of Beads' is a fact with its key; issues come when asked for."""
    form, done, told = brought(in_lines(BEADS))
    assert (form, done.added, done.left_out, done.bad) == ("beads", 2, 2, 1)
    topics = {each["topic_key"]: each for each in told.values()}
    assert {*topics} == {"vault-key", "naïve-key"}
    assert topics["naïve-key"]["metadata"] == {"topic_key": "naïve key"}
    _, done, told = brought(in_lines(BEADS), with_issues=True, agent="mira")
    issue = told["bd-1"]
    wanted = {"kind": "action_item", "state": "done", "importance": 5, "agent": "mira"}
    assert issue.items() >= wanted.items()
    as_config = {"kv.memory.a": "One", "kv.memory.b": "Two"}
    assert brought(as_config)[1].added == 2


@pytest.mark.parametrize(
    "dump",
    [OTTER, ENGRAM, in_lines(BEADS), in_lines(ENGRAM)],
    ids=["ottercamp", "engram", "beads", "lines"],
)
def test_again_does_nothing(dump):
    """What was imported is known when it is imported again."""
    bench = Bench()
    _, first, told = brought(dump, bench)
    _, again, same = brought(dump, bench)
    assert (again.added, again.known, again.bad) == (0, first.added, first.bad)
    assert same == told
    assert bench.events() == ["memory.imported"]


@pytest.mark.parametrize("dump", [OTTER, ENGRAM, BEADS[1:]], ids=["o", "e", "b"])
def test_a_document_may_be_spelled_in_many_lines(dump):
    """A dump is the same in one line and in many."""
    assert brought(json.dumps(dump, indent=2).encode())[1:] == brought(dump)[1:]


def test_bad_rows_of_a_document_cost_themselves():
    """In a document too, values that programs read differently make their row bad."""
    text = b'[{"id": "a", "content": "x", "memory_type": "fact", "priority": NaN},\n'
    text += b'{"id": "b", "id": "c", "content": "x"}, 7,\n'
    text += b'{"id": "d", "content": "good", "memory_type": "fact"},\n'
    text += b'{"content": "x", "memory_type": "fact", "priority": 1' + b"0" * 5000
    text += b'}, {"content": "\\ud800", "memory_type": "fact"}]'
    _, done, told = brought(text)
    assert (done.added, done.bad) == (1, 5)
    assert {*told} == {"d"}


def test_what_nobody_knows_is_of_no_form():
    """Journals, tables and texts are no dumps of memories."""
    for text in (b"", b"# Notes", b"{}", b"[]", b'{"entry_type": "run", "summary": 1}'):
        assert form_of(items(text)) is None, text


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "id", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = [
    "id",
    "agent_id",
    "kind",
    "title",
    "content",
    "metadata",
    "importance",
    "confidence",
    "status",
    "org_id",
    "source_agent_id",
    "scope",
    "scope_teams",
    "quality_score",
    "confirmations",
    "superseded_by",
    "payload",
    "memory_type",
    "priority",
    "tags",
    "entities",
    "topic_key",
    "timestamp",
    "expires_at",
    "negative_count",
    "access_count",
    "consolidated_into",
    "namespace",
    "_type",
    "key",
    "value",
    "table",
    "row",
    "memory_entries",
    "points",
    "outdated",
    "created_at",
    "last_accessed",
    "date",
    "issue_type",
]


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), JUNK, max_size=8), max_size=5))
@settings(max_examples=150, deadline=None)
def test_whatever_a_dump_holds_is_taken_or_told(rows):
    """No dump, whatever is in it, fails; each row is added, known, or told about."""
    rows = [*rows, {"id": "p", "content": "Good", "memory_type": "fact"}]
    for text in (in_lines(rows), json.dumps(rows).encode()):
        found = items(text)
        for form in ("ottercamp", "engram", "beads", "ours"):
            told = as_ours(form, found, Aim())
            bench = Bench()
            done = take(bench.desk(), lambda told=told: told, Policy())
            assert done.total == (
                done.added + done.known + done.conflicts + done.left_out + done.bad
            )
