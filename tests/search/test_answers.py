import pytest

from crewmem.search.answers import Wanted, matches_kind, read_wanted


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("why was the search so slow?", {"past"}),
        ("may I merge without a review", {"rule"}),
        ("when do we deploy this service?", {"rule"}),
        ("bis wann muss ich Stunden eintragen?", {"rule"}),
        ("warum war die Suche langsam", {"past"}),
        ("was kostet eine Inspektion", set()),
        ("puis-je payer en espèces ?", {"rule"}),
        ("who renews the certificates", set()),
        ("do we have a staging database?", {"rule"}),
        ("fix the failing test", set()),
        ("", set()),
    ],
)
def test_what_a_question_asks_for_is_read_in_its_language(question, asked):
    assert {name for name, is_asked in read_wanted(question)._asdict().items() if is_asked} == asked


def test_what_happened_is_looked_for_among_events_and_rules_elsewhere():
    past, rule = read_wanted("why was it slow?"), read_wanted("may I merge this?")
    assert [matches_kind(past, is_event=each) for each in (True, False)] == [1.0, -1.0]
    assert [matches_kind(rule, is_event=each) for each in (True, False)] == [-1.0, 1.0]
    assert matches_kind(Wanted(), is_event=True) == 0.0
