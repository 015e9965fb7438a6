"""Groups of texts that say the same."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.consolidation.leaders import ALIKE, OPEN_DAYS, grouped
from crewmem.consolidation.normal import OPPOSITE, SAME, Form, compared, jaccard

words = st.sampled_from("abcdefghijkl")
forms = st.builds(
    Form,
    st.frozensets(words, min_size=2, max_size=7),
    st.frozensets(st.sampled_from("12"), max_size=1),
    st.just(frozenset()),
    st.booleans(),
)
said = st.lists(st.tuples(st.integers(0, 90), forms), max_size=40).map(
    lambda some: sorted(some, key=lambda each: each[0])
)


def compared_with_each(texts):
    """Group *texts* by comparing each with each: the same, and slow."""
    groups, leaders = [], []
    for at, (day, form) in enumerate(texts):
        near = [
            (jaccard(leader.subject, form.subject), -number)
            for number, (leader, last) in enumerate(leaders)
            if day - last <= OPEN_DAYS
            and jaccard(leader.subject, form.subject) >= ALIKE
            and compared(leader, form) == SAME
        ]
        exact = [
            (2.0, -number)
            for number, (_, last) in enumerate(leaders)
            if day - last <= OPEN_DAYS
            and any(texts[other][1] == form for other in groups[number])
        ]
        if near or exact:
            number = -max(near + exact)[1]
            groups[number].append(at)
            leaders[number] = (leaders[number][0], day)
        else:
            groups.append([at])
            leaders.append((form, day))
    return groups


@settings(max_examples=40, deadline=None)
@given(said)
def test_the_quick_way_finds_what_the_slow_one_does(texts):
    """Groups are those that comparing each text with each would make."""
    assert grouped(texts).groups == compared_with_each(texts)


@settings(max_examples=40, deadline=None)
@given(said)
def test_groups_hold_what_says_the_same(texts):
    """Each text is in one group, is like its leader, and came within 30 days."""
    found = grouped(texts)

    assert sorted(at for group in found.groups for at in group) == [*range(len(texts))]
    for group in found.groups:
        _, leader = texts[group[0]]
        days = [texts[at][0] for at in group]
        assert all(after - before <= OPEN_DAYS for before, after in pairwise(days))
        for at in group:
            assert jaccard(leader.subject, texts[at][1].subject) >= ALIKE
            assert compared(leader, texts[at][1]) == SAME


@settings(max_examples=40, deadline=None)
@given(said)
def test_groups_are_against_each_other(texts):
    """What is against another group holds a text that says the opposite, both ways."""
    found = grouped(texts)

    for number, others in found.against.items():
        for other in others:
            assert any(
                compared(texts[one][1], texts[two][1]) == OPPOSITE
                for one in found.groups[number]
                for two in found.groups[other]
            )


@settings(max_examples=30, deadline=None)
@given(said, st.integers(0, 90))
def test_a_part_of_the_days_makes_the_same_groups(texts, until):
    """What is grouped up to a day is grouped so whatever is said later."""
    before = [each for each in texts if each[0] <= until]
    whole = [
        [at for at in group if at < len(before)] for group in grouped(texts).groups
    ]

    assert grouped(before).groups == [each for each in whole if each]
