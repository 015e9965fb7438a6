import pytest

from crewmem.search.intent import (
    Wanted,
    matches_kind,
    measure_request,
    read_wanted,
)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("why was the search so slow?", {"past", "reason"}),
        ("may I merge without a review", {"rule"}),
        ("when do we deploy this service?", {"rule"}),
        ("bis wann muss ich Stunden eintragen?", {"rule"}),
        ("warum war die Suche langsam", {"past", "reason"}),
        ("was kostet eine Inspektion", set()),
        ("puis-je payer en espèces ?", {"rule"}),
        ("who renews the certificates", set()),
        ("do we have a staging database?", {"rule"}),
        ("what to do about a lost badge", {"past", "rule"}),
        ("everything about the pumps", {"everything"}),
        ("todo sobre la bomba del pozo", {"everything"}),
        ("fix the failing test", set()),
        ("", set()),
    ],
)
def test_what_a_question_asks_for_is_read_in_its_language(question, asked):
    assert {name for name, is_asked in read_wanted(question)._asdict().items() if is_asked} == asked


def test_what_happened_is_looked_for_among_events_and_rules_elsewhere():
    past, rule = read_wanted("why was it slow?"), read_wanted("may I merge this?")
    entry = {"is_event": True, "is_rule": False}
    decision = {"is_event": True, "is_rule": True}
    note = {"is_event": False, "is_rule": True}
    assert [matches_kind(past, **each) for each in (entry, decision, note)] == [1.0, 1.0, -1.0]
    assert [matches_kind(rule, **each) for each in (entry, decision, note)] == [-1.0, 1.0, 1.0]
    assert matches_kind(Wanted(), **entry) == 0.0
    assert matches_kind(Wanted(past=True, rule=True), **note) == 0.0
    assert matches_kind(read_wanted("what do we know about the pumps?"), **entry) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "ok, now fix the failing test",
        "thanks, the same for the other file please",
        "rename this helper",
        "danke, mach das bitte nochmal kürzer",
        "gracias, ahora hazlo otra vez",
        "merci, corrige encore cela",
    ],
)
def test_small_talk_and_requests_are_recognised(text):
    assert measure_request(text) > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "who renews the certificates?",
        "how long are backups kept",
        "Wie lange werden Belege aufbewahrt?",
        "¿quién lleva el teléfono de guardia?",
        "",
    ],
)
def test_questions_are_not_requests(text):
    assert measure_request(text) < 0.2


def test_words_to_look_up_do_not_begin_with_a_request():
    assert measure_request("test coverage threshold", is_keywords=True) < measure_request(
        "test coverage threshold"
    )


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("czy moge wziac wolne", {"rule"}),
        ("por que no hay agua", {"reason"}),
        ("kann ich das einreichen? muss ich dafur zahlen", {"rule"}),
        ("får man ta med hund", {"rule"}),
        ("почему не работает лифт", {"reason"}),
    ],
)
def test_what_a_question_asks_for_is_read_without_accents_and_in_more_languages(question, asked):
    assert {name for name, is_asked in read_wanted(question)._asdict().items() if is_asked} == asked


@pytest.mark.parametrize(
    "text",
    [
        "popraw to jeszcze raz, krocej",
        "skriv om det igen tack",
        "исправь это ещё раз",
        "ok, arreglalo otra vez",
    ],
)
def test_small_talk_is_recognised_without_accents_and_in_more_languages(text):
    assert measure_request(text) > 0.5
