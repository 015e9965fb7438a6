"""The language of operators: what it means, and when it is not understood."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.retrieval.lexemes import (
    PREFIX_CHARS,
    Kind,
    QuerySyntaxError,
    lexemes,
)
from crewmem.retrieval.prefixes import prefix_terms
from crewmem.retrieval.query import understood
from crewmem.retrieval.syntax import MOST_DEPTH, MOST_DISTANCE, MOST_LEXEMES, tree
from crewmem.retrieval.words import words

law = settings(max_examples=80, deadline=None)

ANIMALS = ("fox", "owl", "elk", "ant")

TEXTS = tuple(
    " ".join(name for bit, name in enumerate(ANIMALS) if number >> bit & 1)
    for number in range(1 << len(ANIMALS))
)
"""Every set of the animals, once."""


def expressions():
    """Draw what can be typed with operators, each with the texts that it means."""
    every = frozenset(range(len(TEXTS)))
    leaves = st.sampled_from(
        [
            (typed.format(name), frozenset(n for n in every if name in TEXTS[n]))
            for name in ANIMALS
            for typed in ("{}", '"{}"', "{}*", "({})", "{}s,", "NEAR({})")
        ]
    )

    def combined(parts):
        pairs = st.tuples(parts, parts)
        return st.one_of(
            pairs.map(lambda p: (f"({p[0][0]} AND {p[1][0]})", p[0][1] & p[1][1])),
            pairs.map(lambda p: (f"({p[0][0]} {p[1][0]})", p[0][1] & p[1][1])),
            pairs.map(lambda p: (f"( {p[0][0]} OR {p[1][0]} )", p[0][1] | p[1][1])),
            pairs.map(lambda p: (f"({p[0][0]} NOT {p[1][0]})", p[0][1] - p[1][1])),
            pairs.map(lambda p: (f"({p[0][0]} AND NOT {p[1][0]})", p[0][1] - p[1][1])),
        )

    return st.recursive(leaves, combined, max_leaves=12)


def asked(text, tokenize):
    """Return the expression that *text* means, or why it means none."""
    query, misread = understood(text, tokenize)
    return query.expression if query else misread


@law
@given(drawn=expressions(), unwanted=st.sampled_from(ANIMALS))
def test_operators_mean_what_they_say(table, tokenize, drawn, unwanted):
    """FTS5 finds exactly the texts that an expression with operators means."""
    table.fill(*TEXTS)
    text, meant = drawn
    found = table.match(asked(f"{text} NOT ({unwanted} OR nothing)", tokenize))
    assert found == sorted(n + 1 for n in meant if unwanted not in TEXTS[n])


@law
@given(drawn=st.lists(st.sampled_from(ANIMALS), min_size=4, max_size=4))
def test_not_binds_closest_then_and_then_or(table, tokenize, drawn):
    """NOT binds closer than AND, AND and nothing at all closer than OR."""
    table.fill(*TEXTS)
    a, b, c, d = drawn
    meant = [
        n
        for n, text in enumerate(TEXTS, start=1)
        if a in text or (b in text and (c in text and d not in text))
    ]
    assert table.match(asked(f"{a} OR {b} AND {c} NOT {d}", tokenize)) == meant
    assert table.match(asked(f"{a} OR {b} {c} NOT {d}", tokenize)) == meant
    assert table.match(asked(f"{c} NOT {d} {b} OR {a}", tokenize)) == meant


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("vault", ""),
        ("(vault)", ""),
        ("vault and token or not", ""),
        ('"?"', ""),
        ("do NOT restart on Friday", ""),
        ("**bold** *emphasis* int *p count(*) src/* a* se* 5 * 6", ""),
        ('"vault token"', '"vault token"'),
        ("“vault token” „lead“", '("vault token" AND "lead")'),
        ('"a vault" the lead', '("a vault" AND ("a vault" OR "lead"))'),
        ('"vault" vault lead', '("vault" AND ("vault" OR "lead"))'),
        ('"vault" "VAULTS" the', '"vault"'),
        ('"?" lead', '"lead"'),
        ('lead "vault tok"*', '("vault tok"* AND ("vault tok"* OR "lead"))'),
        ('"va"*', '"va"'),
        ("vaul* the lead", '("vaul"* OR "lead")'),
        ("(vaul*), lead?", '("vaul"* OR "lead")'),
        ("foo_b*", '"foo b"*'),
        ("東京*", '"東京"*'),
        ("kafé*", '"kafé"*'),
        ("kafe\u0301*", '"kafe\u0301"*'),
        ("the vault OR lead", '(("the" AND "vault") OR "lead")'),
        ("vault AND foo_bar", '("vault" AND "foo bar")'),
        ("vault AND ?", '"vault"'),
        ("vault NOT ?", '"vault"'),
        ("deploy OR x", '(("deploy" OR "deployment") OR "x")'),
        ("vault, AND f(x)", '("vault" AND ("f" AND "x"))'),
        ("(g(y) OR z)", '(("g" AND "y") OR "z")'),
        (", x OR , y,", '("x" OR "y")'),
        ("x NOT y NOT z", '("x" NOT ("y" OR "z"))'),
        ("x NEAR y NEAR z", 'NEAR("x" "y" "z", 10)'),
        ("x NEAR/3 y", 'NEAR("x" "y", 3)'),
        ('NEAR("x y" foo_bar wor*, 5)', 'NEAR("x y" "foo bar" "wor"*, 5)'),
        ("NEAR(x y,5)", 'NEAR("x" "y", 5)'),
        ("NEAR(x, y)", 'NEAR("x" "y", 10)'),
        ("NEAR(x 5)", 'NEAR("x" "5", 10)'),
        ("NEAR (x y, z)", 'NEAR("x" "y" "z", 10)'),
        ('NEAR("x" , 99999999999) OR y', '("x" OR "y")'),
        ("NEAR(x y, 99999999999)", f'NEAR("x" "y", {MOST_DISTANCE})'),
        ("a1 NEAR(b1 c1)", '("a1" AND NEAR("b1" "c1", 10))'),
        ("NEAR(? y) OR ?", '"y"'),
    ],
)
def test_expressions(tokenize, text, expression):
    """What is typed is asked as it is meant; prose holds nothing of the language."""
    assert asked(text, tokenize) == expression


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('say "vault', "a quote is not closed"),
        ("NOT vault", "nothing stands before NOT"),
        ("? NOT vault", "nothing stands before NOT"),
        ("vault AND", "nothing stands after AND"),
        ("OR vault", "nothing stands before OR"),
        ("vault OR AND lead", "nothing stands before AND"),
        ("vault OR ()", "nothing stands before )"),
        ("(vault OR lead", "a parenthesis is not closed"),
        ("vault) OR lead", "a parenthesis is closed that was not opened"),
        ("NEAR(vault lead", "a parenthesis is not closed"),
        ("NEAR(vault OR lead)", "NEAR joins words and phrases only"),
        ("NEAR((vault) lead)", "nothing stands before ("),
        ("vault NEAR (lead OR x)", "NEAR joins words and phrases only"),
        ("(vault OR x) NEAR lead", "nothing stands before NEAR"),
        ('"' + "w " * 65 + '"', "a phrase is longer than 64 words"),
        ("NEAR", "nothing stands before NEAR"),
        ("(" * 17 + "vault OR x" + ")" * 17, "parentheses nest deeper than 16"),
        ("vault AND " * 128 + "x", "it has more than 256 words and operators"),
    ],
)
def test_what_is_not_understood(tokenize, text, reason):
    """What cannot be read with operators is told with the reason."""
    assert understood(text, tokenize) == (None, reason)


@pytest.mark.parametrize(
    "sign", ["(", "NEAR(", "x NOT (", "x OR ", "x NOT ", "NEAR/9 "]
)
def test_depth_and_length_are_bounded(tokenize, sign):
    """No number of parentheses or operators breaks the parser."""
    text = (sign * 10_000)[:9_990]
    query, misread = understood(f"{text} OR x", tokenize)
    assert query is None
    assert misread


def test_the_deepest_that_is_read(tokenize):
    """Parentheses nest as deep, and queries are as long, as the limits say."""
    deep = "(" * MOST_DEPTH + "x OR y" + ")" * MOST_DEPTH
    assert asked(deep, tokenize) == '("x" OR "y")'
    tree([(Kind.WORD, "x")] * MOST_LEXEMES)
    with pytest.raises(QuerySyntaxError):
        tree([(Kind.WORD, "x")] * (MOST_LEXEMES + 1))


def test_what_is_excluded_does_not_count(table, tokenize):
    """A phrase after NOT stands in the expression, but its matches are no merit."""
    query, _ = understood("x NOT (y NOT x) OR y OR y", tokenize)
    assert [(term.text, term.weight) for term in query.terms] == [
        *(("x", 1), ("y", 0), ("x", 0)),
        *(("y", 1), ("y", 0)),
    ]
    table.fill("x", "y x", "z")
    assert table.match(query.expression) == [1, 2]


def test_a_phrase_is_required_and_words_rank(table, tokenize):
    """Beside a phrase, words are not required, and the phrase counts once."""
    table.fill("vault token here", "token vault lead", "lead vault token")
    query, _ = understood('"vault token" lead missing', tokenize)
    assert table.match(query.expression) == [1, 3]
    assert [(term.text, term.weight) for term in query.terms] == [
        ("vault token", 1),
        *(("vault token", 0), ("lead", 1), ("missing", 1)),
    ]


@pytest.mark.parametrize(
    ("prefix", "word"),
    [
        ("deploy", "deployment"),
        ("deploy", "deploys"),
        ("deploym", "deployments"),
        ("positi", "positive"),
        ("POSITI", "positive"),
        ("malays", "Malaysia"),
        ("authoriz", "authorization"),
        ("configurat", "configurations"),
        ("regula", "regulated"),
        ("key", "keyboard"),
        ("key", "keys"),
        ("poli", "policy"),
        ("policy", "policyholder"),
        ("kaf", "Kafé"),
        ("Přík", "příkaz"),
    ],
)
def test_a_prefix_finds_words_that_begin_so(table, tokenize, prefix, word):
    """The beginning of a word finds it, although the index holds only stems."""
    table.fill(word, "zebra")
    assert table.match(asked(f"{prefix}*", tokenize)) == [1]
    assert table.match(asked(f"zebra AND {prefix}*", tokenize)) == []


@law
@given(
    begin=st.text("abehilorstuyz", min_size=PREFIX_CHARS, max_size=8),
    ending=st.sampled_from(["", "s", "ed", "ing", "er", "ation", "ment", "ity", "es"]),
)
def test_prefixes_reach_over_endings(tokenize, begin, ending):
    """A prefix asks for every word it begins, whatever common ending that has."""
    [word] = words(begin, tokenize)
    terms = list(prefix_terms(begin, word, tokenize))
    stem = tokenize(f"{begin}{ending}")[0][2]
    assert any(
        stem.startswith(term.stems) if term.prefix else (stem,) == term.stems
        for term in terms
    )
    assert all(term.text == f"{begin}*" for term in terms)


def test_long_prefixes_are_not_completed(tokenize):
    """What no word can be is not tried with endings."""
    for length, terms in ((32, 2), (33, 1)):
        text = "positi".rjust(length, "x")
        assert (
            len(list(prefix_terms(text, words(text, tokenize)[0], tokenize))) == terms
        )


def test_lexemes():
    """A text is cut where a reader sees words, quotes, operators and parentheses."""
    assert lexemes('(a "b c"* AND NEAR(d, 5)) NOT begin*?') == [
        (Kind.OPEN, ""),
        (Kind.WORD, "a"),
        (Kind.PHRASE_PREFIX, "b c"),
        (Kind.AND, ""),
        *((Kind.NEAR, ""), (Kind.OPEN, "")),
        *((Kind.WORD, "d"), (Kind.COMMA, ""), (Kind.WORD, "5")),
        *((Kind.CLOSE, ""), (Kind.CLOSE, "")),
        (Kind.NOT, ""),
        (Kind.PREFIX, "begin"),
    ]
