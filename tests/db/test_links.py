"""Links that lead to what is gone, and ids that stand beside others."""

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.db.beside_store import beside
from crewmem.db.connect import connect_memory, fetch
from crewmem.db.links_store import Links
from crewmem.db.migrate import migrate
from crewmem.episodes import relations_store
from crewmem.memories import edges_store

few = st.integers(1, 6)


@settings(max_examples=60, deadline=None)
@given(rows=st.sets(few), links=st.sets(st.tuples(few, few)))
def test_what_leads_to_nothing_is_dropped_and_no_more(rows, links):
    """A link stays if both of its ends are there."""
    with closing(connect_memory()) as db:
        db.execute("create table things (seq integer primary key)")
        db.execute("create table links (src integer, dst integer)")
        db.executemany("insert into things values (?)", [(each,) for each in rows])
        db.executemany("insert into links values (?, ?)", sorted(links))
        table = Links("links", ("src", "dst"), "things")
        whole = {each for each in links if {*each} <= rows}
        assert table.orphans(db) == len(links - whole)
        assert table.drop_orphans(db) == len(links - whole)
        assert {*fetch(db, "select * from links")} == whole
        assert table.orphans(db) == 0


@pytest.mark.parametrize("links", [edges_store.links(), relations_store.links()])
def test_the_links_are_those_of_the_schema(links):
    """What they are called is what the newest schema has."""
    with closing(connect_memory()) as db:
        migrate(db)
        assert links.orphans(db) == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sets(st.text("ab", min_size=1, max_size=4)), min_size=1, max_size=2))
def test_beside_an_id_are_its_neighbours_of_each_table(tables):
    """The nearest before it and after it, in the order of text, of one workspace."""
    with closing(connect_memory()) as db:
        names = [f"things_{at}" for at in range(len(tables))]
        for name, ids in zip(names, tables, strict=True):
            db.execute(f"create table {name} (workspace_id text, id text)")
            values = [("mine", each) for each in ids] + [("other", "ab")]
            db.executemany(f"insert into {name} values (?, ?)", values)  # noqa: S608
        for wanted in ("a", "ab", "bb"):
            near = []
            for ids in tables:
                before = [each for each in ids if each < wanted]
                near += sorted(before)[-1:]
                near += sorted(ids - {wanted, *before})[:1]
            assert beside(db, names, "mine", [wanted]) == near
