from crewmem.search.features import find_places
from crewmem.search.query import parse_query
from crewmem.search.turns import list_passages
from crewmem.text.tokens import stems


def test_places_of_phrases_and_prefixes():
    terms = parse_query('"night shift" cran*').terms
    text = stems("cranes of the night shift")

    assert [find_places(text, set(text), term) for term in terms] == [[3], [0]]


def test_passages_hold_the_terms_near_each_other():
    assert [*list_passages([])] == []
    assert [*list_passages([(0, 0), (5, 0), (9, 1), (90, 2)])] == [{0}, {0}, {0, 1}, {2}]
