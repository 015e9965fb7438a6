import pytest

from crewmem.text.lasting import load_families


@pytest.mark.parametrize("family", load_families(), ids=lambda family: family.name)
def test_family_matches_its_examples_only(family):
    for example in family.examples:
        assert family.pattern.search(example), example
    for example in family.counter_examples:
        assert not family.pattern.search(example), example
