import pytest

from crewmem.search.answers import Wanted, matches_kind, read_wanted, tells


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("when do we deploy this service?", {"when", "rule"}),
        ("how many parcels did we send", {"amount", "past"}),
        ("why was the search so slow?", {"past"}),
        ("may I merge without a review", {"rule"}),
        ("bis wann muss ich Stunden eintragen?", {"when", "rule"}),
        ("was kostet eine Inspektion", {"amount"}),
        ("quand ouvre la mairie", {"when"}),
        ("cuánto cuesta el traslado", {"amount"}),
        ("who renews the certificates", set()),
        ("fix the failing test", set()),
        ("", set()),
    ],
)
def test_what_a_question_asks_for_is_read_in_its_language(question, asked):
    assert {name for name, is_asked in read_wanted(question)._asdict().items() if is_asked} == asked


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        ("when do we deploy?", "We deploy on Tuesdays before noon.", True),
        ("when do we deploy?", "Deploys are done by the lead.", False),
        ("wann wird geliefert?", "Geliefert wird donnerstags nach dem Standup.", True),
        ("how many retries are there?", "The worker retries three times.", True),
        ("how many retries are there?", "The worker retries until it is stopped.", False),
        ("who deploys?", "We deploy on Tuesdays at 10.", False),
    ],
)
def test_text_with_a_time_or_a_number_answers_who_asks_for_one(question, text, is_told):
    assert tells(read_wanted(question), text) is is_told


def test_what_happened_is_looked_for_among_events_and_rules_elsewhere():
    past, rule = read_wanted("why was it slow?"), read_wanted("may I merge this?")
    assert [matches_kind(past, is_event=each) for each in (True, False)] == [1.0, -1.0]
    assert [matches_kind(rule, is_event=each) for each in (True, False)] == [-1.0, 1.0]
    assert matches_kind(Wanted(), is_event=True) == 0.0
