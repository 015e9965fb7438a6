"""Recording versions in real databases, by several processes, some of them killed."""

import os
import signal

import pytest
from files.histories import (
    NOW,
    REF,
    SECRET,
    chain,
    contents,
    die_after,
    entries,
    new,
    opened,
    wrote,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.digests import sha256
from crewmem.errors.values import PrefixTooShortError
from crewmem.errors.versions import (
    ContentMissingError,
    VersionAmbiguousError,
    VersionMissingError,
)
from crewmem.files.version_store import broken_chains
from crewmem.threats.scan import scan


@pytest.fixture(name="history")
def _history(home):
    with opened(home) as history:
        yield history


@settings(max_examples=20, deadline=None)
@given(written=st.lists(st.binary(max_size=30), min_size=1, max_size=6))
def test_every_version_can_be_shown_byte_for_byte(tmp_path_factory, written):
    """In the order in which they were written, each following the one before."""
    with opened(tmp_path_factory.mktemp("home")) as history:
        for content in written:
            version = wrote(history, content)
            assert history.newest(REF) == version
        assert contents(history) == written
        assert [each.sha256 for each in chain(history)] == [*map(sha256, written)]
        assert broken_chains(history.store.db) == []


def test_a_version_and_its_entry_are_recorded_together(history):
    """The entry names the version, and the version before."""
    first, second = wrote(history, b"a"), wrote(history, b"ab", operation="append")
    one, other = entries(history)
    assert one.entry_type == other.entry_type == "memory.updated"
    assert other.payload == {
        "path": REF,
        "tier": "agent",
        "sha256": sha256(b"ab"),
        "bytes": 2,
        "operation": "append",
        "version_id": second.id,
        "parent": first.id,
    }
    assert (other.crew_id, other.agent_id) == ("harbor", "mira")
    assert (other.actor_type, other.actor_id) == ("agent", "mira")


def test_what_cannot_be_entered_is_not_recorded(history):
    """Neither the version nor the entry is there, and the next one is the first."""
    with pytest.raises(ValueError, match="crew_id"):
        wrote(history, b"a", crew="\n")
    assert history.newest(REF) is None
    assert wrote(history, b"a").parent is None


def test_a_version_of_what_is_not_kept_is_not_recorded(history):
    """There is no version whose content never was there."""
    with pytest.raises(ContentMissingError):
        history.record(new(b"never kept"))
    assert history.newest(REF) is None


def test_what_was_dropped_meanwhile_is_kept_again(history):
    """Between keeping and recording somebody may drop what no version keeps."""
    name = history.keep(b"text", scan)
    history.contents.drop(name)
    history.record(new(b"text"))
    assert history.contents.get(name) == b"text"


def test_a_secret_is_not_kept(history, home):
    """The hash of the file is known, and what is kept is another text."""
    content = f"token {SECRET}\n".encode()
    version = wrote(history, content)
    assert version.is_redacted
    assert version.sha256 == sha256(content) != version.kept
    assert contents(history) == [b"token [REDACTED:github-token]\n"]
    packed = b"".join(each.read_bytes() for each in home.rglob("*") if each.is_file())
    assert SECRET.encode() not in packed


def test_several_writers_make_one_chain(home, beside):
    """Eight processes at once: every version is there, in one order."""
    with opened(home):
        pass

    def write(name):
        with opened(home) as history:
            for number in range(8):
                wrote(history, f"{name} {number}".encode())

    assert beside(*[lambda name=name: write(name) for name in "abcdefgh"]) == [0] * 8
    with opened(home) as history:
        versions = chain(history)
        assert len(versions) == 64
        said = contents(history)
        assert {*said} == {f"{a} {n}".encode() for a in "abcdefgh" for n in range(8)}
        for name in "abcdefgh":  # each in its own order
            own = [each for each in said if each.startswith(name.encode())]
            assert own == sorted(own)
        assert [each.payload["version_id"] for each in entries(history)] == [
            each.id for each in versions
        ]


def test_a_file_has_one_chain_whatever_happens(history):
    """The database refuses a second successor, and a second first version."""
    import apsw

    first = wrote(history, b"a")
    wrote(history, b"b")
    for parent in (None, first.id):
        with pytest.raises(apsw.ConstraintError):
            history.store.add("v_other", new(b"c"), parent)


@pytest.mark.parametrize("at", range(0, 24, 2))
def test_a_killed_writer_leaves_whole_versions(home, at):
    """At whichever call it dies: what is recorded can be shown, in one chain."""
    with opened(home) as history:
        wrote(history, b"before")

    child = os.fork()
    if not child:
        die_after(at, "open", "write", "fsync", "rename", "mkdir", "unlink")
        with opened(home) as history:
            wrote(history, b"after")
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in {0, -signal.SIGKILL}
    with opened(home) as history:
        assert contents(history) in ([b"before"], [b"before", b"after"])
        assert len(entries(history)) == len(chain(history))
        if status == 0:
            assert contents(history)[-1] == b"after"
        wrote(history, b"later")
        assert contents(history)[-1] == b"later"
        chain(history)


def test_a_change_that_another_has_recorded_is_left_out(history):
    """It is asked again where nobody else writes."""
    history.keep(b"a", scan)
    history.keep(b"b", scan)
    change = new(b"a", operation="outside", by="unknown")
    assert len(history.record_changes([change])) == 1
    assert history.record_changes([change]) == []
    assert len(history.record_changes([change, new(b"b"), new(b"b")])) == 1
    assert contents(history) == [b"a", b"b"]


# Names


def test_a_version_goes_by_its_id_or_its_hash_or_how_they_begin(history):
    """Six characters are enough where no other version begins so."""
    versions = [wrote(history, text) for text in (b"a", b"b")]
    for each in versions:
        for name in (each.id, each.id[:10], each.sha256, each.sha256[:6]):
            assert history.store.find(REF, name) == each


def test_of_one_content_the_newest_version_is_meant(history):
    """What was restored has the hash of what it was restored from."""
    wrote(history, b"a")
    wrote(history, b"b")
    newest = wrote(history, b"a")
    assert history.store.find(REF, sha256(b"a")[:8]) == newest


def test_a_name_that_is_none_is_said_so(history):
    """It is short, it is nobody's, or it is a version of another file."""
    version = wrote(history, b"a")
    with pytest.raises(PrefixTooShortError):
        history.store.find(REF, version.id[:5])
    with pytest.raises(VersionMissingError):
        history.store.find(REF, "v_000000")
    with pytest.raises(VersionMissingError):
        history.store.find("crew:harbor/CREW.md", version.id)
    with pytest.raises(VersionMissingError):
        history.store.find(REF, "%_%_%_%_")


def test_a_name_of_several_versions_is_said_so(history):
    """They are named, so that one can be chosen."""
    history.store.add("v_abcdef000000", new(b"a"), None)
    history.store.add("v_abcdef000001", new(b"b"), "v_abcdef000000")
    with pytest.raises(VersionAmbiguousError, match="v_abcdef000001, v_abcdef000000"):
        history.store.find(REF, "v_abcdef")


def test_workspaces_share_no_version(home):
    """A file of the same name in another workspace has a history of its own."""
    from crewmem.files.history import History
    from crewmem.journal.store import Journal

    with opened(home) as history:
        wrote(history, b"a")
        db = history.store.db
        other = History(db, Journal(db), home, "other")
        assert other.newest(REF) is None
        other.keep(b"a", scan)
        assert other.record(new(b"a")).parent is None


# Erasing


def test_what_is_erased_is_gone_with_what_it_kept(history):
    """All versions of the file, and nothing that a version of another file keeps."""
    user = "crew:harbor/users/0123456789abcdef.md"
    wrote(history, b"shared")
    for content in (b"shared", b"alone", b"alone too"):
        wrote(history, content, ref=user, crew=None, agent=None, tier="user")
    assert history.erase(user) == 3
    assert history.store.versions(user) == []
    assert [*history.contents.names()] == [sha256(b"shared")]
    assert contents(history) == [b"shared"]
    assert history.erase(user) == 0
    wrote(history, b"again", ref=user)
    assert chain(history, user)[0].parent is None


def test_an_entry_of_a_person_belongs_to_nobody(history):
    """So that no agent reads of it."""
    user = "crew:harbor/users/0123456789abcdef.md"
    wrote(history, b"x", ref=user, crew=None, agent=None, tier="user")
    (entry,) = entries(history)
    assert (entry.crew_id, entry.agent_id, entry.ts) == (None, None, NOW)
