"""Words of scripts that are written without spaces."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.retrieval.query import plain
from crewmem.retrieval.words import UNSPACED, apart, dividing, located

mixed = st.text(
    st.sampled_from("ab1 é東ターｶ한か゛𠀀・。/-_\u3099\u0301\u200d🦊\ud800\0")
    | st.characters(exclude_categories=())
)


@settings(max_examples=150, deadline=None)
@given(text=mixed)
def test_tokens_are_where_they_stand(tokenize, text):
    """Each letter of such a script is a token; nothing else is other than before."""
    tokens = located(text, dividing(tokenize))
    ends = [0, *(end for _, end, _ in tokens)]
    assert all(
        end <= begin < last for end, (begin, last, _) in zip(ends, tokens, strict=False)
    )
    for begin, end, stem in tokens:
        held = text[begin:end]
        assert [stem] == [each for _, _, each in tokenize(held)]
        assert len(held) == 1 or not re.search(UNSPACED, held)
    if not re.search(UNSPACED, text):
        assert tokens == located(text, tokenize)


@settings(max_examples=150, deadline=None)
@given(text=mixed)
def test_what_is_asked_is_what_the_index_holds(tokenize, text):
    """A text that was put apart has the tokens that are asked for, in their order."""
    held = [stem for _, _, stem in tokenize(apart(text))]
    assert [stem for _, _, stem in located(text, dividing(tokenize))] == held


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("京", ["京"]),
        ("東京", ["東 京"]),
        ("再起動", ["再 起 動", "再 起", "起 動"]),
        ("東京 vault", ["東 京", "vault"]),
        ("src/東京.py", ["src 東 京 py", "src", "東 京", "py"]),
        ("v2再起動", ["v2 再 起 動", "v2 再", "再 起", "起 動"]),
        ("서울에서", ["서 울 에 서", "서 울", "울 에", "에 서"]),
    ],
)
def test_a_clause_is_asked_for_whole_and_by_pairs(tokenize, text, stems):
    """No space tells its words; most have two letters, and the whole counts more."""
    terms = plain(text, dividing(tokenize)).terms
    assert [" ".join(term.stems) for term in terms] == stems
    assert terms[0].weight == 1


def test_a_clause_counts_more_than_its_pairs(tokenize):
    """What holds it whole comes before what holds its pairs elsewhere."""
    whole, *pairs = plain("再起動方法", dividing(tokenize)).terms
    assert {pair.weight for pair in pairs} == {0.5}
    assert whole.weight == 1
