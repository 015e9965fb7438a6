import pytest

from crewmem.text.inflection import ENDINGS, are_forms, find_form
from crewmem.text.tokens import stems, words
from crewmem.text.word_lists import read_word_lists


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Begradigung", "begradigt"),
        ("fr", "trésorier", "trésorière"),
        ("es", "cancelación", "cancelar"),
        ("pl", "paczki", "paczek"),
        ("ru", "школах", "школы"),
        ("ar", "المرشد", "المرشدون"),
    ],
)
def test_stems_that_differ_in_endings_are_forms_of_one_word(language, one, other):
    ([stem], [other_stem]) = stems(one), stems(other)
    assert stem != other_stem
    assert are_forms(stem, other_stem, language)
    assert are_forms(other_stem, stem, language)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "kartoffel", "karton"),
        ("ru", "школах", "шкала"),
        ("pl", "dom", "dach"),  # shorter than what forms have in common
        ("en", "portal", "portals"),  # Porter's algorithm stems English
        ("?", "paczki", "paczek"),
        ("de", "2024", "2024er"),
    ],
)
def test_other_stems_are_no_forms_of_one_word(language, one, other):
    assert not are_forms(one, other, language)


def test_word_becomes_the_form_that_another_text_has():
    assert find_form("школах", {"школы", "рынок"}, "ru") == "школы"
    assert find_form("школах", {"рынок"}, "ru") == "школах"
    assert find_form("школы", {"школа", "школы"}, "ru") == "школы"


def test_endings_are_listed_without_accents():
    for language, listed in read_word_lists(ENDINGS).items():
        assert all(words(f"xxxx{each}") == [f"xxxx{each}"] for each in listed), language
