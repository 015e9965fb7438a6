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
    """Return shares: of the marked lines that are learned, and of what is learned that is marked.

    A person's line is learned when a sentence of it is.
    """
    learned = right = 0
    marked: set[tuple[int, int, str]] = set()
    found: set[tuple[int, int, str]] = set()
    for place, session in enumerate(SESSIONS):
        turns = [
            Said(number, 0, speaker, MARK.sub("", text), "", "")
            for number, (speaker, text) in enumerate(session)
        ]
        marks = {
            (place, number, text[: mark.start()].replace("*", "").rpartition("\n")[2].strip())
            for number, (speaker, text) in enumerate(session)
            for mark in MARK.finditer(text)
            if speaker == role
        }
        marked |= marks
        for candidate in find_candidates(turns):
            if candidate.said.role == role:
                learned += 1
                said = candidate.statement.text.replace("*", "")
                hits = {
                    mark
                    for mark in marks
                    if mark[1] == candidate.said.line
                    and (said in mark[2] or mark[2].endswith(said[-12:]))
                }
                found |= hits
                right += bool(hits)
    return len(found) / len(marked), right / learned


@pytest.mark.parametrize(("role", "recall"), [(USER, 0.7), (ASSISTANT, 0.4)])
def test_lasting_statements_of_unseen_sessions_are_learned(role, recall):
    found, right = measure(role)

    assert found >= recall
    assert right >= 0.7
