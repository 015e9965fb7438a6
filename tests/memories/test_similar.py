"""What says nearly the same by its words is found at once, whatever is rare of it."""

from claims import MIRA, TOR, Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.memories.draft import Draft, settled
from crewmem.memories.similar import LEAST, LINKED, jaccard, nearest, text_of, words

VOCABULARY = [
    *("harbormaster", "lighthouse", "breakwater", "quay", "pier", "crane", "tide"),
    *("buoy", "rope", "anchor", "gangway", "mooring"),
]

TEXTS = st.lists(st.sampled_from(VOCABULARY), min_size=4, max_size=11, unique=True).map(
    " ".join
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(TEXTS, st.sampled_from([MIRA, TOR])), max_size=10),
    TEXTS,
    st.lists(st.sampled_from(VOCABULARY), max_size=2),
)
def test_nothing_near_is_missed(said, text, without):
    """The nearest five are those that a comparison of all finds."""
    bench = Bench()
    less = " ".join(word for word in text.split() if word not in without[:1])
    for each, owner in [*said, (less, MIRA), (f"{text} ferry", MIRA)]:
        if each:
            bench.remember(each, owner, title="t")
    desk = bench.desk()
    draft = settled(Draft(text, MIRA, title="t"))
    own = words(text_of(draft), bench.tokenize)
    rows = bench.db.execute(
        "select seq, title, content from memories where agent_id = 'mira'"
    )
    near = [
        (-jaccard(own, words(f"{title}\n{content}", bench.tokenize)), seq)
        for seq, title, content in rows
    ]
    expected = sorted(pair for pair in near if -pair[0] >= LEAST)[:LINKED]
    found = nearest(desk.memories, "default", draft, bench.tokenize)
    assert [(-value, each.seq) for value, each in found] == expected
