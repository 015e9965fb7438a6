"""Summaries: of days and weeks, and of what says much the same."""

import tracemalloc
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from itertools import combinations

import pytest
from claims import ALL, HARBOR, MIRA, NOW, TOR, Bench
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crewmem import times
from crewmem.backends.llm.extractive import Extractive
from crewmem.errors.memories import NotCondensedError
from crewmem.errors.registry import OutOfScopeError
from crewmem.memories import periods, rollup_store
from crewmem.memories.change import close, forget, pin
from crewmem.memories.clusters import LARGE, MATES, clusters, pairs
from crewmem.memories.condense import Undone, condense, undo
from crewmem.memories.find import Policy, find
from crewmem.memories.rollup import Roller
from crewmem.memories.similar import jaccard
from crewmem.memories.store import Filter, Memories
from crewmem.memories.summarise import MOST, Summariser
from crewmem.threats.scan import scan

EXTRACTIVE = Extractive()

DAY = periods.day(date(2026, 5, 1))

SETS = st.lists(st.sets(st.sampled_from("abcdefgh")), max_size=12)


@given(SETS, st.sampled_from([0.07, 0.3, 0.5, 0.6, 0.8, 1.0]))
def test_no_pair_is_missed(sets, least):
    """What is found without comparing each with each is what is found so."""
    expected = {
        (one, other): jaccard(sets[one], sets[other])
        for one, other in combinations(range(len(sets)), 2)
        if jaccard(sets[one], sets[other]) >= least
    }
    assert pairs(sets, least) == expected


def test_a_bound_that_is_met_exactly_is_met():
    """That 0.28 * 25 is a little over 7, as numbers are kept, loses no pair."""
    large = {f"{number:02}" for number in range(25)}
    small = {f"{number:02}" for number in range(18, 25)}
    assert pairs([large, small], 0.28) == {(0, 1): 0.28}


def test_thousands_of_the_same_are_grouped_as_well():
    """Where all are like all, there are groups, and not a pair of each two."""
    same = [{"the", "nightly", "export", "failed", f"on {at}"} for at in range(2_000)]
    assert len(pairs(same, 0.5)) <= len(same) * MATES
    found = clusters(same, 0.5)
    assert [len(group) for group in found if len(group) < MATES][1:] == []


@settings(max_examples=60, deadline=None)
@example([{*"abc"}, {*"abcd"}, {*"abcde"}], [1, 2, 3], 0.6)
@given(SETS, st.lists(st.integers(0, 3), min_size=12), st.sampled_from([0.3, 0.6, 0.8]))
def test_no_pair_of_large_sets_is_missed(sets, more, least):
    """Nor one of a large and a smaller one: they are met by other ways."""
    assert LARGE < 300
    large = [
        {f"{each}{number}" for each in some for number in range(50)}
        | {f"more {number}" for number in range(rest)}
        for some, rest in zip(sets, more, strict=False)
    ]
    test_no_pair_is_missed.hypothesis.inner_test(large, least)


def test_large_sets_take_no_more_room_than_they_are():
    """Each two of the rarest of eight thousand words would be millions."""
    large = [{str(at * 7 + number) for number in range(8_000)} for at in range(4)]
    tracemalloc.start()
    found = pairs(large, 0.85)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 6
    assert most < 16_000_000


@pytest.mark.parametrize("mark", [0, 30, 119])
@pytest.mark.parametrize("more", [[], ["also", "so"]])
def test_a_set_with_a_mark_is_met_by_all_that_are_like_it(mark, more):
    """However many others say the same, and whichever is smaller or came first."""
    same = [{"the", "nightly", "export", "failed", f"on {at}"} for at in range(120)]
    same[mark] |= {*more}
    marks = ["crew" if at == mark else "" for at in range(120)]
    found = pairs(same, 0.5, marks)
    others = [at for at in range(120) if at != mark]
    assert all((min(at, mark), max(at, mark)) in found for at in others[:MATES])
    if more or mark == 0:
        met = {at for pair in found if mark in pair for at in pair} - {mark}
        assert met == {*others}


@given(SETS, st.sampled_from([0.3, 0.5, 0.8]))
def test_in_a_group_each_is_like_each(sets, least):
    """Every set is in one group, and no group holds strangers."""
    found = clusters(sets, least)
    assert sorted(at for group in found for at in group) == [*range(len(sets))]
    for group in found:
        for one, other in combinations(group, 2):
            assert jaccard(sets[one], sets[other]) >= least


def held(bench, *statuses):
    wanted = Filter(bench.desk().view, NOW, statuses=statuses or ("active", "warm"))
    return Memories(bench.db).page(wanted, limit=200).memories


def summariser(model=EXTRACTIVE):
    return Summariser(model, EXTRACTIVE, scan)


def condensed(bench, *, model=EXTRACTIVE, dry_run=False):
    return condense(
        bench.desk(),
        held(bench, "active"),
        summariser=summariser(model),
        scan=scan,
        tokenize=bench.tokenize,
        dry_run=dry_run,
    )


ALIKE = [
    "The nightly export failed on runner one",
    "The nightly export failed on runner two",
    "The nightly export failed on runner one again",
]


def test_three_that_say_much_the_same_become_one(bench):
    """The sources stand behind it, and come back as they were."""
    for text in ALIKE:
        bench.remember(text, kind="error")
    bench.remember("The quay is wet")
    before = held(bench, "active")
    assert condensed(bench, dry_run=True)[0].memory is None
    assert held(bench, "active") == before
    (done,) = condensed(bench)
    assert done.sources == [
        each.id for each in reversed(before) if each.kind == "error"
    ]
    assert {each.status for each in held(bench) if each.kind == "error"} == {"warm"}
    assert condensed(bench) == []
    back = undo(bench.desk(), done.memory)
    assert sorted(back.sources) == sorted(done.sources)
    assert {each.id for each in held(bench, "active")} == {each.id for each in before}
    with pytest.raises(NotCondensedError):
        undo(bench.desk(), before[0])
    assert condensed(bench) == condensed(bench, dry_run=True) == []
    assert undo(bench.desk(), back.memory) == Undone(back.memory, [])


def test_a_group_comes_back_from_behind_a_forgotten_summary(bench):
    """Who forgets it first takes it back all the same."""
    for text in ALIKE:
        bench.remember(text, kind="error")
    (done,) = condensed(bench)
    gone = forget(bench.desk(), done.memory).memory
    assert len(undo(bench.desk(), gone).sources) == len(ALIKE)
    assert {each.title for each in held(bench, "active")} == {*ALIKE}


@pytest.mark.parametrize("owners", [(MIRA, MIRA, TOR), (MIRA, HARBOR, ALL)])
def test_nothing_is_condensed_across_owners(bench, owners):
    """What one holds is not told to others in a summary."""
    for text, owner in zip(ALIKE, owners, strict=True):
        bench.remember(text, owner)
    assert condensed(bench) == []


def test_one_tag_in_common_chains_nothing(bench):
    """Strangers that share a tag stay apart."""
    for text in ("The pier is closed", "PG runs on db-1", "Tea is at four"):
        bench.remember(text, tags=["harbor"])
    assert condensed(bench) == []


def rolled(bench, *wanted, model=EXTRACTIVE, days=0, dry_run=False):
    return Roller(
        bench.desk(days=days)._replace(is_system=True),
        summariser=summariser(model),
        zone=UTC,
        scan=scan,
        tokenize=bench.tokenize,
        dry_run=dry_run,
    ).run(wanted or None)


def test_a_day_is_summed_up_once(bench):
    """For each agent, and for the workspace; renewed only when something changed."""
    bench.remember("PG 16 it is", kind="decision", importance=5)
    bench.remember("The export failed", kind="error")
    bench.remember("Trains leave at two", ALL)
    bench.remember("The crew meets at nine", HARBOR)
    done = rolled(bench, DAY)
    assert [(each.owner, each.action, each.sources) for each in done.rolled] == [
        ("mira", "created", 2),
        ("workspace", "created", 1),
    ]
    view = bench.desk().view
    told = Memories(bench.db).find(done.rolled[0].memory, view)
    assert told.content == "Decisions:\n- PG 16 it is\nErrors:\n- The export failed"
    before = bench.rows()
    assert {each.action for each in rolled(bench, DAY).rolled} == {"unchanged"}
    assert bench.rows() == before
    bench.remember("The export works", kind="error")
    again = rolled(bench, DAY).rolled[0]
    assert (again.action, again.memory) == ("updated", told.id)


def test_details_age_behind_their_summary(bench):
    """Warm after 7 days, archived after 30; what stands stays, and so does what has
    no summary."""
    bench.remember("The export failed", kind="error")
    bench.remember("PG 16 it is", kind="decision")
    bench.remember("Tea is at four", kind="context", topic_key="tea")
    todo = bench.remember("Rotate the key", kind="action_item").memory
    done = bench.remember("Call the yard", kind="action_item").memory
    close(bench.desk(), done, "done")
    assert rolled(bench, DAY, days=6).aged == []
    warm = rolled(bench, DAY, days=8).aged
    assert sorted(each.title for each in warm) == ["Call the yard", "The export failed"]
    assert {each.status for each in warm} == {"warm"}
    cold = rolled(bench, DAY, days=31).aged
    assert {each.status for each in cold} == {"archived"}
    left = {each.title for each in held(bench, "active") if each.kind != "summary"}
    assert left == {"PG 16 it is", "Tea is at four", todo.title}
    (day,) = rolled(bench, DAY, days=40).rolled
    assert day.action == "unchanged"


def test_without_a_summary_nothing_ages(bench):
    """What no summary holds is not put away, however old it is."""
    bench.remember("The export failed", kind="error")
    other = periods.day(date(2026, 4, 1))
    assert rolled(bench, other, days=60).aged == []


def test_what_is_forgotten_leaves_the_summary(bench):
    """A day is told anew without it."""
    memory = bench.remember("The walrus swims").memory
    bench.remember("The heron flies")
    rolled(bench, DAY)
    forget(bench.desk(), memory)
    (day,) = rolled(bench, DAY).rolled
    told = Memories(bench.db).find(day.memory, bench.desk().view)
    assert day.action == "updated"
    assert "walrus" not in told.content


def test_a_day_of_which_nothing_is_held_is_told_no_more(bench):
    """Its summary is put away with the last that it told, and not with its age."""
    bench.remember("The export failed", kind="error", days=-40)
    memory = bench.remember("The walrus swims").memory
    rolled(bench, days=9)
    assert {each.action for each in rolled(bench, days=9).rolled} == {"unchanged"}
    before = held(bench)
    forget(bench.desk(days=9), memory)
    plan = rolled(bench, days=9, dry_run=True).rolled
    done = rolled(bench, days=9).rolled
    assert plan == [each._replace(memory=None) for each in done]
    told = [(each.action, each.period) for each in done]
    assert told == [("archived", "2026-05-01"), ("archived", "2026-W18")]
    assert rolled(bench, days=10).rolled == []
    gone = {memory.id, *(each.memory for each in done)}
    assert {each.id for each in held(bench)} == {each.id for each in before} - gone
    assert "The export failed" in repr(held(bench))


def test_what_has_an_end_is_in_no_summary(bench):
    """It leaves recall with its end; a summary would tell it on."""
    for text in ALIKE:
        bench.remember(text, kind="error", expires_at=bench.desk(days=9).now)
    assert rolled(bench, DAY).rolled == []
    assert condensed(bench) == []


def test_restricted_is_in_no_summary(bench):
    """It would be told to whoever reads that."""
    bench.remember("The walrus swims", sensitivity="restricted")
    assert rolled(bench, DAY).rolled == []


def test_catching_up_sums_up_what_is_over(bench):
    """All days and weeks that are over, and not today."""
    for days in (0, 1, 8, 9):
        bench.remember(f"It rained on day {days}", days=days)
    done = rolled(bench, days=9)
    assert [each.period for each in done.rolled] == [
        "2026-05-01",
        "2026-05-02",
        "2026-05-09",
        "2026-W18",
    ]


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_rolled_up_twice_is_once(data):
    """A second run on the same day writes nothing, whatever is held."""
    bench = Bench()
    kinds = ["error", "context", "decision", "meeting", "fact"]
    for number in range(data.draw(st.integers(1, 6))):
        bench.remember(
            f"It rained, {number}",
            data.draw(st.sampled_from([MIRA, TOR, ALL])),
            kind=data.draw(st.sampled_from(kinds)),
            days=data.draw(st.integers(0, 40)),
        )
    days = data.draw(st.integers(0, 80))
    rolled(bench, days=days)
    rolled(bench, days=days)
    before, events = bench.rows(), bench.events()
    again = rolled(bench, days=days)
    assert {each.action for each in again.rolled} <= {"unchanged"}
    assert again.aged == []
    assert (bench.rows(), bench.events()) == (before, events)


def ages(memory):
    """Tell whether *memory* is put away with time."""
    closed = memory.kind == "action_item" and memory.state in {"done", "dropped"}
    return (
        (closed or memory.kind in periods.AGING)
        and memory.scope == "agent"
        and memory.topic_key is None
        and memory.pin == "none"
        and memory.expires_at is None
    )


def due(memory, now):
    """Return what *memory*, which ages, is by now."""
    age = now - periods.when(memory)
    if age > periods.COLD:
        return "archived"
    return "warm" if age >= periods.WARM else "active"


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_ages_in_the_store_is_what_ages(data):
    """SQL that reads no text says of each memory what the rules say of it."""
    bench = Bench()
    drawn = data.draw
    for number in range(drawn(st.integers(1, 8))):
        memory = bench.remember(
            f"It rained, {number}",
            drawn(st.sampled_from([MIRA, TOR, HARBOR, ALL])),
            kind=drawn(st.sampled_from(["error", "context", "fact", "action_item"])),
            sensitivity=drawn(st.sampled_from(["internal", "restricted"])),
            topic_key=drawn(st.sampled_from([None, None, f"rain/{number}"])),
            occurred_at=drawn(st.sampled_from([None, bench.desk(days=9).now])),
            expires_at=drawn(st.sampled_from([None, None, bench.desk(days=60).now])),
            days=drawn(st.integers(0, 9)),
        ).memory
        values = {"pin": drawn(st.sampled_from(["none", "none", "high"]))}
        if memory.kind == "action_item":
            values["state"] = drawn(st.sampled_from(["open", "done", "dropped"]))
        values["status"] = drawn(st.sampled_from(["active", "warm", "stale"]))
        bench.desk().memories.change(memory.seq, values)
    rolled(bench, *map(periods.day, (date(2026, 5, n) for n in range(1, 12))))
    now = bench.desk(days=drawn(st.integers(0, 45))).now
    sources = {
        seq for (seq,) in bench.db.execute("select dst from memory_edges").fetchall()
    }
    expected = [
        (each.seq, each.status, due(each, now))
        for each in sorted(held(bench), key=lambda each: each.seq)
        if each.seq in sources and ages(each)
        if each.sensitivity != "restricted"
        if due(each, now) not in {"active", each.status}
    ]
    found = rollup_store.aging(bench.db, "default", now, [])
    assert [(one.seq, one.status, one.wanted) for one in found] == expected


def test_only_what_a_summary_tells_ages(bench):
    """A pattern tells less than it is drawn from, and a refused summary nothing."""
    failed = bench.remember("The export failed", kind="error").memory
    pattern = bench.remember("Exports and the disk", ALL, kind="pattern").memory
    summary = bench.remember("Exports failed", kind="summary").memory
    desk = bench.desk(days=40)

    def aged():
        return [
            one.seq for one in rollup_store.aging(bench.db, "default", desk.now, [])
        ]

    desk.relate(pattern.seq, failed.seq, "derived_from")
    assert aged() == []
    desk.relate(summary.seq, failed.seq, "derived_from")
    assert aged() == [failed.seq]
    desk.memories.change(summary.seq, {"status": "quarantined"})
    assert aged() == []


def test_what_is_pinned_does_not_age(bench):
    """Until the pin is taken away."""
    memory = bench.remember("The export failed", kind="error").memory
    assert pin(bench.desk(), memory, "high").before == "none"
    assert rolled(bench, DAY, days=40).aged == []
    assert not pin(bench.desk(), memory, "high").changed
    pin(bench.desk(), memory, "none", "fixed")
    assert [each.id for each in rolled(bench, DAY, days=40).aged] == [memory.id]
    told = bench.events()
    assert (told.count("memory.pinned"), told.count("memory.unpinned")) == (1, 1)


@pytest.mark.parametrize(
    ("who", "owner", "may"),
    [
        ("operator:ada", MIRA, True),
        ("agent:mira", MIRA, False),
        ("lead:pilot", HARBOR, True),
        ("lead:pilot", ALL, False),
        ("agent:pilot", HARBOR, False),
    ],
)
def test_who_may_pin(bench, who, owner, may):
    """Operators may, and leads what their crew holds: what is pinned leads a prompt."""
    memory = bench.remember("The pier is closed", owner).memory
    with nullcontext() if may else pytest.raises(OutOfScopeError):
        pin(bench.desk(who), memory, "pin")
    after = bench.desk().memories.by_id("default", memory.id)
    assert after.pin == ("pin" if may else "none")


def test_a_clock_before_all_days_ages_nothing(bench):
    """Nothing is older than the calendar is."""
    bench.remember("The export failed", kind="error")
    rolled(bench, DAY)
    now = datetime(1, 1, 2, tzinfo=UTC)
    assert rollup_store.aging(bench.db, "default", now, []) == []
    assert rollup_store.put_away(bench.db, 1, now) == []


INSERT = """
    insert into memories (workspace_id, scope, agent_id, kind, origin, created_by, id,
           title, content, content_hash, created_at, updated_at)
    values ('default', 'agent', 'mira', 'fact', 'cli', 'agent:mira', ?, ?, ?, ?, ?, ?)
"""


def test_a_month_takes_no_more_memory_than_a_day(bench):
    """What is summed up is read a period at a time."""
    rain = "rain " * 400
    for number in range(30 * 50):
        at = times.to_text(NOW - timedelta(days=number % 30))
        row = (f"m_{number:012}", f"{number}", rain, f"{number:064}", at, at)
        bench.db.execute(INSERT, row)
    days = [periods.day((NOW - timedelta(days=each)).date()) for each in range(30)]
    rolled(bench, days[0])  # what the scanner needs is loaded
    tracemalloc.start()
    done = rolled(bench, *days)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [each.action for each in done.rolled[1:]] == ["created"] * 29
    assert most < 30 * 50 * len(rain) / 3


def test_a_summary_has_an_end(bench):
    """However much there is, it is short, and says that there is more."""
    for number in range(100):
        bench.remember(f"Something rather long that happened, number {number} " * 2)
    told = summariser().told(held(bench)).text
    assert len(told) <= MOST
    assert told.endswith("…")


def test_weeks_are_those_of_iso_8601():
    """A week is from Monday to Sunday, and has its year."""
    week = periods.week(date(2027, 1, 1))
    assert (week.name, week.first, week.last) == (
        "2026-W53",
        date(2026, 12, 28),
        date(2027, 1, 3),
    )
    assert periods.read_week("2026-w53") == periods.read_week("2027-01-02") == week
    with pytest.raises(ValueError, match="week"):
        periods.read_week("2026-W60")
    assert timedelta(days=7) == periods.WARM


def test_a_summary_stands_before_the_details_that_it_sums_up(bench):
    """What is warm fills what is left, however much better it answers."""
    details = [
        bench.remember(
            f"The crane stopped on shift {number} in the wind of the yard",
            title=f"Crane {number}",
            kind="context",
        ).memory
        for number in range(3)
    ]
    bench.remember("The crane stopped, says the yard", ALL)

    def found():
        view = bench.desk(restricted=False).view
        wanted = Filter(view, NOW)
        asked = "crane stopped shift 2 wind yard"
        answer = find(Memories(bench.db), wanted, asked, Policy(9), bench.tokenize)
        return [hit.ref for hit in answer.hits]

    assert found()[0] == details[2].id
    (done,) = condensed(bench)
    after = found()
    assert after[0] == done.memory.id
    assert {*after[1:]} >= {each.id for each in details}
    undo(bench.desk(), done.memory)
    assert found()[0] == details[2].id
