from unicodedata import normalize

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.search.query import (
    MAX_FORMS,
    add_other_forms,
    as_words,
    correct_unknown,
    parse_query,
    without_common,
    without_unknown_endings,
)
from crewmem.text.tokens import search_text


@pytest.fixture(scope="module")
def full_text():
    db = apsw.Connection(":memory:")
    db.execute(
        "create virtual table t using fts5(x, tokenize='porter unicode61 remove_diacritics 2')"
    )
    texts = [
        "Deploy on Friday is forbidden",
        "The deployment key is in the vault",
        "On call swaps on Monday, the pager goes to the blue case",
        "call the vendor on Monday",
        "positive numbers only in src/app.py",
        "the parser is written in C++17, its tests in C#",
        "vitamin C for the whole crew",
        "Pages are tried with Playwright",
    ]
    db.executemany("insert into t values (?)", [(search_text(text),) for text in texts])
    return db


def match(db, query: str) -> set[int]:
    expression = parse_query(query).expression
    if not expression:
        return set()
    return {row[0] for row in db.execute("select rowid from t where t match ?", (expression,))}


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("the deploys on friday", {1, 2}),
        ('"on call" pager', {3}),
        ("call AND monday", {3, 4}),
        ("call AND monday NOT pager", {4}),
        ("call AND NOT pager", {4}),
        ("(friday OR vendor) AND NOT monday", {1}),
        ("deploy*", {1, 2}),
        ("positi*", {5}),
        ("play*", {8}),
        ("src/app.py", {5}),
        ("app.py", {5}),
        ("do NOT deploy", {1, 2}),
        ("c++ OR C#", {6}),
        ("what is in C#?", {6}),
        ("C", {6, 7}),
    ],
)
def test_query_finds(full_text, query, rows):
    assert match(full_text, query) == rows


@pytest.mark.parametrize(
    "query",
    ['"open quote', "(friday OR x", "friday) OR x", "AND", "friday AND", "NOT friday", "OR OR"],
)
def test_query_that_cannot_be_parsed_is_run_as_words(full_text, query):
    parsed = parse_query(query)
    assert parsed.misread
    assert not parsed.has_operators
    match(full_text, query)


@given(st.text(alphabet=st.sampled_from("ab*\"()-:^+ANDORNT {}é東都\x00~/'. "), max_size=40))
def test_nothing_typed_is_a_syntax_error(full_text, query):
    match(full_text, query)


@given(st.text(max_size=60))
def test_no_text_is_a_syntax_error(full_text, query):
    match(full_text, query)


def test_stop_words_are_left_out_while_others_remain():
    assert [term.text for term in parse_query("what is the port?").terms] == ["port"]
    assert parse_query("what is the").terms


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("où est l'annexe ?", ["l'annexe", "annexe"]),
        ("qu\u2019est-ce que Morel a dit ?", ["Morel", "dit"]),
        ("d'accord", ["d'accord", "accord"]),
        ("what's the port?", ["port"]),
        ("non-linear", ["non-linear", "non", "linear"]),
    ],
)
def test_elided_words_are_left_out(query, asked):
    assert [term.text for term in parse_query(query).terms] == asked


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("what did we decide about telemetry", "telemetry"),
        ("was agreed on pump oil?", "pump oil"),
        ("Was wurde zu Pumpen beschlossen?", "Pumpen"),
        ("qué decidimos sobre bombas", "bombas"),
        ("who decides about telemetry", "decides telemetry"),
        ("what did we decide", "decide"),
    ],
)
def test_word_that_asks_for_a_decision_has_little_weight_beside_its_subject(query, asked):
    terms = as_words(query).terms
    assert list(dict.fromkeys(term.text for term in terms if term.weight == 1.0)) == asked.split()


def test_acronym_is_not_a_stop_word():
    assert "IT" in {term.text for term in parse_query("who runs IT here").terms}


def test_endings_of_a_prefix_that_no_text_contains_are_left_out():
    query = parse_query("login* cypress")
    left = without_unknown_endings(query, {"login": 2})
    assert [term.stems for term in left.terms] == [("login",), ("cypress",)]
    assert left.expression == query.expression


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("est-ce que la grue tourne", ["grue", "tourne"]),
        ("combien puis-je offrir au client", ["offrir", "client"]),
        ("quand révise-t-on les vélos", ["révise", "vélos"]),
        ("the add-on of the crane", ["add-on", "add", "crane"]),
    ],
)
def test_subject_behind_a_french_verb_is_left_out(query, asked):
    assert [term.text for term in parse_query(query).terms] == asked


@pytest.mark.parametrize("word", ["doesn't", "won't", "isn\u2019t"])
def test_negated_auxiliary_is_a_stop_word(word):
    assert [term.text for term in parse_query(f"why {word} the fan spin").terms] == ["fan", "spin"]


def test_common_words_are_left_out_of_big_stores():
    query = as_words("server backups")
    counts = {"server": 900, "backup": 3}
    assert [t.text for t in without_common(query, counts, 1_000).terms] == ["backups"]
    assert len(without_common(query, counts, 999).terms) == 2
    assert len(without_common(query, {"server": 900}, 1_000).terms) == 2


def test_unknown_word_is_corrected_by_one_edit():
    known = {"meilisearch": 2, "vault": 1}

    def look_up(stems):
        return {stem: known[stem] for stem in stems if stem in known}

    query, counts = correct_unknown(as_words("meilisaerch index"), {}, look_up)
    assert query.corrections == (("meilisaerch", "meilisearch"),)
    assert counts["meilisearch"] == 2
    assert '"meilisearch"' in query.expression


@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("power outage", "lower"),  # another first letter
        ("in other words", "world"),
        ("plain text", "plan"),
        ("the other one", "otter"),  # an everyday word
        ("cosecha de enero", "entero"),  # a month
    ],
)
def test_word_is_no_mistyped_form_of_a_word_that_merely_looks_like_it(
    make_search, document, query, known
):
    documents = [document(1, f"It is said that {known} is here")]
    documents += [document(key, f"Something else, number {key}") for key in range(2, 6)]
    hits = make_search(documents).find(query, include_all=True).hits
    assert [hit.why for hit in hits if "corrections" in hit.why] == []


def test_other_form_of_a_spanish_verb_is_found():
    def look_up(stems):
        return {"paga": 1} if "paga" in stems else {}

    query, _ = correct_unknown(as_words("pagar al taller"), {"taller": 1}, look_up)
    assert query.corrections == (("pagar", "paga"),)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("Schluessel", "Der Schlüssel hängt im Keller"),
        ("wo ist der Schluessel fuer den Keller", "Der Schlüssel hängt im Keller"),
        ("Waermepumpen", "Die Wärmepumpe ist neu"),
        ("Schlüssel", "Der Schluessel haengt im Keller"),
        ("Tuer", "Die Tür klemmt"),
    ],
)
def test_umlaut_finds_the_same_one_spelled_with_two_letters(make_search, document, typed, text):
    others = [document(key, f"Etwas anderes, Nummer {key}") for key in range(2, 6)]
    result = make_search([document(1, text), *others]).find(typed)
    assert [hit.text for hit in result.hits] == [text]


@pytest.mark.parametrize("typed", ["Bauer", "Steuer", "Quelle", "neues"])
def test_two_vowels_that_are_no_umlaut_stay(make_search, document, typed):
    facts = [document(1, "Der Baur in Stur, neu im Qulle-Hof"), document(2, "Etwas anderes")]
    assert make_search(facts).find(f"{typed} Zürich").hits == []


def test_compounds_that_begin_with_an_unknown_german_word_are_found(make_search, document):
    texts = ["Müllabfuhr kommt am Donnerstag", "Das Büro ist am Freitag zu", "Die Tür klemmt"]
    search = make_search([document(key, text) for key, text in enumerate(texts, start=1)])
    assert [hit.text for hit in search.find("wann kommt der Müll").hits] == texts[:1]


def test_letters_and_their_accents_may_be_separate_characters(make_search, document):
    texts = ["Zwölf Geräte für Ümit", "Le café est fermé", "Something else"]
    search = make_search([document(key, text) for key, text in enumerate(texts, start=1)])
    for typed in ("Geräte für Ümit", "café fermé"):
        separate = normalize("NFD", typed)
        assert separate != typed
        hits = search.find(separate).hits
        assert [hit.text for hit in hits] == [hit.text for hit in search.find(typed).hits]
        assert len(hits) == 1


def test_known_and_short_words_are_not_corrected():
    query, _ = correct_unknown(as_words("vaults cat"), {"vault": 1}, lambda stems: {"cart": 1})
    assert query.corrections == ()


def test_identifier_is_asked_whole_and_by_part():
    terms = parse_query("foo_bar").terms
    assert [(term.stems, term.weight) for term in terms] == [
        (("foo", "bar"), 1.0),
        (("foo",), 0.5),
        (("bar",), 0.5),
    ]


def test_a_common_part_of_a_name_leaves_its_other_parts_in_the_query():
    query = parse_query("package-lock")
    counts = {"packag": 900, "lock": 20}
    left = [term.text for term in without_common(query, counts, 1_000).terms]
    assert left == ["package-lock", "lock"]


def test_word_longer_than_any_word_is_not_corrected():
    looked_up = []
    correct_unknown(as_words("x" * 4000), {}, lambda stems: looked_up.append(stems) or {})
    assert looked_up == []


def test_same_forms_of_a_word_are_searched_for_in_any_order_of_the_store():
    endings = "а ы у е ой ою ам ами ах и ов ый ая ое ые ого ому ым ыми ых ую ать ал ала али"
    forms = [f"школ{ending}" for ending in endings.split()]

    def list_forms(known):
        query, _ = add_other_forms(
            parse_query("где школы"),
            {"школы": 1},
            lambda stems: dict.fromkeys(stems, 1),
            lambda beginning, limit: known,
            "ru",
        )
        return [term.stems[0] for term in query.terms if term.weight < 1]

    assert len(list_forms(forms)) == MAX_FORMS
    assert list_forms(forms) == list_forms(forms[::-1])
