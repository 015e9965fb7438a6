"""What people type, and what FTS5 is asked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.retrieval.lexemes import PLAIN, QuerySyntaxError, lexemes
from crewmem.retrieval.query import (
    MOST_CHARS,
    MOST_TERMS,
    SIGNS,
    Mode,
    plain,
    understood,
    without_common,
)
from crewmem.retrieval.stopwords import STOP_WORDS

law = settings(max_examples=150, deadline=None)

SENTINEL = "the sentinel"

anything = st.text(st.characters(exclude_categories=()))
"""Lone surrogates and NUL included."""

pieces = st.sampled_from(
    [
        *("AND", "OR", "NOT", "NEAR", "NEAR(", "NEAR/3", "and", "or", "not", "near"),
        *("(", ")", "((", "))", '"', '""', "“", "”", "*", "**", ", 5)", ",", "5"),
        *("deploy", "deploy*", "keys", "the", "what's", "don't", "IT", "se*", "key*"),
        *("foo_bar", "src/app.py", "well-known", "#1234", "2026-04-14", "foo_b*"),
        *("heading:deploy", "-deploy", "^deploy", "+", "{heading body}:", "\0", "é*"),
        *('"deploy key"', '"deploy ke"*', "हिन्दी", "東京*", "\ud800", "e\u0301", "🦊"),
    ]
)

typed = st.lists(pieces | anything).map(" ".join) | st.lists(pieces).map("".join)


def asked(text, tokenize):
    """Return every query that *text* leads to."""
    query, _ = understood(text, tokenize)
    return [plain(text, tokenize), *([query] if query else [])]


def shown(query):
    """Return what is asked for, as a person would write it."""
    return [" ".join(term.stems) + "*" * term.prefix for term in query.terms]


@law
@given(text=typed)
def test_nothing_typed_is_a_syntax_error(table, tokenize, text):
    """Whatever is typed, FTS5 accepts the expression."""
    table.fill(SENTINEL)
    for query in asked(text, tokenize):
        if query.expression:
            table.match(query.expression)


@law
@given(text=typed)
def test_terms_are_the_phrases_in_order(table, tokenize, text):
    """The terms are the phrases that FTS5 counts, one for one."""
    table.fill(SENTINEL)
    for query in asked(text, tokenize):
        stems = [term.stems for term in query.terms]
        assert len(stems) <= MOST_TERMS
        assert bool(query.expression) == bool(stems)
        if stems:
            assert table.phrases(query.expression) == stems


@law
@given(text=typed)
def test_no_term_counts_twice(tokenize, text):
    """What stands in an expression twice counts once."""
    for query in asked(text, tokenize):
        counted = [term.key for term in query.terms if term.weight]
        assert len(set(counted)) == len(counted)


@law
@given(words=st.lists(st.text("abcdefgh", min_size=4), min_size=1, max_size=8))
def test_any_word_is_enough(table, tokenize, words):
    """A text that holds one word of a question is found by it."""
    table.fill(*words)
    query = plain(" ".join(words), tokenize)
    assert table.match(query.expression) == list(range(1, len(words) + 1))


@law
@given(text=typed)
def test_plain_words_hold_nothing_of_the_language(text):
    """A text without any of the signs is plain words to the lexer as well."""
    if not any(sign in text for sign in SIGNS):
        assert {kind for kind, _ in lexemes(text)} <= PLAIN


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("", []),
        ("?! --", []),
        ("where is the vault?", ["vault"]),
        ("What's Caroline's plan?", ["carolin", "plan"]),
        ("We'd've seen", ["seen"]),
        ("who were they", ["who", "were", "thei"]),
        ("Vault, vaults and VAULTED", ["vault"]),
        ("IT support in the US", ["it", "support", "us"]),
        ("WHERE IS THE VAULT", ["vault"]),
        ("kde je klíč pro tresor", ["klic", "tresor"]),
        ("kde uz je klic", ["klic"]),
        ("don't restart", ["don t", "restart"]),
        ("vault AND NOT token", ["vault", "token"]),
        ("#1234", ["1234"]),
        ("foo_bar", ["foo bar", "foo", "bar"]),
        ("src/app.py:12", ["src app py 12", "src", "app", "py", "12"]),
        ("state-of-the-art", ["state of the art", "state", "art"]),
        ("and/or", ["and or"]),
        ("2026-04-14", ["2026 04 14"]),
        ("10.0.0.1", ["10 0 0 1"]),
        ("gpt-4", ["gpt 4", "gpt", "4"]),
        ("vault,token", ["vault", "token"]),
        ("हिन्दी", ["ह न द"]),
        ("می‌خواهم", ["می خواهم"]),
        ("x\0y", ["x", "y"]),
        ("vault\ud800token", ["vault", "token"]),
        ("deploy", ["deploi", "deploy"]),
        ("deployed", ["deploi", "deploy"]),
        ("deployment", ["deploy", "deploi"]),
        ("key policy", ["kei", "polici"]),
        ("-".join("1" * 40), ["1"]),
        ("-".join("a" * 40), ["a"]),
    ],
)
def test_plain_words(tokenize, text, stems):
    """Plain words are asked for one by one, compounds whole and by part."""
    assert shown(plain(text, tokenize)) == stems


def test_a_term_shows_what_was_typed(tokenize):
    """A term says what it was in the text, without punctuation around it."""
    query = plain("(Deploys?) `src/app.py`, well-known!", tokenize)
    texts = ["Deploys", "Deploys", "src/app.py", "src", "app", "py"]
    assert [term.text for term in query.terms][:6] == texts
    assert query.expression.startswith('("Deploys" OR "deployment" OR "src app py" OR')


@pytest.mark.parametrize("word", ["foo_bar", "well-known", "src/app.py"])
def test_exact_compounds_come_first(tokenize, word):
    """A text that holds a compound whole counts more than one with all its parts."""
    terms = plain(word, tokenize).terms
    whole = sum(term.weight for term in terms)
    parts = sum(term.weight for term in terms if len(term.stems) == 1)
    assert whole > parts > 0


def test_an_identifier_counts_more_than_its_parts(tokenize):
    """Of an identifier the whole is told from its parts; of a hyphenated word not."""
    weights = {term.text: term.weight for term in plain("a_b c-d", tokenize).terms}
    assert weights["a_b"] > weights["b"]
    assert weights["c-d"] < weights["d"]
    assert plain("how-to", tokenize).terms[0].weight == 1


def test_the_greater_weight_wins(tokenize):
    """A word that is typed as well as being part of an identifier counts in full."""
    for text in ("foo_bar bar", "bar foo_bar"):
        weights = {term.text: term.weight for term in plain(text, tokenize).terms}
        assert weights["bar"] == 1


def test_stop_words_are_bare():
    """Stop words stand in the form in which words are compared, and none denies."""
    assert all(word == word.lower().strip(".,'") for word in STOP_WORDS)
    assert STOP_WORDS.isdisjoint({"not", "no", "never", "ne", "není"})


def test_pasted_pages_are_read_to_a_limit(tokenize):
    """Of a pasted file no more is read than a question could have."""
    read = []

    def counting(text):
        read.append(len(text))
        return tokenize(text)

    pages = ("vault AND " * 90_000, "x" * 1_000_000, "a-" * 500_000, '"' * 1_000_001)
    for page in pages:
        assert len(plain(page, counting).terms) <= MOST_TERMS
        assert understood(page, counting) == (None, "")
    assert max(read) <= MOST_CHARS


def test_the_word_at_the_limit_is_not_cut(tokenize):
    """Where a long text is cut, no part of a word is taken for a word."""
    filler = "x " * (MOST_CHARS // 2 - 1)
    assert shown(plain(f"{filler}vault", tokenize)) == ["x"]
    assert shown(plain(f"{filler}ab vault", tokenize)) == ["x", "ab"]
    assert shown(plain(f"{' ' * MOST_CHARS}vault", tokenize)) == ["vault"]


def test_common_words_are_left_out(tokenize):
    """Words in more than half of a thousand chunks or more are left out."""
    query = plain("vault of the crew", tokenize)
    counts = {"vault": 500, "crew": 501}
    assert shown(without_common(query, counts, 1_000)) == ["vault"]
    assert without_common(query, counts, 999) == query
    assert without_common(query, {"vault": 900, "crew": 901}, 1_000) == query


def test_common_words_in_a_row_may_be_rare(tokenize):
    """A compound of common words is asked for whole."""
    query = plain("crew_vault token", tokenize)
    counts = {"vault": 900, "crew": 900}
    asked = shown(without_common(query, counts, 1_000))
    assert asked == ["crew vault", "token"]


def test_a_rare_form_of_a_common_word_goes_with_it(tokenize):
    """What everything is about is not narrowed to another form of its word."""
    query = plain("deploy vault", tokenize)
    assert {"deploi", "deploy"} <= query.stems
    counts = {"deploi": 900, "vault": 3}
    assert shown(without_common(query, counts, 1_000)) == ["vault"]


def test_common_words_are_asked_for_where_nothing_holds_the_rest(tokenize):
    """A word that nothing holds does not hide what all hold."""
    query = plain("deploy key nowhere", tokenize)
    counts = {"deploi": 900, "key": 900}
    assert without_common(query, counts, 1_000) == query


def test_operators_are_asked_as_they_are_meant(tokenize):
    """No word of an expression with operators is left out for being common."""
    query, _ = understood("vault AND crew", tokenize)
    assert query.mode is Mode.SYNTAX
    assert without_common(query, {"vault": 900, "crew": 900}, 1_000) == query


def test_the_rarest_words_of_many_are_asked(tokenize):
    """Of more words than can be asked for, the rarest that are there are asked."""
    words = [f"w{number}" for number in range(200)]
    query = plain(" ".join(words), tokenize)
    assert shown(query) == words[:MOST_TERMS]
    assert [term.text for term in query.spare] == words[MOST_TERMS:]
    assert query.stems == set(words)
    counts = {word: 200 - at for at, word in enumerate(words) if at < 190}
    asked = without_common(query, counts, 300)
    assert shown(asked) == words[190 - MOST_TERMS : 190]
    assert asked.expression.count('"') == 2 * MOST_TERMS


def test_a_word_that_is_nowhere_is_asked_for(tokenize):
    """What no chunk holds is still asked for while there is room."""
    query = plain("vault token", tokenize)
    assert without_common(query, {"vault": 1}, 5_000) == query


def test_too_many_operands_are_not_understood(tokenize):
    """An expression with more words than can be asked for is refused with a reason."""
    text = " OR ".join(f"w{number}" for number in range(MOST_TERMS + 1))
    query, misread = understood(text, tokenize)
    assert query is None
    assert misread == "it asks for more than 64 words"


def test_a_syntax_error_is_answered(tokenize):
    """Whoever asks is told why operators were not understood."""
    with pytest.raises(QuerySyntaxError):
        lexemes('5" disk')
    assert understood('5" disk', tokenize) == (None, "a quote is not closed")
