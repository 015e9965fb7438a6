import json

import pytest

from crewmem.search.query import parse_query
from crewmem.sessions.search import find_places, weigh_passage

FILLER = "the crane, the quay and the tide table were looked at one after the other; " * 6


def write_log(root, turns):
    lines = [
        {"role": role, "content": text, "ts": f"2026-05-05T09:{number:02}:00Z"}
        for number, (role, text) in enumerate(turns)
    ]
    (root / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def find_turns(home, query):
    return [hit.turn for hit in home.sessions.search(query).hits]


@pytest.fixture
def sync(home, root):
    return lambda turns: (
        write_log(root, turns),
        home.sessions.sync(program="plain", root=root, agent="ada"),
    )


def test_answer_counts_words_of_its_question(home, sync):
    passing = [("assistant", f"I looked at valve {number}.") for number in range(8)]
    sync(
        [
            ("assistant", "The pressure sensor is fine, that is all about pressure."),
            *passing,
            ("user", "which pressure opens the relief valve?"),
            ("assistant", "It opens at 6 bar."),
        ]
    )

    assert find_turns(home, "relief valve pressure opens")[0] in (10, 11)


def test_words_side_by_side_come_before_words_far_apart(home, sync):
    passing = [("assistant", f"I looked at note {number}.") for number in range(8)]
    apart = f"The ferry left. {FILLER} The ramp was raised. {FILLER} The fee is due."
    together = f"{FILLER} {FILLER} The ferry ramp has its own fee. It is due in May."
    sync([("assistant", apart), *passing, ("assistant", together)])

    assert find_turns(home, "ferry ramp fee due") == [10, 1]


def test_words_that_were_said_come_before_words_of_output(home, sync):
    passing = [("assistant", f"I looked at note {number}.") for number in range(8)]
    sync(
        [
            ("tool", "anchor winch torque"),
            *passing,
            ("user", "the anchor winch needs more torque than that"),
        ]
    )

    assert find_turns(home, "anchor winch torque")[0] == 10


def test_places_of_phrases_and_prefixes():
    terms = parse_query('"night shift" cran*').terms

    assert [
        terms[number].text for _, number in find_places("cranes of the night shift", terms)
    ] == [
        terms[1].text,
        terms[0].text,
    ]


def test_passage_is_the_densest_one():
    assert weigh_passage([], []) == 0
    assert weigh_passage([(0, 0), (5, 0), (9, 1), (90, 2)], [1.0, 1.0, 1.5]) == 2.0
