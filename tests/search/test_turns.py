from crewmem.search.features import find_places
from crewmem.search.query import parse_query
from crewmem.search.turns import weigh_passage
from crewmem.text.tokens import stems


def test_places_of_phrases_and_prefixes():
    terms = parse_query('"night shift" cran*').terms
    text = stems("cranes of the night shift")

    assert [find_places(text, set(text), term) for term in terms] == [[3], [0]]


def test_passage_is_the_densest_one():
    assert weigh_passage([], []) == 0
    assert weigh_passage([(0, 0), (5, 0), (9, 1), (90, 2)], [1.0, 1.0, 1.5]) == 2.0
