"""Which item goes into which file, and what has no room."""

import pytest
from consolidation.kept import TODAY, file, item
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.consolidation.item import Settled
from crewmem.consolidation.plan import TOPIC, every_target, fitted, plan
from crewmem.consolidation.proposed import Claim, body_of, proposed

CREW, AGENT = "crew:harbor/CREW.md", "agent:harbor/mira/AGENT.md"
TOPICS, LEARNED = f"crew:harbor/{TOPIC}", f"crew:harbor/learned/{TODAY}.md"

CAPS = {CREW: 4000, AGENT: 4000, TOPICS: 16_000, LEARNED: 64_000}


def there(**contents):
    """Return all files; *contents* by the beginning of their names' last part."""
    names = {"crew": CREW, "agent": AGENT, "topics": TOPICS, "learned": LEARNED}
    return {ref: file(ref, contents.get(key), CAPS[ref]) for key, ref in names.items()}


def planned(*items, archives=(), **contents):
    return plan(items, there(**contents), archives, TODAY)


def placed(found):
    return [(each.item.id[-1], each.ref) for each in found.placed]


RULE = item(3, kind="rule", title="rotate stale keys")


def test_each_goes_where_it_belongs():
    """An agent's line to AGENT.md, a crew's to CREW.md, a rule to learned/."""
    found = planned(item(1, agent="mira"), item(2), RULE)
    assert placed(found) == [("1", AGENT), ("2", CREW), ("3", LEARNED)]
    assert [each.ref for each in found.edits] == sorted([AGENT, CREW, LEARNED])
    for each in found.placed:
        (edit,) = [edit for edit in found.edits if edit.ref == each.ref]
        assert each.adds.encode() in edit.after
    assert every_target([item(1), RULE], TODAY) == [CREW, TOPICS, LEARNED]


def test_what_has_no_room_in_the_crews_file_goes_to_a_topic():
    """CREW.md is filled to its soft limit, and no further; then a topic takes it."""
    found = planned(item(1), crew=b"x" * 3_000 + b"\n")
    assert placed(found) == [("1", CREW)]
    found = planned(item(1), crew=b"x" * 3_150 + b"\n")
    assert placed(found) == [("1", TOPICS)]
    assert found.waiting == ()


def test_what_has_no_room_at_all_waits():
    """At the cap an item waits, and it is told of which file, and how full it is."""
    found = planned(item(1, agent="mira"), agent=b"x" * 3_990 + b"\n")
    assert found.placed == ()
    assert not found.does
    (waits,) = found.waiting
    assert waits.id == "c_000000000001"
    assert waits.why == f"there is no room in {AGENT}: it has 3991 of 4000 bytes, 99%"
    full = planned(item(1), crew=b"x" * 4_000, topics=b"x" * 16_000)
    assert full.waiting[0].why.startswith(f"there is no room in {CREW}")


def test_what_contradicts_something_is_set_aside():
    """An item that contradicts something is never placed: a person settles it."""
    against = item(1, contradicts=(f"{CREW}:4",))
    found = planned(against)
    assert (found.placed, found.waiting) == ((), ())
    assert found.contested == (against,)


def test_a_damaged_file_is_left_alone_and_told():
    """What would go there goes elsewhere, or waits; the file is not in the plan."""
    mark = b"<!-- crewmem:consolidated -->\n"
    found = planned(item(1), item(2, agent="mira"), crew=mark, agent=mark)
    assert placed(found) == [("1", TOPICS)]
    assert [each.id[-1] for each in found.waiting] == ["2"]
    assert [each.partition(": ")[0] for each in found.damaged] == [CREW, AGENT]
    assert [each.ref for each in found.edits] == [TOPICS]


def test_a_file_that_cannot_be_written_takes_nothing():
    """Where an agent's memory is off, what is its own waits."""
    files = {**there(), AGENT: file(AGENT, b"", 4000, "the memory of mira is off")}
    found = plan([item(1, agent="mira")], files, (), TODAY)
    assert found.waiting[0].why == "the memory of mira is off"


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 400), max_size=40),
    crew=st.integers(0, 4_000),
    topics=st.integers(0, 16_000),
)
def test_no_file_is_over_its_cap_and_nothing_is_lost(sizes, crew, topics):
    """Every item is placed once or waits; no edit is over the cap of its file."""
    items = [
        item(number, text="word " * size, agent="mira" if number % 3 else "")
        for number, size in enumerate(sizes, 1)
    ]
    found = planned(*items, crew=b"x" * crew, topics=b"x" * topics)
    ids = [each.item.id for each in found.placed] + [each.id for each in found.waiting]
    assert sorted(ids) == [each.id for each in items]
    for edit in found.edits:
        assert len(edit.after) <= CAPS[edit.ref]
        assert edit.after.startswith(edit.before or b"")


def test_a_plan_comes_back_as_it_was_recorded():
    """What a proposal holds is the plan, whole, with numbers and hashes."""
    import json

    notes = [
        Settled(f"agent:harbor/{slug}/daily/2026-03-0{day}.md", "ab", f"2026-03-0{day}")
        for slug, day in (("mira", 1), ("theo", 2), ("mira", 3))
    ]
    notes.append(Settled("crew:harbor/daily/2026-03-04.md", "ab", "2026-03-04"))
    found = planned(item(1, agent="mira"), RULE, archives=notes)
    claim = Claim("operator:ada", "", (1, 3))
    body = json.loads(json.dumps(body_of(found, there(), claim)))
    back = proposed(body)
    assert [each.placed for each in back.parts if each.placed] == list(found.placed)
    told = [(each.number, each.owner, len(each.archives)) for each in back.parts]
    assert told[2:] == [(3, "harbor/mira", 2), (4, "harbor/theo", 1), (5, "harbor", 1)]
    assert back.files == {AGENT: "", LEARNED: ""}
    assert back.placed == found.placed[:1]
    assert {each.ref for each in back.archives} == {notes[0].ref, notes[2].ref}


@pytest.mark.parametrize("cap", [None, 1])
def test_what_stands_already_needs_no_room(cap):
    """An item that a file holds fits, however full it is."""
    held = file(CREW, planned(item(1)).edits[0].after, cap)
    assert fitted(held, [item(1)]) == (held.content, "")
