"""Putting daily notes away, with their history."""

import os
import shutil
from contextlib import suppress
from itertools import count

import pytest
from files.histories import NOW, chain, contents, entries, mira, opened, swept
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.db.connect import BUSY_TIMEOUT
from crewmem.digests import sha256
from crewmem.errors import CrewmemError
from crewmem.errors.files import FileChangedError
from crewmem.errors.registry import ExistsError
from crewmem.files.archive import archive, archived_name
from crewmem.files.caps import Caps
from crewmem.files.indexed import Access
from crewmem.files.target import target_of
from crewmem.files.tiers import Tier, tier_of
from crewmem.files.version import GONE
from crewmem.files.written import Means
from crewmem.prompt.days import days_of
from crewmem.scope import Actor, Role, Sight
from crewmem.threats.scan import scan

NOTE, AWAY = "daily/2026-03-14.md", "daily/archive/2026/2026-03-14.md"

REF, NEW = f"agent:harbor/mira/{NOTE}", f"agent:harbor/mira/{AWAY}"

SAID = b"- 09:00 the pier gate sticks\r\n"


@pytest.fixture(name="place")
def _place(home):
    place = mira(home)
    (place.path / "daily").mkdir()
    (place.path / NOTE).write_bytes(SAID)
    return place


@pytest.fixture(name="history")
def _history(home):
    with opened(home) as history:
        yield history


def means(history):
    return Means(
        sight=Sight(Actor(Role.OPERATOR, "consolidate")),
        by="system:consolidate",
        now=NOW,
        caps=Caps({}, 10_000_000),
        access=Access(None, 1_000, 8 << 20, 0, BUSY_TIMEOUT, refresh=True),
        scan=scan,
        history=history,
        journal=history._journal,
        workspace="default",
    )


def put_away(place, history, content=SAID):
    return archive(place, NOTE, sha256(content), means(history))


def test_a_note_moves_and_its_history_knows(history, place):
    """It is in the archive, byte for byte; the old name is gone, and both say so."""
    swept(history, place)
    assert put_away(place, history) == AWAY
    assert (place.path / AWAY).read_bytes() == SAID
    assert not (place.path / NOTE).exists()
    assert [each.operation for each in chain(history, REF)] == ["outside", "archive"]
    assert chain(history, REF)[-1].sha256 == GONE
    assert contents(history, NEW) == [SAID]
    (told,) = [each for each in entries(history) if each.payload["path"] == NEW]
    assert told.summary.startswith(f"{AWAY} of mira: put away")
    swept(history, place)
    assert len(chain(history, REF)) == 2
    assert len(chain(history, NEW)) == 1


def test_what_nobody_has_recorded_is_kept_first(history, place):
    """What others wrote of it is a version before the note moves."""
    put_away(place, history)
    assert contents(history, REF) == [SAID, None]


def test_a_note_that_changed_stays(history, place):
    """One that holds something else, or is gone, is not moved."""
    with pytest.raises(FileChangedError):
        put_away(place, history, b"other")
    assert (place.path / NOTE).read_bytes() == SAID
    (place.path / NOTE).unlink()
    with pytest.raises(FileChangedError):
        put_away(place, history)


def test_another_note_of_the_day_is_not_replaced(history, place):
    """Where the archive has another note of that day both stay where they are."""
    (place.path / AWAY).parent.mkdir(parents=True)
    (place.path / AWAY).write_bytes(b"other")
    with pytest.raises(ExistsError):
        put_away(place, history)
    assert (place.path / NOTE).read_bytes() == SAID
    assert (place.path / AWAY).read_bytes() == b"other"


def test_who_is_killed_in_the_middle_goes_on(history, place):
    """With both names, or the new one alone and nothing recorded, it is finished."""
    (place.path / AWAY).parent.mkdir(parents=True)
    os.link(place.path / NOTE, place.path / AWAY)
    assert put_away(place, history) == AWAY
    assert not (place.path / NOTE).exists()
    assert contents(history, NEW) == [SAID]
    assert put_away(place, history) == AWAY
    assert contents(history, NEW) == [SAID]
    assert contents(history, REF)[-1] is None


CALLS = ("link", "unlink", "fsync", "mkdir", "rename")


@pytest.mark.parametrize("call", CALLS)
def test_whatever_fails_nothing_is_lost(history, place, monkeypatch, call):
    """Any call may fail: the note is there, and run again it is put away."""
    real = getattr(os, call)
    for nth in count(1):
        seen = count(1)

        def fails(*args, seen=seen, nth=nth, **more):
            if next(seen) == nth:
                raise OSError(5, "Input/output error")
            return real(*args, **more)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fails)
            with suppress(CrewmemError):
                put_away(place, history)
        there = [each for each in (NOTE, AWAY) if (place.path / each).exists()]
        assert {(place.path / each).read_bytes() for each in there} == {SAID}
        assert put_away(place, history) == AWAY
        assert contents(history, NEW)[-1] == SAID
        if next(seen) <= nth:
            return
        shutil.move(place.path / AWAY, place.path / NOTE)
        swept(history, place)


@settings(max_examples=40, deadline=None)
@given(day=st.dates())
def test_an_archived_day_is_a_daily_note_that_no_prompt_shows(tmp_path_factory, day):
    """Every day has its place in the archive: of its tier, of no day of a prompt."""
    place = mira(tmp_path_factory.getbasetemp())
    name = archived_name(f"daily/{day.isoformat()}.md")
    assert tier_of(name) is Tier.DAILY
    assert target_of(place, name).ref == f"agent:harbor/mira/{name}"
    assert days_of([name], day) == []
