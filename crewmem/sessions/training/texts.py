"""The text that was made up for training: single statements, and whole sessions."""

import re
from pathlib import Path

from crewmem.sessions.cues import find_cues
from crewmem.sessions.statements import find_places, read_statements
from crewmem.sessions.turns import ASSISTANT, USER

Row = tuple[dict[str, float], bool]
"""The cues of a statement, and whether it is lasting."""

ROLES = {"user": USER, "agent": ASSISTANT}

MARK = re.compile(r"\s*\^[a-z]+\b")
"""Stands behind a statement that lasts."""


def load_statements(speaker: str) -> list[Row]:
    """Return the single statements of a speaker."""
    found, section = [], ""
    for line in Path(__file__).with_name("statements.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif section == speaker and line.startswith(("+ ", "- ")):
            said = line[2:].partition(" | ")[2] if line[0] == "+" else line[2:]
            statements = read_statements(said, ROLES[speaker])[:1]
            found += [(find_cues(each, ROLES[speaker]), line[0] == "+") for each in statements]
    return found


def parse_sessions(text: str) -> list[list[tuple[str, str]]]:
    """Return the turns of made-up sessions, as role and text with the marks of what lasts."""
    found = []
    for session in text.split("%%\n")[1:]:
        said = re.split(r"^(user|agent): ", session, flags=re.MULTILINE)[1:]
        found.append(
            [(ROLES[name], text) for name, text in zip(said[::2], said[1::2], strict=True)]
        )
    return found


def load_sessions(speaker: str) -> list[list[Row]]:
    """Return what a speaker says in each session."""
    found = []
    text = Path(__file__).with_name("sessions.txt").read_text("utf-8")
    for turns in parse_sessions(text):
        read = [read_statements(MARK.sub("", text), role) for role, text in turns]
        places = find_places([(role, each) for (role, _), each in zip(turns, read, strict=True)])
        rows = []
        for (role, text), statements, place in zip(turns, read, places, strict=True):
            if role == ROLES[speaker]:
                ends = [text[: mark.start()].replace("*", "")[-12:] for mark in MARK.finditer(text)]
                for each in statements:
                    is_lasting = any(each.whole.replace("*", "").endswith(end) for end in ends)
                    rows.append((find_cues(each, role, place), is_lasting))
        found.append(rows)
    return found
