"""What is gathered of entries: counts as the full text has them, and neighbours."""

import pytest
from episodes.conftest import NOW
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem import times
from crewmem.episodes.store import Episodes
from crewmem.episodes.words_store import Words
from crewmem.hybrid.context import REACH
from crewmem.hybrid.gather import Gatherer
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal
from crewmem.journal.tokenizer import stemmer, tokenizer
from crewmem.retrieval.query import plain
from crewmem.scope import Reach


def gatherer_of(db):
    episodes = Episodes(db)
    words = Words(db, episodes.owners(Reach("default")), times.to_text(NOW))
    return Gatherer(words, episodes, stemmer(db))


@pytest.fixture
def gathered(db):
    """``gathered(found, "question")``: the entries by place."""

    def gather(found, question="crane", cosines=None):
        gatherer = gatherer_of(db)
        terms = plain(question, tokenizer(db)).terms
        offered = gatherer.around(found)
        entries = gatherer.entries(offered, terms, cosines or {})
        return offered, {each.seq: each for each in entries}

    return gather


def test_stems_are_counted(happened, gathered):
    """Phrases are counted in summary and payload, as the index counts."""
    entry = happened("Cranes broke. The crane!", payload={"question": "crane?"})
    other = happened("all is well")
    _, found = gathered([entry.seq, other.seq], "crane broke")
    assert [(each.words, each.frequencies) for each in found.values()] == [
        (5, [3.0, 1.0]),
        (3, ()),
    ]


@pytest.mark.parametrize(
    ("question", "often"),
    [
        ("deploy_key", [1.0, 2.0, 2.0]),  # the row of both, then each by itself
        ("deploy", [0.0, 2.0]),  # one of its two stems
        ("key key", [2.0]),
        ("vault", []),
    ],
)
def test_rows_of_words_are_counted_as_rows(happened, gathered, question, often):
    """Where they stand one after the other, in a short text as in a long one."""
    short = happened("the deploy key, and another key to deploy")
    long = happened("the deploy key, and another key to deploy " + "quay " * 200)
    _, found = gathered([short.seq, long.seq], question)
    counts = [sorted(found[each.seq].frequencies) for each in (short, long)]
    assert counts == [sorted(often), sorted(often)]


def test_a_session_is_gathered(happened, gathered):
    """A short entry comes with the next on each side, and those with theirs."""
    seqs = [happened(f"word {n}", trace_id="s").seq for n in range(9)]
    middle = seqs[4]
    offered, found = gathered([middle])
    assert offered == seqs[3:6]
    assert found[middle].before == [seqs[3], seqs[2]]
    assert found[middle].after == [seqs[5], seqs[6]]
    assert found[seqs[3]].before == [seqs[2], seqs[1]]
    assert found[seqs[5]].after == [seqs[6], seqs[7]]
    assert sorted(found) == seqs[1:8]
    assert found[seqs[1]].before == []


def test_long_entries_stand_alone(happened, gathered):
    """An entry of hundreds of words leans on nothing beside it."""
    happened("short", trace_id="s")
    long = happened("word " * 400, trace_id="s")
    offered, found = gathered([long.seq], "word")
    assert offered == [*found] == [long.seq]
    assert len(found[long.seq].places[0]) == 400


def test_entries_bring_what_is_known(happened, gathered, db):
    """Who said it, where, when, whether it asks, how much it weighs, how near."""
    entry = happened("Is it broken?", actor_id="ada", trace_id="s1")
    db.execute("update episodes set importance_score = 0.25")
    _, found = gathered([entry.seq], cosines={entry.seq: 0.5})
    only = found[entry.seq]
    assert (only.actor, only.session, only.at) == ("ada", "s1", times.to_text(NOW))
    assert (only.asks, only.importance, only.cosine) == (True, 0.25, 0.5)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["s", "t", None]), st.sampled_from([1, 1, 400])),
        min_size=1,
        max_size=12,
    ),
    st.data(),
)
def test_sides_are_as_they_are_asked_for(rows, data):
    """What is known of the sides of neighbours is what the store says of them."""
    db = truth()
    episodes = Episodes(db)
    journal = Journal(db, on_append=lambda new: episodes.take(new, NOW))
    drafts = [
        Draft("peer.escalation", "word " * words, trace_id=session)
        for session, words in rows
    ]
    seqs = [each.seq for each in journal.append("default", drafts, now=NOW)]
    first = data.draw(st.sets(st.sampled_from(seqs), min_size=1))
    second = data.draw(st.sets(st.sampled_from(seqs), min_size=1))
    gatherer = gatherer_of(db)
    for found in (first, second):
        offered = gatherer.around(found)
        entries = {each.seq: each for each in gatherer.entries(offered, (), {})}
        told = gatherer._words.beside(offered, REACH)
        for seq in offered:
            is_long = entries[seq].words > 1
            sides = (entries[seq].before, entries[seq].after)
            assert sides == (([], []) if is_long else told[seq])
    db.close()


def test_a_batch_reads_once(happened, db):
    """What was read for one question is not read for the next."""
    seqs = [happened(f"word {n}", trace_id="s").seq for n in range(5)]
    gatherer = gatherer_of(db)
    gatherer.entries(gatherer.around(seqs), (), {})
    db.set_exec_trace(lambda _, sql, __: pytest.fail(sql) if "payload" in sql else True)
    gatherer.entries(gatherer.around(seqs[1:3]), (), {})
