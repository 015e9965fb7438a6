"""What a recall answers with."""

from datetime import timedelta

import pytest
from episodes.conftest import NOW

from crewmem.episodes.hits import hits
from crewmem.episodes.relation import Edge, Kind
from crewmem.episodes.words_store import Words
from crewmem.hybrid.question import read
from crewmem.hybrid.scoring import Scored
from crewmem.journal.tokenizer import tokenizer
from crewmem.scope import Reach


@pytest.fixture
def shown(db, stores):
    """``shown(entries, walk=1)``: the hits that they make."""

    def show(entries, text="crane", **given):
        owners = stores.episodes.owners(Reach("default"))
        words = Words(db, owners, "2026-05-01T09:30:00.000Z")
        tokenize = tokenizer(db)
        today = NOW.date()
        question = read(text, words, tokenize, actors=(), asker="", today=today)
        scored = [
            Scored(each.seq, 1 / (n + 1), 0.8, 0.5, {"words": (0.5, 1 / (n + 1))})
            for n, each in enumerate(entries)
        ]
        usual = {"lists": {}, "cosines": {}, "walk": 0, "tokenize": tokenize}
        return hits(stores, words, NOW, question, scored, **(usual | given))

    return show


def test_a_hit_tells_all(happened, shown):
    """A hit has what every hit has, then what an episode has."""
    entry = happened(
        "The crane broke",
        crew_id="harbor",
        agent_id="mira",
        payload={"question": "again?"},
        days=2,
    )
    lists = {"words": [7, entry.seq], "vectors": [8]}
    (hit,) = shown([entry], lists=lists, cosines={entry.seq: 0.123456789})
    assert hit._asdict() == {
        "ref": entry.id,
        "store": "journal",
        "scope": "agent",
        "owner": "harbor/mira",
        "title": "peer.escalation",
        "snippet": "The **crane** broke",
        "matches": [(6, 11)],
        "score": 1.0,
        "at": NOW - timedelta(days=2),
        "why": ({"words": 2}, ["crane"], {"words": (0.5, 1.0)}, 0.5, hit.why[4], None),
        "relevance": 0.8,
        "entry_id": entry.id,
        "cosine": 0.123457,
        "age": "2 d ago",
        "summary": "The crane broke",
        "entry_type": "peer.escalation",
        "agent_id": "mira",
        "payload": {"question": "again?"},
    }


@pytest.mark.parametrize(
    ("crew", "agent", "scope", "owner"),
    [
        ("harbor", "mira", "agent", "harbor/mira"),
        (None, "mira", "agent", "mira"),
        ("harbor", None, "crew", "harbor"),
        (None, None, "workspace", ""),
    ],
)
def test_a_hit_says_whose_it_is(happened, shown, crew, agent, scope, owner):
    """What belongs to nobody is the workspace's."""
    (hit,) = shown([happened("x", crew_id=crew, agent_id=agent)])
    assert (hit.scope, hit.owner) == (scope, owner)


def test_what_is_gone_is_not_shown(db, happened, shown):
    """An entry that was erased meanwhile is left out."""
    gone, kept = happened("crane"), happened("crane")
    db.execute("delete from journal_entries where seq = ?", (gone.seq,))
    assert [hit.ref for hit in shown([gone, kept])] == [kept.id]


def test_a_walk_takes_three_of_each(happened, shown, stores):
    """From each hit a walk goes to the nearest three, once, and never to a hit."""
    first, second = happened("crane one"), happened("crane two")
    like = [happened(f"like {n}") for n in range(5)]
    stores.relations.add(
        [
            *(
                Edge(each.seq, first.seq, Kind.SIMILAR, 0.9 - n / 100)
                for n, each in enumerate(like)
            ),
            Edge(like[0].seq, second.seq, Kind.SIMILAR, 0.81),
            Edge(second.seq, first.seq, Kind.SIMILAR, 0.99),
        ],
        "2026",
    )
    found = shown([first, second], walk=1)
    assert [hit.ref for hit in found[2:]] == [each.id for each in like[:3]]
    assert {hit.why.along for hit in found[2:]} == {first.id}
    assert [hit.score for hit in found] == [1.0, 0.5, 1.0, 1.0, 1.0]


def test_a_walk_leaves_out_what_is_over(happened, shown, stores):
    """What has expired is not shown, and nothing is reached by way of it."""
    hit, over = happened("crane"), happened("a", expires_at=NOW - timedelta(1))
    behind = happened("b")
    pairs = [(hit, over), (over, behind)]
    stores.relations.add(
        [Edge(a.seq, b.seq, Kind.SIMILAR, 0.9) for a, b in pairs], "2026"
    )
    assert [each.ref for each in shown([hit], walk=3)] == [hit.id]
