"""Saying by hand how entries are related."""

from datetime import timedelta

import pytest
from episodes.conftest import NOW

from crewmem.episodes.relate import relate
from crewmem.errors.journal import EntryArchivedError, SameEntryError
from crewmem.errors.registry import OutOfScopeError
from crewmem.scope import Reach, actor

ADA = actor("operator:ada")


def test_what_is_said_is_kept_once(happened, stores):
    """A relation is new once, and stays as it was said."""
    one, other = happened("the crane broke"), happened("it is whole")
    made = relate(stores, one, other, "contradicts", 0.5, ADA, NOW)
    assert made == (one.id, other.id, "contradicts", 0.5, True)
    assert not relate(stores, one, other, "contradicts", 1.0, ADA, NOW).is_new
    (found,) = stores.relations.listed(Reach("default"), limit=5)
    assert (found.weight, found.relation) == (0.5, "contradicts")


def test_both_ends_have_to_be_in_reach(happened, stores):
    """A relation to what may not be seen is not there."""
    one, other = happened("x", agent_id="mira"), happened("y", agent_id="otto")
    relate(stores, one, other, "supports", 1.0, ADA, NOW)
    assert stores.relations.listed(Reach("default", "mira"), limit=5) == []
    assert len(stores.relations.listed(Reach("default"), seq=one.seq, limit=5)) == 1
    assert stores.relations.listed(Reach("other"), limit=5) == []


def test_agents_say_nothing_of_others(happened, stores):
    """An agent may not relate entries; a lead may."""
    one, other = happened("x"), happened("y")
    with pytest.raises(OutOfScopeError):
        relate(stores, one, other, "supports", 1.0, actor("agent:mira"), NOW)
    assert relate(stores, one, other, "supports", 1.0, actor("lead:mira"), NOW).is_new


def test_an_entry_is_not_related_to_itself(happened, stores):
    """It says nothing that an entry contradicts itself."""
    one = happened("x")
    with pytest.raises(SameEntryError):
        relate(stores, one, one, "contradicts", 1.0, ADA, NOW)


def test_archived_entries_are_not_related(happened, stores):
    """What is archived stays as it was."""
    one, other = happened("x"), happened("y")
    archived = other._replace(archived_at=NOW + timedelta(days=1))
    with pytest.raises(EntryArchivedError):
        relate(stores, one, archived, "supports", 1.0, ADA, NOW)
