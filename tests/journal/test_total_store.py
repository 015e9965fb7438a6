"""How many entries there are, as a listing would count them."""

from conftest import NOW
from entries import draft
from hypothesis import given, settings
from hypothesis import strategies as st
from truths import truth

from crewmem.journal.store import Journal
from crewmem.journal.text_store import TEXT
from crewmem.journal.tokenizer import tokenizer
from crewmem.journal.total_store import total, workspaces
from crewmem.scope import Reach

places = st.tuples(
    st.sampled_from(["default", "other"]),
    st.sampled_from([None, "harbor", "dock"]),
    st.sampled_from([None, "mira", "pilot"]),
)


@settings(max_examples=30, deadline=None)
@given(
    some=st.lists(places, max_size=60),
    agent=st.sampled_from([None, "mira"]),
    crews=st.frozensets(st.sampled_from(["harbor", "dock"])),
)
def test_the_total_is_of_what_is_in_reach(some, agent, crews):
    """Of everybody's, of one's own, of one's crews'; of no other workspace."""
    db = truth()
    journal = Journal(db)
    for workspace, crew, who in some:
        journal.append(workspace, [draft(crew_id=crew, agent_id=who)], now=NOW)
    reach = Reach("default", agent, crews if agent else frozenset())
    expected = [each for each in some if each[0] == "default" and reach.sees(*each[1:])]
    assert total(db, reach) == len(expected)
    assert workspaces(db) == sorted({workspace for workspace, *_ in some})
    assert TEXT.troubles(db, tokenizer(db)) == []
    db.close()


def test_archived_entries_are_counted(crewmem):
    """Compaction takes none away; it adds what says so."""
    crewmem("init")
    old = "2020-01-01T00:00:00Z"
    for words in ("one", "two"):
        ran = crewmem("journal", "add", "note.taken", words, "--ts", old)
        assert ran.status == 0
    assert crewmem("journal", "compact").status == 0
    data = crewmem("status", "--json").json["data"]
    listed = crewmem("journal", "list", "--include-archive", "--json").json["data"]
    assert data["entries"] == len(listed) == 3


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        max_size=5,
    )
)
def test_a_full_text_that_is_whole_is_whole(texts):
    """Whatever entries say; and making it anew changes nothing."""
    db = truth()
    drafts = [draft("so", payload={"text": text}) for text in texts]
    Journal(db).append("default", drafts, now=NOW)
    assert TEXT.troubles(db, tokenizer(db)) == []
    TEXT.rebuild(db)
    assert TEXT.troubles(db, tokenizer(db)) == []
    db.close()
