"""Dropping what is past retention, and nothing else."""

import os
from datetime import timedelta

import pytest
from files.histories import NOW, REF, chain, contents, die_after, entries, opened, wrote
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.digests import sha256
from crewmem.errors.versions import ContentMissingError
from crewmem.files import version_store
from crewmem.files.prune import drop_unkept, plan, planned, prune
from crewmem.files.version_store import broken_chains, referred
from crewmem.journal.store import Journal
from crewmem.threats.scan import scan

OTHER = "crew:harbor/CREW.md"


@pytest.fixture(name="history")
def _history(home):
    with opened(home) as history:
        yield history


def pruned(history, *, keep=3, days=30, only_plan=False):
    """Prune what is older than *days*, or only plan it."""
    store, kept = history.store, history.contents
    before = NOW - timedelta(days=days)
    found = plan(store, kept, keep=keep, before=before)
    if only_plan:
        return planned(store.workspace, found)
    return prune(store, kept, Journal(store.db), found, now=NOW)


writes = st.lists(
    st.tuples(
        st.sampled_from([REF, OTHER]),
        st.sampled_from([b"a", b"b", b"c"]),
        st.integers(0, 60),
    ),
    max_size=14,
)


@settings(max_examples=20, deadline=None)
@given(written=writes, keep=st.integers(1, 4), days=st.integers(0, 60))
def test_pruning_leaves_what_it_has_to_leave(tmp_path_factory, written, keep, days):
    """The newest of each file, all that is young, chains, and contents that are kept.

    It comes to what was planned, and a second time to nothing.
    """
    with opened(tmp_path_factory.mktemp("home")) as history:
        for ref, content, age in written:
            wrote(history, content, ref=ref, days=age)
        before = {ref: chain(history, ref) for ref in (REF, OTHER)}
        wanted = pruned(history, keep=keep, days=days, only_plan=True)
        assert {ref: chain(history, ref) for ref in (REF, OTHER)} == before
        done = pruned(history, keep=keep, days=days)
        assert done == wanted._replace(dry_run=False)
        limit = NOW - timedelta(days=days)
        for ref, versions in before.items():
            left = chain(history, ref)
            assert left == versions[len(versions) - len(left) :]
            assert versions[-keep:] == left[-keep:]
            assert all(each in left for each in versions if each.written_at >= limit)
            contents(history, ref)  # each can be shown
            extra = left[: max(len(left) - keep, 0)]
            assert not extra or any(each.written_at >= limit for each in extra[:1])
        assert broken_chains(history.store.db) == []
        names = {*history.contents.names()}
        assert names == referred(history.store.db, names)
        again = pruned(history, keep=keep, days=days)
        assert (again.versions, again.contents, again.files) == (0, 0, ())


def test_what_was_dropped_is_an_entry(history):
    """With how many and how much; where nothing was, there is none."""
    for number in range(5):
        wrote(history, b"%d" % number, days=40)
    count = len(entries(history))
    done = pruned(history)
    assert (done.versions, done.contents) == (2, 2)
    assert [tuple(each) for each in done.files] == [(REF, 2)]
    (entry,) = entries(history)[count:]
    assert entry.entry_type == "memory.versions_pruned"
    assert (entry.crew_id, entry.agent_id) == (None, None)
    assert entry.payload["versions"] == entry.payload["contents"] == 2
    pruned(history)
    assert len(entries(history)) == count + 1


def test_contents_of_another_workspace_stay(home, history):
    """Contents are shared by all workspaces; each is pruned for itself."""
    from crewmem.files.history import History

    db = history.store.db
    other = History(db, Journal(db), home, "other")
    for each in (history, other):
        for number in range(4):
            wrote(each, b"%d" % number, days=40)
    done = pruned(history)
    assert (done.versions, done.contents) == (1, 0)
    assert len(contents(other)) == 4


def test_what_a_killed_writer_kept_goes_as_well(history):
    """There is no version of it, and none will come."""
    wrote(history, b"a")
    history.keep(b"never recorded", scan)
    done = pruned(history)
    assert (done.versions, done.contents) == (0, 1)
    assert [*history.contents.names()] == [sha256(b"a")]


def test_what_is_just_being_written_is_never_lost(history):
    """Kept, dropped by a prune, recorded: then it is there again."""
    history.keep(b"to be recorded", scan)
    pruned(history)
    assert [*history.contents.names()] == []
    wrote_it = wrote(history, b"to be recorded")
    assert contents(history) == [b"to be recorded"]
    assert wrote_it.kept == sha256(b"to be recorded")


def test_what_became_of_a_version_after_the_plan_stays(history):
    """What nobody kept when it was planned, and somebody does when it is done."""
    name = history.keep(b"text", scan)
    store, kept = history.store, history.contents
    found = plan(store, kept, keep=3, before=NOW)
    assert found.contents == [name]
    wrote(history, b"text")
    assert drop_unkept(Journal(store.db), kept, found.contents) == (0, 0)
    assert contents(history) == [b"text"]


def test_prune_beside_writers(home, beside):
    """Whatever is recorded while others prune can be shown."""
    with opened(home):
        pass

    def write(name):
        with opened(home) as history:
            for number in range(15):
                wrote(history, f"{name}{number % 4}".encode(), days=40)

    def drop():
        with opened(home) as history:
            for _ in range(15):
                pruned(history, keep=2)

    assert beside(lambda: write("a"), lambda: write("b"), drop) == [0] * 3
    with opened(home) as history:
        assert None not in contents(history)
        assert len(chain(history)) >= 2
        assert broken_chains(history.store.db) == []


@pytest.mark.parametrize("at", range(0, 20, 3))
def test_a_killed_prune_is_finished_by_the_next(home, at):
    """At whichever call it dies: every version that is left can be shown."""
    with opened(home) as history:
        for number in range(8):
            wrote(history, b"%d" % number, days=40)
    child = os.fork()
    if not child:
        die_after(at, "unlink", "fsync")
        with opened(home) as history:
            pruned(history)
        os._exit(0)
    os.waitpid(child, 0)
    with opened(home) as history:
        kept = contents(history)
        assert kept[-3:] == [b"5", b"6", b"7"]
        pruned(history)
        assert contents(history) == [b"5", b"6", b"7"]
        assert len([*history.contents.names()]) == 3


def test_a_content_that_is_gone_is_said_so(history):
    """It is never taken for an empty one."""
    version = wrote(history, b"a")
    history.contents.drop(version.kept)
    with pytest.raises(ContentMissingError):
        contents(history)
    assert version_store.every_kept(history.store.db) == {
        version.kept: [("default", REF, version.id)]
    }
