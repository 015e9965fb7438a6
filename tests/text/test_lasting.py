import pytest

from crewmem.text.lasting import PATTERNS, load_families


@pytest.mark.parametrize("family", load_families(), ids=lambda family: family.name)
def test_family_matches_its_examples_only(family):
    for example in family.examples:
        assert family.matches(example, example.lower()), example
    for example in family.counter_examples:
        assert not family.matches(example, example.lower()), example


@pytest.mark.parametrize("name", PATTERNS.tables)
def test_pattern_matches_its_examples_only(name):
    for example in PATTERNS.tables[name]["examples"]:
        assert PATTERNS[name].search(example), example
    for example in PATTERNS.tables[name]["counter_examples"]:
        assert not PATTERNS[name].search(example), example
