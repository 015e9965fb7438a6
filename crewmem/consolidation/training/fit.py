"""Fit the weights of lasting statements: ``python -m crewmem.consolidation.training.fit``.

There is a model for notes, one for what people say in sessions, and one for what agents say in
them. Each is fitted on the text beside this script, which was written for this purpose. Prints how
well each tenth of a text is told from weights fitted on the others, and writes
``text/lasting.json``.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from crewmem.sessions.speech import extract_statements, list_turn_places
from crewmem.sessions.turns import ASSISTANT, USER
from crewmem.text import lasting
from crewmem.text.judgement import find_speech_cues
from crewmem.text.lasting import find_cues
from crewmem.text.statements import Statement, read_statements

Row = tuple[dict[str, float], bool]
"""The cues of a statement, and whether it is lasting."""

SPEECH, NOTES = 2.0, 1.5
"""L2 penalties. From 2 to 8 the cross-validated precision of speech changes by less than 0.02, and
between 0.5 and 2 the loss of notes by less than 0.005."""

RARE = 3
"""Cues that fewer statements have get no weight."""

PARTS = 10

TEXTS = Path(__file__).parent

WEIGHTS = Path(lasting.__file__).with_suffix(".json")

NOTE_TEXTS = ("banks", "diaries", "notes")

ROLES = {"user": USER, "agent": ASSISTANT}

MARK = re.compile(r"[ \t]*\^[a-z]+\b")
"""Stands behind a sentence that lasts; behind a statement that is not cut, it means all of it."""


def load_notes() -> dict[str, list[list[Row]]]:
    """Return the statements of each note by file."""
    found: dict[str, list[list[Row]]] = {}
    for name in NOTE_TEXTS:
        for note in (TEXTS / f"{name}.txt").read_text("utf-8").split("%%\n")[1:]:
            ends: dict[int, list[str]] = {}
            for number, line in enumerate(note.split("\n"), 1):
                for mark in MARK.finditer(line):
                    said = MARK.sub("", line[: mark.start()])
                    ends.setdefault(number, []).append(said.rstrip("| ").replace("*", "")[-12:])
            statements = read_statements(MARK.sub("", note))
            found.setdefault(name, []).append(
                [(find_cues(each), _is_lasting(each, ends)) for each in statements]
            )
    return found


def _is_lasting(statement: Statement, ends: dict[int, list[str]]) -> bool:
    marked = [
        end
        for number in range(statement.first_line, statement.last_line + 1)
        for end in ends.get(number, ())
    ]
    if statement.sentence:
        return any(statement.text.replace("*", "").endswith(end) for end in marked)
    return bool(marked)


def load_statements(speaker: str) -> list[Row]:
    """Return the single statements of a speaker."""
    found, section = [], ""
    for line in (TEXTS / "statements.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif section == speaker and line.startswith(("+ ", "- ")):
            said = line[2:].partition(" | ")[2] if line[0] == "+" else line[2:]
            statements = extract_statements(said, ROLES[speaker])[:1]
            found += [(find_speech_cues(each, None), line[0] == "+") for each in statements]
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
    text = (TEXTS / "sessions.txt").read_text("utf-8")
    for turns in parse_sessions(text):
        read = [extract_statements(MARK.sub("", text), role) for role, text in turns]
        places = list_turn_places(
            [(role, each) for (role, _), each in zip(turns, read, strict=True)]
        )
        rows = []
        for (role, text), statements, place in zip(turns, read, places, strict=True):
            if role == ROLES[speaker]:
                ends = [text[: mark.start()].replace("*", "")[-12:] for mark in MARK.finditer(text)]
                for each in statements:
                    is_lasting = any(each.full_text.replace("*", "").endswith(end) for end in ends)
                    rows.append((find_speech_cues(each, place), is_lasting))
        found.append(rows)
    return found


def fit(rows: np.ndarray, labels: np.ndarray, strength: float) -> np.ndarray:
    """Fit a logistic regression by Newton's method; the last weight is the bias.

    Args:
        strength: L2 penalty of every weight but the bias.
    """
    matrix = np.hstack([rows, np.ones((len(rows), 1))])
    weights = np.zeros(matrix.shape[1])
    penalty = np.full(matrix.shape[1], strength)
    penalty[-1] = 0.01
    for _ in range(30):
        chances = 1 / (1 + np.exp(-matrix @ weights))
        gradient = matrix.T @ (chances - labels) + penalty * weights
        curvature = (matrix * (chances * (1 - chances))[:, None]).T @ matrix + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def make_matrix(groups: list[list[Row]], names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return a row of cues a statement, and which statements are lasting."""
    place = {name: index for index, name in enumerate(names)}
    flat = [row for group in groups for row in group]
    rows = np.zeros((len(flat), len(names)))
    for number, (cues, _) in enumerate(flat):
        for name, value in cues.items():
            if name in place:
                rows[number, place[name]] = value
    return rows, np.array([lasting for _, lasting in flat], dtype=float)


def measure(
    title: str, shown: list[list[Row]], others: list[list[Row]], names: list[str], strength: float
) -> None:
    """Print precision and recall of *shown* at some thresholds.

    Each tenth of its groups is told by weights of the other ones and of *others*.
    """
    told, truth = [], []
    for part in range(PARTS):
        rest = [group for number, group in enumerate(shown) if number % PARTS != part]
        weights = fit(*make_matrix(rest + others, names), strength)
        rows, labels = make_matrix(shown[part::PARTS], names)
        told.append(1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1]))))
        truth.append(labels)
    chances, labels = np.concatenate(told), np.concatenate(truth)
    figures = []
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        chosen = chances >= threshold
        right = labels[chosen].sum()
        precision, recall = right / max(chosen.sum(), 1), right / max(labels.sum(), 1)
        figures.append(f"{threshold:.1f}: {precision:.2f}/{recall:.2f}")
    sys.stdout.write(
        f"{title} ({len(labels)}, {int(labels.sum())} lasting): {', '.join(figures)}\n"
    )


def list_names(groups: list[list[Row]]) -> list[str]:
    """Return the cues that are not rare."""
    counts = Counter(name for group in groups for cues, _ in group for name in cues)
    return sorted(name for name, count in counts.items() if count >= RARE)


def make_weights(groups: list[list[Row]], names: list[str], strength: float) -> dict[str, Any]:
    """Return the bias and the weights that matter."""
    weights = fit(*make_matrix(groups, names), strength)
    named = zip(names, weights[:-1], strict=True)
    return {
        "bias": round(float(weights[-1]), 3),
        "weights": {name: round(float(each), 3) for name, each in named if abs(each) >= 0.005},
    }


def list_texts(speaker: str) -> tuple[list[list[Row]], list[list[Row]]]:
    """Return what trains the weights for a speaker: sessions, and statements beside them."""
    if speaker == "notes":
        return [note for group in load_notes().values() for note in group], []
    return load_sessions(speaker), [[row] for row in load_statements(speaker)]


def fit_all(*, report: bool = False) -> dict[str, Any]:
    """Return the weights for notes and for each speaker of sessions.

    Args:
        report: Whether to print the cross-validated figures of each, which takes most of the time.
    """
    models = {}
    for speaker in ("notes", *ROLES):
        strength = NOTES if speaker == "notes" else SPEECH
        texts, single = list_texts(speaker)
        names = list_names(single + texts)
        if report:
            title = speaker if speaker == "notes" else f"{speaker}s in sessions"
            measure(title, texts, single, names, strength)
        models[speaker] = make_weights(single + texts, names, strength)
    return models


def main() -> None:
    """Print the cross-validated figures and write the weights."""
    sys.stdout.write("precision/recall at thresholds; each tenth by weights of the others\n")
    data = {"made_by": f"python -m {__spec__.name}", **fit_all(report=True)}
    WEIGHTS.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
