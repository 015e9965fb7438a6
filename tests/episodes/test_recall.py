"""Recall over real stores: scope in every mode, what degrades it, what is the same."""

from datetime import timedelta

import numpy as np
import pytest
from episodes.conftest import NOW, SPACE, Embedder
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.db.derived import in_memory
from crewmem.episodes.recall import Asker, Policy, Recaller
from crewmem.episodes.relation import Edge, Kind
from crewmem.episodes.store import Episodes
from crewmem.episodes.stores import Stores
from crewmem.episodes.sweep import sweep
from crewmem.errors.backends import UnreachableError
from crewmem.errors.database import DerivedDamagedError
from crewmem.health import recall as health
from crewmem.hybrid.dense import Sense
from crewmem.hybrid.seeker import DEGRADED, NO_WORDS, SPARSE, VECTOR
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal
from crewmem.journal.tokenizer import stemmer, tokenizer
from crewmem.scope import Reach
from crewmem.vectors.store import VECTORS, VectorStore

ALL = Reach("default")


def recaller(stores, embedder=None, *, reach=ALL, name="", now=NOW, **policy):
    owners = stores.episodes.owners(reach)
    db = stores.journal.db
    return Recaller(
        stores,
        Asker(name, reach.workspace, owners, now),
        Policy(**{"min_relevance": None, **policy}),
        tokenize=tokenizer(db),
        stems=stemmer(db),
        sense=Sense(embedder, stores.vectors, SPACE) if embedder else None,
    )


@pytest.fixture
def ask(stores):
    """``ask("crane", mode="dense")``: what a recall answers."""

    def asked(text, embedder=None, **given):
        return recaller(stores, embedder, **given).recall([text])[0]

    return asked


def summaries(found):
    return [hit.summary for hit in found.hits]


# Finding


def test_words_find(happened, ask):
    """What holds the words of a question is found, with why."""
    happened("the crane broke")
    happened("all is well")
    found = ask("who broke the crane")
    assert (found.mode, found.state, found.total_indexed) == ("sparse", SPARSE, 2)
    (hit,) = found.hits
    assert (hit.summary, hit.why.ranks) == ("the crane broke", {"words": 1})
    assert hit.why.terms == ["crane", "broke"]
    assert hit.cosine is None


def test_vectors_find_what_has_none_of_the_words(happened, ask, swept, embedder):
    """In a hybrid recall what means the same is found without a word of it."""
    happened("abba")
    happened("xyzzy")
    swept()
    found = ask("bab", embedder)
    assert (found.mode, found.state) == ("hybrid", VECTOR)
    assert found.hits[0].summary == "abba"
    assert found.hits[0].why.ranks == {"vectors": 1}
    assert found.hits[0].cosine > 0.8


def test_lists_hold_what_they_found(happened, ask, swept, embedder):
    """An entry has a rank only in the lists that offered it; rrf adds up those."""
    for n in range(70):
        happened(f"q{'ab' * 3}{'c' * (n % 9)}")
    far = happened("zebra zzzzzzzzzzzzzzzz")
    swept(limit=None)
    found = ask("zebra abababab", embedder, fusion="rrf", k=20)
    for hit in found.hits:
        expected = sum(1 / (60 + rank) for rank in hit.why.ranks.values())
        assert hit.score == pytest.approx(expected, abs=1e-6)
    ranks = {hit.entry_id: hit.why.ranks for hit in found.hits}
    assert ranks.pop(far.id) == {"words": 1}
    assert sorted(each["vectors"] for each in ranks.values()) == [*range(1, 20)]
    assert ask("zebra abababab", embedder).hits[0].cosine is not None


def test_new_entries_are_found_by_their_words(happened, ask, swept, embedder):
    """What waits for the sweep is found by a hybrid recall."""
    happened("the crane broke")
    swept()
    happened("the winch jammed")
    assert "the winch jammed" in summaries(ask("winch jammed", embedder))


def test_expired_entries_are_not_there(happened, ask, swept, embedder):
    """What has expired is found in no mode, and takes no one's place."""
    for n in range(260):
        happened(f"crane {n}", expires_at=NOW - timedelta(hours=1))
    kept = [happened(f"crane and {n}", expires_at=at).summary for n, at in ENDS]
    swept(limit=None)
    for mode in ("sparse", "dense", "hybrid"):
        found = ask("crane", embedder, mode=mode)
        assert sorted(summaries(found)) == kept, mode
        assert found.hidden == 0
    assert summaries(ask("crane", now=NOW + timedelta(days=3))) == [kept[0]]


ENDS = [(0, None), (1, NOW + timedelta(days=1)), (2, NOW + timedelta(days=2))]


def test_expired_neighbours_are_not_there(happened, ask):
    """What has expired comes back as no neighbour, and no context."""
    session = {"trace_id": "s", "actor_id": "ada"}
    happened("is the crane broken?", **session)
    happened("yes", **session, expires_at=NOW - timedelta(hours=1))
    happened("since noon", **session)
    assert set(summaries(ask("crane"))) == {"is the crane broken?", "since noon"}


def test_the_gate_holds_back(happened, ask):
    """A question that nothing answers gets nothing, and it is known how much."""
    happened("the crane broke")
    happened("all is well")
    assert summaries(ask("crane broke", min_relevance=0.7)) == ["the crane broke"]
    found = ask("crane schedule of the harbour master", min_relevance=0.7)
    assert (found.hits, found.hidden) == ([], 1)
    assert ask("crane schedule of the harbour master").hits


@pytest.mark.parametrize("mode", ["sparse", "dense", "hybrid"])
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_recall_repeats_itself(happened, stores, swept, embedder, mode, fusion):
    """The same question gets the same answer, alone or among others."""
    for n in range(30):
        happened(f"crane {'abc'[n % 3]}", trace_id=f"s{n % 4}", days=n % 5)
    swept(limit=None)
    given = {"mode": mode, "fusion": fusion, "walk": 1, "k": 10}

    def told(found):
        timeless = {"query_embedding_ms": 0, "search_ms": 0}
        return [each._replace(**timeless) for each in found]

    texts = ["crane a", "b", "when did the crane c", "nothing"]
    together = told(recaller(stores, embedder, **given).recall(texts))
    alone = [told(recaller(stores, embedder, **given).recall([t]))[0] for t in texts]
    assert together == alone


def test_equals_are_in_the_order_of_the_journal(happened, ask, swept, embedder):
    """Entries that differ in nothing come in the order in which they were added."""
    ids = [happened("the crane broke").id for _ in range(8)]
    swept()
    for mode in ("sparse", "dense", "hybrid"):
        found = ask("crane", embedder, mode=mode, k=8)
        assert [hit.entry_id for hit in found.hits] == ids


# Importance


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.text("abcd", min_size=1, max_size=6), st.floats(0.05, 1)),
        min_size=1,
        max_size=25,
    ),
    st.text("abcd", min_size=1, max_size=4),
    st.integers(1, 6),
    st.integers(1, 4),
)
def test_dense_is_cosine_times_importance(entries, question, k, first_look):
    """Dense recall has the best products of all rows, however few it looks at first."""
    from crewmem.episodes.words_store import Words
    from crewmem.hybrid import dense

    with world() as (stores, embedder):
        drafts = [Draft("peer.escalation", text) for text, _ in entries]
        added = stores.journal.append("default", drafts, now=NOW)
        sweep(stores, embedder, "default", now=NOW, limit=None)
        stores.journal.db.executemany(
            "update episodes set importance_score = ? where seq = ?",
            [(w, each.seq) for (_, w), each in zip(entries, added, strict=True)],
        )
        sense = Sense(embedder, stores.vectors, SPACE)
        words = Words(stores.journal.db, stores.episodes.owners(ALL), "2026-05-01")
        vector = dense.embedded(sense, [question])[0]
        answer, _ = dense.answer(
            sense, words, stores.episodes, vector, k, first_look=first_look
        )
        cosines = stores.vectors.cosines_of(SPACE, vector, [e.seq for e in added])
        expected = sorted(
            (
                (cosines[each.seq] * weight, -each.seq)
                for (_, weight), each in zip(entries, added, strict=True)
            ),
            reverse=True,
        )[:k]
        found = answer.hits[:k]
        assert [hit.score for hit in found] == pytest.approx([s for s, _ in expected])
        exact = len({round(score, 6) for score, _ in expected}) == len(expected)
        if exact:
            assert [hit.seq for hit in found] == [-seq for _, seq in expected]


def test_what_weighs_more_is_first_among_equals(happened, ask, stores):
    """Of two entries that answer alike the more important one is first."""
    one, other = happened("the crane broke"), happened("the crane broke")
    stores.journal.db.execute(
        "update episodes set importance_score = 0.9 where seq = ?", (other.seq,)
    )
    assert [hit.entry_id for hit in ask("crane").hits] == [other.id, one.id]


# Scope


class world:  # noqa: N801 - used as a function
    """``with world() as (stores, embedder)``: empty stores, for each example."""

    def __enter__(self):
        self.db = truth()
        self.vectors = VectorStore(in_memory(VECTORS))
        episodes = Episodes(self.db)
        journal = Journal(self.db, on_append=lambda new: episodes.take(new, NOW))
        return Stores(journal, lambda: self.vectors), Embedder()

    def __exit__(self, *_):
        self.vectors.close()
        self.db.close()


PLACES = st.tuples(
    st.sampled_from(["default", "other"]),
    st.sampled_from([None, "harbor", "dock"]),
    st.sampled_from([None, "mira", "otto"]),
)

REACHES = st.builds(
    Reach,
    st.sampled_from(["default", "other"]),
    st.sampled_from([None, "mira", "otto"]),
    st.frozensets(st.sampled_from(["harbor", "dock"])),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(PLACES, min_size=1, max_size=30),
    REACHES,
    st.sampled_from(["sparse", "dense", "hybrid"]),
    st.sampled_from(["score", "rrf"]),
    st.integers(0, 2),
)
def test_scope_holds_in_every_mode(places, reach, mode, fusion, walk):
    """Nobody gets an entry outside of its reach: no hit, no neighbour, by no walk."""
    with world() as (stores, embedder):
        whose = {}
        for n, (workspace, crew, agent) in enumerate(places):
            draft = Draft(
                "peer.escalation",
                f"the crane broke{'!' * n}",
                crew_id=crew,
                agent_id=agent,
                trace_id="s",
                actor_id="ada",
            )
            (entry,) = stores.journal.append(workspace, [draft], now=NOW)
            whose[entry.id] = (workspace, crew, agent)
        for name in ("default", "other"):
            sweep(stores, embedder, name, now=NOW, limit=None)
        sense = Sense(
            embedder, stores.vectors, SPACE._replace(workspace=reach.workspace)
        )
        db = stores.journal.db
        asked = Recaller(
            stores,
            Asker("mira", reach.workspace, stores.episodes.owners(reach), NOW),
            Policy(k=40, mode=mode, fusion=fusion, min_relevance=None, walk=walk),
            tokenize=tokenizer(db),
            stems=stemmer(db),
            sense=sense,
        )
        for found in asked.recall(["crane", "who broke the crane?"]):
            mine = {
                entry
                for entry, (workspace, crew, agent) in whose.items()
                if workspace == reach.workspace and reach.sees(crew, agent)
            }
            assert {hit.entry_id for hit in found.hits} == mine
            assert {hit.why.along for hit in found.hits} - {None} <= mine
            assert found.total_indexed == len(mine)


def test_stale_vectors_show_nothing(happened, ask, swept, embedder, stores):
    """Vectors say what is near, never what is there or whose it is."""
    secret = happened("the crane broke", agent_id="otto")
    mine = happened("the crane broke too", agent_id="mira")
    swept()
    owner = stores.episodes.owner_of([mine.seq])[mine.seq]
    stores.vectors.reown(SPACE, {secret.seq: owner})
    vector = embedder.embed(["the crane broke"])[0]
    stores.vectors.add(SPACE, [999], [owner], [vector])
    for mode in ("dense", "hybrid"):
        found = ask("crane", embedder, mode=mode, reach=Reach("default", "mira"))
        assert [hit.entry_id for hit in found.hits] == [mine.id]


def test_a_small_scope_is_found_in_a_large_journal(happened, ask):
    """Entries of an agent are found among many of others that match better."""
    for n in range(500):
        happened(f"crane crane crane {n}", agent_id="otto")
    mine = happened("some words on a ship, a berth and one crane", agent_id="mira")
    found = ask("crane", reach=Reach("default", "mira"))
    assert [hit.entry_id for hit in found.hits] == [mine.id]


# Walks


def test_a_walk_goes_along_edges_both_ways(happened, ask, stores):
    """What is like a hit is added behind the hits, and says of which it is like."""
    first, hit, later, far = (
        happened(text) for text in ("older", "the crane broke", "newer", "further")
    )
    edges = [(hit, first, 0.9), (later, hit, 0.8), (far, later, 0.95)]
    stores.relations.add(
        [Edge(a.seq, b.seq, Kind.SIMILAR, like) for a, b, like in edges], "2026"
    )
    found = ask("crane", walk=1)
    assert summaries(found) == ["the crane broke", "older", "newer"]
    assert [each.why.along for each in found.hits] == [None, hit.id, hit.id]
    assert summaries(ask("crane", walk=2))[-1] == "further"
    assert summaries(ask("crane")) == ["the crane broke"]


def test_other_relations_are_not_walked(happened, ask, stores):
    """A rule is not shown for its evidence, nor what it contradicts."""
    hit, other = happened("the crane broke"), happened("older")
    stores.relations.add([Edge(hit.seq, other.seq, Kind.CONTRADICTS, 1.0)], "2026")
    assert summaries(ask("crane", walk=3)) == ["the crane broke"]


# What may fail


def test_states_are_named_as_elsewhere():
    """Recall and status use one word for a state."""
    assert (VECTOR, DEGRADED, SPARSE) == (health.VECTOR, health.DEGRADED, health.SPARSE)


def failing(error):
    """Return an embedder that fails."""
    made = Embedder()

    def embed(_):
        raise error

    made.embed = embed
    return made


def test_an_embedder_that_fails_leaves_the_words(happened, ask, swept):
    """When nothing embeds the question its words are asked, and that is said."""
    happened("the crane broke")
    swept()
    found = ask("crane", failing(UnreachableError("letters", "it is down")))
    assert summaries(found) == ["the crane broke"]
    assert (found.mode, found.state) == ("sparse", DEGRADED)
    assert found.warnings == [
        "recall goes by words alone: letters cannot be used: it is down"
    ]


def test_vectors_of_another_size_leave_the_words(happened, ask, swept):
    """What cannot be compared is not: words are asked, and that is said."""
    happened("the crane broke")
    swept()
    short = Embedder()
    short.embed = lambda texts: np.ones((len(texts), 4), np.float32) / 2
    found = ask("crane", short)
    assert (summaries(found), found.state) == (["the crane broke"], DEGRADED)
    assert "it has 4 numbers, what is kept 26" in found.warnings[0]


@pytest.mark.parametrize(
    ("mode", "method"),
    [
        ("hybrid", "nearest_many"),
        ("hybrid", "cosines_of"),
        ("hybrid", "keys"),
        ("dense", "nearest_many"),
    ],
)
def test_damaged_vectors_leave_the_words(happened, swept, stores, method, mode):
    """When vectors turn out to be damaged words are asked, and that is said."""
    happened("the crane broke", trace_id="s")
    happened("yes", trace_id="s")
    swept()

    class Damaged:
        """The store, of which one method meets a page that is broken."""

        def __getattr__(self, name):
            if name == method:
                raise DerivedDamagedError("vectors.sqlite", "a page is broken", "x")
            return getattr(stores.vectors, name)

    asked = recaller(stores, Embedder(), mode=mode)
    seeker = asked._seeker
    seeker._sense = seeker._sense._replace(vectors=Damaged())
    (found,) = asked.recall(["crane"])
    assert summaries(found)[0] == "the crane broke"
    assert (found.mode, found.state) == ("sparse", DEGRADED)
    assert "recall goes by words alone: " in found.warnings[0]


def test_pages_that_cannot_be_read_are_told(happened, swept, stores, ask, embedder):
    """What cannot be compared is found by its words, and it is said that it is so."""
    happened("the crane broke")
    swept()
    stores.vectors._pages._db.execute("update vector_parts set vectors = x'00'")
    found = ask("crane", embedder)
    assert (summaries(found), found.state) == (["the crane broke"], DEGRADED)
    assert "1 pages of vectors cannot be read" in found.warnings[0]


ODD = [
    "",
    "   ",
    "\0",
    "the of and",
    "\N{ANCHOR}\N{VARIATION SELECTOR-16}",
    '"',
    "AND",
    "NOT crane",
    'NEAR(crane "broke',  # half of FTS5's syntax
    "crane*",
    "summary: crane",
    "^crane",
    "x" * 10_000,
    "crane " * 2_000,
    "2026-13-45 in may on the 99th of february 2026",
    "\N{COMBINING ACUTE ACCENT}" * 50,
    "\udc80",
]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("mode", ["sparse", "dense", "hybrid"])
def test_odd_questions_are_answered(happened, ask, swept, embedder, text, mode):
    """Whatever is asked, there is an answer, or nothing, and no failure."""
    happened("the crane broke")
    swept()
    found = ask(text, embedder, mode=mode)
    assert {*summaries(found)} <= {"the crane broke"}
    if not text.strip():
        assert (found.hits, found.warnings) == ([], [NO_WORDS])


@settings(max_examples=80, deadline=None)
@given(st.text() | st.lists(st.sampled_from(ODD)).map(" ".join))
def test_nothing_typed_fails(text):
    """No text fails, in words or in vectors."""
    with world() as (stores, embedder):
        stores.journal.append("default", [Draft("peer.escalation", "x y")], now=NOW)
        sweep(stores, embedder, "default", now=NOW)
        for found in recaller(stores, embedder).recall([text, "x"]):
            assert len(found.hits) <= 1


@pytest.mark.parametrize("text", [" ", "((( ?!", "\N{ANCHOR}"])
def test_a_question_without_words_costs_the_others_nothing(
    happened, stores, swept, embedder, text
):
    """Among many questions one of signs gets nothing, and the others their answer."""
    happened("the crane broke")
    swept()
    none, crane = recaller(stores, embedder).recall([text, "crane"])
    assert (none.hits, none.mode, none.warnings) == ([], "sparse", [NO_WORDS])
    assert (summaries(crane), crane.mode) == (["the crane broke"], "hybrid")


def test_nothing_is_found_in_nothing(ask, embedder):
    """An empty store answers nothing."""
    for mode in ("sparse", "dense", "hybrid"):
        found = ask("crane", embedder, mode=mode)
        assert (found.hits, found.hidden, found.total_indexed) == ([], 0, 0)
