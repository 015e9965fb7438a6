"""Words by their classes: as they were written, and as they are looked up."""

from hypothesis import given
from hypothesis import strategies as st

from crewmem.threats.concepts import CONCEPTS
from crewmem.threats.lexicon import lexicon
from crewmem.threats.lookup import Table
from crewmem.threats.matching import phrases
from crewmem.threats.phrases import PHRASES
from crewmem.threats.tabulate import classified, phrase
from crewmem.threats.weights import WEIGHTS

WRITTEN = classified()

WORDS = st.sampled_from([*WRITTEN.whole, *WRITTEN.stems])

NEAR = st.builds(
    lambda word, cut, more: word[:cut] + more,
    WORDS,
    st.integers(0, 12),
    st.text("aegnst", max_size=4),
)
"""Words, their beginnings, and what goes on otherwise."""


def classes_of(word):
    """What the tables say of *word*, looked at one by one."""
    found = WRITTEN.whole.get(word, 0)
    for stem, classes in WRITTEN.stems.items():
        found |= classes if word.startswith(stem) else 0
    return found


def test_the_table_says_what_was_written():
    """Each word, beginning of words and phrase is as the rules have it."""
    known = lexicon()
    assert known.whole == WRITTEN.whole
    assert known.stems.classes == WRITTEN.stems
    assert known.bits.items() >= WRITTEN.bits.items()
    assert phrases() == tuple(phrase(rule, WRITTEN.bits) for rule in PHRASES)


def test_every_concept_is_weighed():
    """No concept came after the weights were made."""
    assert [*WEIGHTS] == [*CONCEPTS]


@given(st.lists(NEAR.filter(bool), max_size=8))
def test_words_are_of_all_that_they_begin_with(words):
    """A word has the classes of its spelling, and those of each known beginning."""
    known = lexicon()
    assert [known.known(word) for word in words] == [*map(classes_of, words)]
    begun = known.stems.begun(words)
    assert all(word in begun for word in words if known.stems.known(word))


@given(st.lists(st.one_of(NEAR, st.sampled_from(["é", "a1", "-", "x.y", "我"]))))
def test_words_met_together_are_as_one_by_one(tokens):
    """It does not matter whether a text's words are looked up at once."""
    tokens = [token for token in tokens if token]
    together, single = Table(lexicon()), Table(lexicon())
    together.meet(tokens)
    assert [together[each] for each in tokens] == [single[each] for each in tokens]
