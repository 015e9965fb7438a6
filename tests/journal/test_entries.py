"""Appending, listing, finding and counting entries."""

import apsw
import pytest

from crewmem.access import Scope
from crewmem.errors import NotFoundError, RefusedError, UsageError
from crewmem.journal.reading import EntryFilter
from crewmem.journal.verify import verify_chains

pytestmark = pytest.mark.both_stores


def summaries(page):
    return [entry.summary for entry in page.entries]


def test_entry_keeps_what_was_given(journal):
    entry_id = journal.append(
        "mission.status_change",
        "Berth 4 is closed",
        payload={"berth": 4, "why": {"reason": "crane"}},
        refs={"episodic": True},
        severity="warn",
        crew="harbor",
        agent="ada",
        trace_id="s_1",
    )
    entry = journal.get(entry_id[:8])
    assert entry.id == entry_id
    assert (entry.ts, entry.severity) == ("2026-05-01T09:30:00.000Z", "warn")
    assert entry.payload == {"berth": 4, "why": {"reason": "crane"}}
    assert (entry.crew_id, entry.agent_id, entry.trace_id) == ("harbor", "ada", "s_1")
    assert (entry.actor_type, entry.actor_id, entry.origin) == ("user", "kim", "operator")


@pytest.mark.parametrize("name", ["Memory.updated", "memory", "memory..x", "memory.", "a b.c"])
def test_entry_type_is_dotted_lower_case(journal, name):
    with pytest.raises(UsageError):
        journal.append(name, "x")


def test_origin_follows_the_actor_and_is_never_raised(open_journal):
    def origin(actor, requested=None, **access):
        journal = open_journal(actor, home_crew="harbor", **access)
        return journal.get(journal.append("a.b", "x", origin=requested)).origin

    assert origin("operator:kim") == "operator"
    assert origin("operator:kim", "external") == "external"
    assert origin("operator:kim", agent_program=True) == "agent"
    assert origin("agent:ada", "operator") == "agent"
    assert origin("system:timer".replace("system", "operator")) == "operator"


def test_entries_of_agents_are_their_own_by_default(open_journal):
    ada = open_journal("agent:ada", home_crew="harbor", crews=frozenset({"harbor"}))
    entry = ada.get(ada.append("note.written", "x"))
    assert (entry.agent_id, entry.crew_id, entry.actor_type) == ("ada", "harbor", "agent")


def test_agents_read_their_own_entries_and_leads_their_crews(open_journal):
    crews = {"home_crew": "harbor", "crews": frozenset({"harbor"})}
    open_journal("agent:ada", **crews).append("a.b", "of ada")
    open_journal("agent:bob", **crews).append("a.b", "of bob")
    open_journal().append("a.b", "of nobody")
    open_journal().append("a.b", "of the yard", crew="yard")

    ada = open_journal("agent:ada", **crews)
    bob_id = open_journal().list(EntryFilter(agent="bob")).entries[0].id
    yard_id = open_journal().list(EntryFilter(crew="yard")).entries[0].id
    assert summaries(ada.list()) == ["of ada"]
    assert summaries(ada.list(EntryFilter(visible_to=Scope.CREW))) == ["of bob", "of ada"]
    lead = open_journal("lead:cleo", **crews, led=frozenset({"harbor"}))
    assert summaries(lead.list()) == ["of bob", "of ada"]
    assert ada.get(bob_id).summary == "of bob"
    with pytest.raises(NotFoundError):
        lead.get(yard_id)


def test_pages_follow_each_other_without_gap_or_repeat(journal, clock):
    for number in range(25):
        journal.append("a.b", str(number))
        if number % 3 == 0:
            clock.advance(seconds=1)
    found, cursor = [], None
    while True:
        page = journal.list(limit=4, after=cursor)
        found += summaries(page)
        cursor = page.next
        if cursor is None:
            break
    assert found == [str(number) for number in reversed(range(25))]
    with pytest.raises(UsageError, match="cursor"):
        journal.list(after="x")
    with pytest.raises(UsageError, match="1 to 1000"):
        journal.list(limit=1001)


def test_filters_narrow_the_listing(journal, clock):
    journal.append("memory.updated", "one", severity="warn", crew="harbor")
    clock.advance(hours=2)
    journal.append("fact.created", "two about cranes", agent="ada")
    journal.append("memory.versions_pruned", "three", priority="high")

    def found(**wanted):
        return summaries(journal.list(EntryFilter(**wanted)))

    assert found(types=["memory.*"]) == ["three", "one"]
    assert found(types=["fact.created", "memory.versions_pruned"]) == ["three", "two about cranes"]
    assert found(exclude_types=["memory.*"]) == ["two about cranes"]
    assert found(severities=["warn", "error"]) == ["one"]
    assert found(priorities=["high"]) == ["three"]
    assert found(crew="harbor") == ["one"]
    assert found(agent="ada") == ["two about cranes"]
    assert found(since=clock.now) == ["three", "two about cranes"]
    assert found(expression='"crane"') == ["two about cranes"]
    assert [entry.summary for entry in journal.list_after(1)] == ["two about cranes", "three"]


def test_entries_of_types_are_found_without_reading_the_others(journal):
    for _ in range(500):
        journal.append("memory.updated", "x")
    journal.append("memory.pruned", "rare")
    for _ in range(500):
        journal.append("memory.updated", "x")

    def count_steps(work):
        counts = []
        connection = journal.context.db.connection
        connection.trace_v2(
            apsw.SQLITE_TRACE_PROFILE,
            lambda event: counts.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]),
        )
        work()
        connection.trace_v2(0)
        return sum(counts)

    for pattern in ("memory.pr*", "memory.up*", "*.pruned", "nothing.*"):
        wanted = EntryFilter(types=[pattern])
        assert count_steps(lambda wanted=wanted: journal.list(wanted, limit=10)) < 2000
    for pattern in ("memory.updated", "memory.up*"):
        wanted = EntryFilter(types=[pattern])
        assert count_steps(lambda wanted=wanted: journal.list_after(990, wanted)) < 2000


def test_entries_are_counted_by_type_agent_and_local_day(journal, clock):
    journal.append("a.b", "x", agent="ada")
    clock.advance(hours=14)
    journal.append("a.b", "x")
    journal.append("a.c", "x")
    assert journal.count_by("type") == {"a.b": 2, "a.c": 1}
    assert journal.count_by("agent") == {"": 2, "ada": 1}
    journal.context.__dict__["zone"] = __import__("zoneinfo").ZoneInfo("Asia/Kolkata")
    assert journal.count_by("day") == {"2026-05-02": 2, "2026-05-01": 1}


@pytest.mark.one_store
def test_damaged_payload_is_shown_empty(journal):
    entry_id = journal.append("a.b", "x", payload={"a": 1})
    journal.context.db.execute("update journal_entries set payload = '{\"a\"'")
    assert journal.get(entry_id).payload == {}


def test_words_of_payload_are_found_but_not_its_keys(journal):
    journal.append("a.b", "x", payload={"colour": "vermilion", "n": [17, {"k": "東京都"}]})
    assert len(journal.list(EntryFilter(expression='"vermilion"')).entries) == 1
    assert len(journal.list(EntryFilter(expression='"17"')).entries) == 1
    assert len(journal.list(EntryFilter(expression='"京都"')).entries) == 1
    assert journal.list(EntryFilter(expression='"colour"')).entries == []


def test_pin_needs_operator_or_lead_and_a_reason(open_journal):
    journal = open_journal()
    entry_id = journal.append("a.b", "x", crew="harbor")
    lead = open_journal(
        "lead:cleo", home_crew="harbor", crews=frozenset({"harbor"}), led=frozenset({"harbor"})
    )
    agent = open_journal("agent:ada", home_crew="harbor", crews=frozenset({"harbor"}))
    with pytest.raises(RefusedError):
        agent.set_priority(entry_id, "pin", reason="x")
    with pytest.raises(UsageError):
        lead.set_priority(entry_id, "pin", reason=" ")
    assert lead.set_priority(entry_id, "pin", reason="matters").priority == "pin"
    journal.set_priority(entry_id, "normal", reason="over")
    changes = journal.describe(entry_id).priority_changes
    assert [(c.before, c.after, c.by) for c in changes] == [
        ("normal", "pin", "lead:cleo"),
        ("pin", "normal", "operator:kim"),
    ]
    assert verify_chains(journal.context)[0].broken is None


def test_relations_are_listed_at_both_ends(journal):
    one, two = journal.append("a.b", "one"), journal.append("a.b", "two")
    assert journal.add_relation(one, two, "contradicts")
    assert not journal.add_relation(one, two, "contradicts")
    assert journal.describe(one).relations == journal.describe(two).relations
    assert journal.describe(two).relations[0][:3] == (one, two, "contradicts")
    with pytest.raises(UsageError):
        journal.add_relation(one, two, "similar")
