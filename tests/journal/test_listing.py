"""Entries by what is asked of them."""

from datetime import UTC, timedelta
from functools import partial

import pytest
from entries import NOW, draft
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.connect import fetch
from crewmem.errors.database import DatabaseDamagedError
from crewmem.errors.journal import EntryChangedError
from crewmem.journal import listing_store
from crewmem.journal.chain_store import last_seq
from crewmem.journal.compact import Guards, compact, plan
from crewmem.journal.count import Count, count
from crewmem.journal.filter import Filter
from crewmem.journal.listing_store import beside, newer, page
from crewmem.scope import Reach

ALL = Reach("default")


@pytest.fixture(name="filled")
def _filled(journal, add):
    """Entries of two crews, some of them archived, and of another workspace."""
    add(
        draft("Old news", id="old-1", days=50, crew_id="harbor", agent_id="winch"),
        draft("Old words", "b.c", id="old-2", days=40, payload={"a": "rare"}),
    )
    keep = Guards(lambda *_: False, lambda _: set())
    before = NOW - timedelta(days=30)
    compact(journal, "default", plan(journal, "default", before, keep), keep, now=NOW)
    add(
        draft("Moored", id="a", days=3, crew_id="harbor", agent_id="winch"),
        draft("Billed", "b.c", id="b", days=2, severity="warn", agent_id="ledger"),
        draft("Paid: rare", "b.d", id="c", days=2, priority="pin", crew_id="harbor"),
        draft("[odd]", "b.c", id="d", days=1, crew_id="lab", agent_id="zoe"),
    )
    add(draft("Elsewhere", id="x"), workspace="other")
    return journal


def listed(journal, *, limit=50, reach=ALL, **wanted):
    """Return the ids that a listing shows, but for those of compaction."""
    found = page(journal.db, Filter(reach, **wanted), limit=limit).entries
    return [each.id for each in found if each.entry_type != "system.compaction"]


def test_the_newest_are_first(filled):
    """By time, then by place; the archive is asked for."""
    assert listed(filled) == ["d", "c", "b", "a"]
    assert listed(filled, with_archive=True) == ["d", "c", "b", "a", "old-2", "old-1"]


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ({"types": ("b.*",)}, "d c b old-2"),
        ({"types": ("b.c", "note.*")}, "d b a old-2 old-1"),
        ({"types": ("*.?",), "excluded": ("b.c",)}, "c"),
        ({"types": ("[b]*",)}, ""),
        ({"severities": ("warn", "error")}, "b"),
        ({"priorities": ("pin",)}, "c"),
        ({"priorities": ("normal",)}, "d b a old-2 old-1"),
        ({"crew": "harbor"}, "c a old-1"),
        ({"agent": "winch"}, "a old-1"),
        ({"agent": ""}, ""),
        ({"since": NOW - timedelta(days=2)}, "d c b"),
        ({"until": NOW - timedelta(days=2)}, "c b a old-2 old-1"),
        ({"since": NOW - timedelta(days=2, milliseconds=-1)}, "d"),
        ({"since": NOW - timedelta(days=2, microseconds=-1)}, "d"),
        ({"words": '"rare"'}, "c old-2"),
        ({"words": '"bill"'}, "b"),
        ({"words": '"old" NOT "rare"'}, "old-1"),
        ({"words": ""}, ""),
        ({"words": '"rare"', "severities": ("error",)}, ""),
    ],
)
def test_filters_are_of_the_archive_as_well(filled, wanted, ids):
    """Each filter shows what fits it, among what is archived too."""
    assert listed(filled, with_archive=True, **wanted) == ids.split()
    alive = [each for each in ids.split() if not each.startswith("old")]
    assert listed(filled, **wanted) == alive


@pytest.mark.parametrize(
    ("reach", "ids"),
    [
        (Reach("default", "winch"), "a old-1"),
        (Reach("default", "winch", frozenset({"harbor"})), "c a old-1"),
        (Reach("default", "ledger", frozenset({"lab"})), "d b"),
        (Reach("default", "nobody"), ""),
        (Reach("other"), "x"),
        (Reach("nowhere"), ""),
    ],
)
def test_nothing_is_listed_out_of_reach(filled, reach, ids):
    """Scope is a part of every query, through the archive and the words as well."""
    assert listed(filled, reach=reach, with_archive=True) == ids.split()
    found = {*listed(filled, reach=reach, with_archive=True, words='"rare"')}
    assert found <= {*ids.split()}


def test_archived_entries_are_listed_whole(filled):
    """A listing shows them as they were written, and that they are archived."""
    wanted = Filter(ALL, with_archive=True, words='"rare"', types=("b.c",))
    [entry] = page(filled.db, wanted, limit=5).entries
    assert (entry.id, entry.payload) == ("old-2", {"a": "rare"})
    assert entry.archived_at == NOW


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_pages_are_the_listing_cut(data):
    """Page by page, of any size, every entry is shown once, in its order."""
    from contextlib import closing

    from crewmem.journal.store import Journal

    days = data.draw(st.lists(st.integers(0, 4).map(lambda n: 20 * n), max_size=12))
    limit = data.draw(st.integers(1, 5))
    words = data.draw(st.sampled_from([None, '"happened"']))
    with closing(truth()) as db:
        journal = Journal(db)
        journal.append("default", [draft(days=each) for each in days], now=NOW)
        keep = Guards(lambda *_: False, lambda _: set())
        before = NOW - timedelta(days=30)
        compact(
            journal, "default", plan(journal, "default", before, keep), keep, now=NOW
        )
        wanted = Filter(ALL, with_archive=True, words=words)
        whole = page(db, wanted, limit=100).entries
        found, cursor = [], None
        while True:
            part = page(db, wanted, limit=limit, after=cursor)
            found += part.entries
            cursor = part.next
            if cursor is None:
                break
            assert len(part.entries) == limit
        assert found == whole
        assert sum(each.entry_type == "note.taken" for each in found) == len(days)


def test_what_comes_is_followed_in_its_order(filled, add):
    """Entries are followed as they are added, whenever they happened."""
    seq = last_seq(filled.db)
    add(draft("Late", id="late", days=9), draft("More", id="more"))
    wanted = Filter(ALL)
    assert [each.id for each in newer(filled.db, wanted, seq=seq, limit=1)] == ["late"]
    [entry] = newer(filled.db, wanted, seq=seq + 1, limit=9)
    assert entry.id == "more"
    assert newer(filled.db, wanted, seq=entry.seq, limit=9) == []


@pytest.mark.parametrize("words", [None, '"gone"'])
def test_what_was_archived_at_once_is_followed_as_well(filled, add, words):
    """What compaction took before anybody looked is shown, in its place, once."""
    begun = last_seq(filled.db)
    add(draft("Gone", id="gone", days=90), draft("Gone soon", id="soon"))
    keep = Guards(lambda *_: False, lambda _: set())
    planned = plan(filled, "default", NOW - timedelta(days=30), keep)
    compact(filled, "default", planned, keep, now=NOW)
    wanted = Filter(ALL, types=("note.*",), words=words)
    look = partial(newer, filled.db, wanted, seq=begun, limit=9)
    assert [each.id for each in look(archived_after=begun)] == ["gone", "soon"]
    assert [each.id for each in look(archived_after=begun + 1)] == ["soon"]
    assert [each.id for each in look()] == ["soon"]
    assert len(look(archived_after=begun, limit=1)) == 1


def test_looking_for_what_is_new_reads_nothing_else(filled):
    """However long a journal is, what was added is found by its place."""
    asked = []
    filled.db.exec_trace = lambda _, sql, values: not asked.append((sql, values))
    newer(filled.db, Filter(ALL), seq=9, limit=5, archived_after=0)
    filled.db.exec_trace = None
    plans = [
        " ".join(row[3] for row in fetch(filled.db, f"explain query plan {sql}", told))
        for sql, told in asked
        if "order by seq" in sql
    ]
    assert ["rowid>?" in plans[0], "archive_by_seq (seq>?)" in plans[1]] == [True, True]
    assert not any("B-TREE" in each for each in plans)


@pytest.mark.parametrize("words", [None, '"rare" OR "odd" OR "news"'])
def test_counts_are_of_the_listing(filled, words):
    """What is counted is what would be listed."""
    for by, key in (
        ("type", lambda each: each.entry_type),
        ("agent", lambda each: each.agent_id),
        ("day", lambda each: each.ts.date().isoformat()),
    ):
        for archive in (False, True):
            wanted = Filter(ALL, with_archive=archive, words=words)
            entries = page(filled.db, wanted, limit=100).entries
            keys = [key(each) for each in entries]
            found = count(filled.db, wanted, by, zone=UTC)
            assert {each.key: each.entries for each in found} == {
                each: keys.count(each) for each in keys
            }


def test_the_archive_is_of_the_same_moment(at_home, monkeypatch):
    """What is archived while both are listed is listed once."""
    journal, other = at_home(), at_home()
    journal.append("default", [draft(id="old", days=60)], now=NOW)
    read = listing_store._archived

    def slow(*asked):
        keep = Guards(lambda *_: False, lambda _: set())
        compact(other, "default", plan(other, "default", NOW, keep), keep, now=NOW)
        return read(*asked)

    monkeypatch.setattr(listing_store, "_archived", slow)
    found = page(journal.db, Filter(ALL, with_archive=True), limit=10)
    assert [each.id for each in found.entries] == ["old"]
    monkeypatch.undo()
    found = page(journal.db, Filter(ALL, with_archive=True), limit=10)
    assert {each.id for each in found.entries} > {"old"}
    journal.db.close()
    other.db.close()


DAMAGES = [
    "payload = '{'",
    "refs = 'x'",
    "ts = 'yesterday'",
    "expires_at = 'never'",
    "refs = '" + '{"a":' * 100_000 + "1" + "}" * 100_000 + "'",
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage[:20])
def test_an_entry_that_cannot_be_read_is_named(journal, add, damage):
    """A row that was changed by hand is told, and never a bug of the program."""
    add(draft(id="id-1"), draft(id="id-2"))
    sql = f"update journal_entries set {damage} where seq = 2"  # noqa: S608 - ours
    journal.db.execute(sql)
    with pytest.raises(EntryChangedError, match="'id-2' at 2"):
        page(journal.db, Filter(ALL), limit=10)


def test_a_day_that_is_none_is_damage(journal, add):
    """To count days, an entry has to have one."""
    add(draft())
    journal.db.execute("update journal_entries set ts = 'yesterday'")
    with pytest.raises(DatabaseDamagedError, match="'yesterday"):
        count(journal.db, Filter(ALL), "day", zone=UTC)


def test_days_are_of_the_time_zone(journal, add):
    """An hour before midnight in UTC is the next day in Berlin."""
    from crewmem import times

    add(draft(ts=times.from_text("2026-04-30T22:30:00Z")), draft())
    wanted = Filter(ALL)
    assert count(journal.db, wanted, "day", zone=UTC) == [
        Count("2026-04-30", 1),
        Count("2026-05-01", 1),
    ]
    zone = times.zone("Europe/Berlin")
    assert count(journal.db, wanted, "day", zone=zone) == [Count("2026-05-01", 2)]


def test_the_most_are_first(filled):
    """Types and agents are in the order of how many there are, then of their names."""
    found = count(filled.db, Filter(ALL, types=("b.*", "note.*")), "type", zone=UTC)
    assert found == [Count("b.c", 2), Count("b.d", 1), Count("note.taken", 1)]
    found = count(filled.db, Filter(ALL, types=("b.*",)), "agent", zone=UTC)
    assert found == [Count(None, 1), Count("ledger", 1), Count("zoe", 1)]


def test_neighbours_of_ids_are_those_beside_them(journal, add):
    """What makes a prefix ambiguous stands beside an id in the order of text."""
    add(*(draft(id=f"id-{n}") for n in range(5)))
    assert beside(journal.db, "default", ["id-2"]) == ["id-1", "id-3"]
