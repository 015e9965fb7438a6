"""Rules: each finds its example, and nothing in its counter-example."""

import pytest

from crewmem.threats.formats import FORMATS
from crewmem.threats.grammar import words
from crewmem.threats.lexicon import lexicon
from crewmem.threats.matching import find, phrases
from crewmem.threats.normalise import folded
from crewmem.threats.patterns import PATTERNS
from crewmem.threats.phrases import PHRASES
from crewmem.threats.rule import CATEGORIES, HIGH, MEDIUM
from crewmem.threats.scan import _compiled
from crewmem.threats.scripts import SCRIPTS
from crewmem.threats.words import WORDS

RULES = PHRASES + PATTERNS


def names(text):
    """The rules that find something in *text*, whatever stands around it."""
    found = {rule.name for rule, _, _ in find(words(folded(text)).masks, phrases())}
    return found | {
        rule.name for rule in PATTERNS if _compiled(rule).search(text.lower())
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_finds_its_example_and_not_its_counter(rule):
    """What a rule is for is shown by two texts that are much alike."""
    assert rule.name in names(rule.example)
    assert names(rule.counter) == set()


def test_rules_have_names_of_their_own():
    """Each rule has its name, category and severity."""
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert {rule.category for rule in RULES} <= set(CATEGORIES)
    assert {rule.severity for rule in RULES} == {HIGH, MEDIUM}


def test_expressions_need_a_word_of_their_example():
    """A text without the words that an expression needs is not searched for it."""
    for rule in PATTERNS:
        assert any(word in rule.example.lower() for word in rule.needs), rule.name


def test_phrases_are_of_words_that_there_are():
    """No phrase names a class that has no words, and none has words for nothing."""
    bits = lexicon().bits
    for each in phrases():
        assert each.needed, each.rule.name
    assert bits.keys() >= WORDS.keys() >= SCRIPTS.keys()
    assert all(words.split() for words in (*WORDS.values(), *SCRIPTS.values()))


def test_forms_begin_as_they_say():
    """A form of a key is looked for by letters that it has."""
    for name, beginning, _ in FORMATS:
        assert len(beginning) > 1, name
