import pytest

from crewmem.sessions.answers import find_answer
from crewmem.sessions.turns import ASSISTANT, USER

OPTIONS = "There are two ways to fix this:\n1. Sum in the browser\n2. Sum on the server\nWhich one?"


@pytest.mark.parametrize(
    ("asked", "said", "kind"),
    [
        ("Fine. Which port does the staging database listen on?", "5433", "fact"),
        ("Where should the key go?", "vault, like all the others", "fact"),
        ("Welches Format erwartet der Steuerberater?", "DATEV", "fact"),
        ("Should the mode follow the system, or is there a toggle?", "the system", "decision"),
        ("Should deletes be soft?", "yes", "decision"),
    ],
)
def test_short_answer_has_its_question(asked, said, kind):
    answer = find_answer(asked, said, USER)

    assert answer is not None
    assert (answer.text, answer.kind) == (f"{asked.removeprefix('Fine. ')} {said}", kind)
    assert answer.quote == said


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Shall I commit this?", "yes"),
        ("Is the server running?", "yes"),
        ("What should I do next?", "the tests"),
        ("What is left?", "the DNS entry"),
        ("Was ist noch offen?", "der Export"),
        ("Which file do you mean?", "the first one"),
        ("Which port does it listen on?", "not sure, look it up"),
        ("Which port does it listen on?", "do you mean staging?"),
        ("Should I start with:\n1. tests\n2. docs", "2"),
        ("I listed what is left.", "5433"),
    ],
)
def test_answer_of_the_moment_is_none(asked, said):
    assert find_answer(asked, said, USER) is None


def test_short_question_says_what_was_talked_about():
    joined = "Connect the app to staging. Which port? 5433"

    assert find_answer("Connect the app to staging. Which port?", "5433", USER).text == joined
    assert find_answer("Which port?", "5433", USER, "Connect the app to staging").text == joined
    assert find_answer("Which port?", "5433", USER) is None


def test_number_chooses_an_option():
    chosen = find_answer(OPTIONS, "2, the browser lies", USER)

    assert chosen.text == "There are two ways to fix this: Sum on the server. the browser lies"
    assert chosen.kind == "decision"
    assert find_answer(OPTIONS, "3", USER) is None
    assert find_answer(OPTIONS, "2", ASSISTANT) is None


def test_number_of_a_remark_chooses_nothing():
    remarks = "Here is my review:\n1. The name is misleading.\n2. The endpoint has no check."

    assert find_answer(remarks, "2 is on purpose, the gateway does it", USER) is None
    assert find_answer(OPTIONS, "2 is what I had before", USER) is None
