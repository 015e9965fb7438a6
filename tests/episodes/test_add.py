"""Making episodes of entries that were not selected."""

import pytest
from episodes.conftest import NOW

from crewmem.episodes.add import add
from crewmem.errors.journal import EntryArchivedError
from crewmem.scope import Reach


def test_an_entry_becomes_an_episode_once(happened, stores):
    """What is added is an episode; a second time it is one already."""
    entry = happened("hello", "note.taken")
    assert add(stores, [entry], NOW) == [(entry.id, True)]
    assert add(stores, [entry], NOW) == [(entry.id, False)]
    assert stores.episodes.count(stores.episodes.owners(Reach("default"))) == 1


def test_all_are_added_or_none(happened, stores):
    """One that is archived keeps the others from being added."""
    one, other = (happened(text, "note.taken") for text in "xy")
    with pytest.raises(EntryArchivedError):
        add(stores, [one, other._replace(archived_at=NOW)], NOW)
    assert stores.episodes.owner_of([one.seq]) == {}


def test_what_is_never_selected_can_be_added(happened, swept, stores):
    """By hand an entry of any type is made worth recalling, and swept like others."""
    entry = happened("eth0 is down", "network.down", tagged=True)
    assert stores.episodes.owner_of([entry.seq]) == {}
    add(stores, [entry], NOW)
    assert swept().embedded == 1
