import pytest

from crewmem.search.requests import measure_request


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
