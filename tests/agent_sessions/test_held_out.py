"""How much of sessions that the classifier never saw is learned, and how much of that is right."""

from pathlib import Path

import pytest

from crewmem.sessions.extract import Said, find_candidates
from crewmem.sessions.training.fit import MARK, parse_sessions
from crewmem.sessions.turns import ASSISTANT, USER

SESSIONS = parse_sessions(
    Path(__file__).with_name("samples").joinpath("held_out.txt").read_text("utf-8")
)


def measure(role):
    """Return how many statements are lasting, how many are learned, and how many are both."""
    lasting = learned = right = 0
    for session in SESSIONS:
        turns = [
            Said(number, 0, speaker, MARK.sub("", text), "", "")
            for number, (speaker, text) in enumerate(session)
        ]
        marked = [
            (number, text[: mark.start()].replace("*", "").strip()[-12:])
            for number, (speaker, text) in enumerate(session)
            for mark in MARK.finditer(text)
            if speaker == role
        ]
        lasting += len(marked)
        for candidate in find_candidates(turns):
            if candidate.said.role == role:
                learned += 1
                whole = candidate.text.replace("*", "")
                right += any(
                    number == candidate.said.line and whole.endswith(end) for number, end in marked
                )
    return lasting, learned, right


@pytest.mark.parametrize(("role", "recall"), [(USER, 0.7), (ASSISTANT, 0.4)])
def test_lasting_statements_of_unseen_sessions_are_learned(role, recall):
    lasting, learned, right = measure(role)

    assert right >= recall * lasting, (lasting, learned, right)
    assert right >= 0.7 * learned, (lasting, learned, right)
