"""Train the models of lasting statements: ``python -m crewmem.consolidation.training.fit``.

There is a model for notes, one for what people say in sessions, and one for what agents say in
sessions. The training texts are beside this script, and were written for this purpose. The script
prints the precision and recall of each model by tenfold cross-validation, and writes
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

SPEECH_PENALTY, NOTES_PENALTY = 2.0, 1.5
"""L2 penalties of the weights. From 2 to 8 the cross-validated precision of speech changes by less
than 0.02, and between 0.5 and 2 the loss of notes by less than 0.005."""

MIN_STATEMENTS = 3
"""Minimum number of statements with a cue; rarer cues get no weight."""

FOLDS = 10
"""Number of parts in cross-validation."""

TEXTS = Path(__file__).parent

WEIGHTS = Path(lasting.__file__).with_suffix(".json")

NOTE_TEXTS = ("assistants", "banks", "devlogs", "diaries", "logbooks", "notes")

ROLES = {"user": USER, "agent": ASSISTANT}

MARK = re.compile(r"[ \t]*\^[a-z]+\b")
"""The mark after a lasting sentence. After a statement of one sentence, it marks the statement."""


def load_notes() -> list[list[Row]]:
    """Return the statements of each note."""
    notes = []
    for name in NOTE_TEXTS:
        for note in (TEXTS / f"{name}.txt").read_text("utf-8").split("%%\n")[1:]:
            ends: dict[int, list[str]] = {}
            for number, line in enumerate(note.split("\n"), 1):
                for mark in MARK.finditer(line):
                    text = MARK.sub("", line[: mark.start()])
                    ends.setdefault(number, []).append(text.rstrip("| ").replace("*", "")[-12:])
            statements = read_statements(MARK.sub("", note))
            notes.append([(find_cues(each), _is_lasting(each, ends)) for each in statements])
    return notes


def _is_lasting(statement: Statement, ends: dict[int, list[str]]) -> bool:
    """Return whether a statement of a note is marked.

    Args:
        ends: Last characters of the marked sentences, by line.
    """
    marked = [
        end
        for number in range(statement.first_line, statement.last_line + 1)
        for end in ends.get(number, ())
    ]
    if statement.sentence:
        return any(statement.text.replace("*", "").endswith(end) for end in marked)
    return bool(marked)


def load_statements(speaker: str) -> list[Row]:
    """Return the single statements of a speaker, which are not part of a session."""
    rows: list[Row] = []
    section = ""
    for line in (TEXTS / "statements.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif section == speaker and line.startswith(("+ ", "- ")):
            text = line[2:].partition(" | ")[2] if line[0] == "+" else line[2:]
            statements = extract_statements(text, ROLES[speaker])[:1]
            rows += [(find_speech_cues(each, None), line[0] == "+") for each in statements]
    return rows


def parse_sessions(text: str) -> list[list[tuple[str, str]]]:
    """Return the turns of each session of a training text, as (role, text with marks)."""
    sessions = []
    for session in text.split("%%\n")[1:]:
        parts = re.split(r"^(user|agent): ", session, flags=re.MULTILINE)[1:]
        sessions.append(
            [(ROLES[name], turn) for name, turn in zip(parts[::2], parts[1::2], strict=True)]
        )
    return sessions


def load_sessions(speaker: str) -> list[list[Row]]:
    """Return the statements of a speaker in each session."""
    sessions = []
    text = (TEXTS / "sessions.txt").read_text("utf-8")
    for turns in parse_sessions(text):
        by_turn = [extract_statements(MARK.sub("", text), role) for role, text in turns]
        places = list_turn_places(
            [(role, statements) for (role, _), statements in zip(turns, by_turn, strict=True)]
        )
        rows = []
        for (role, text), statements, place in zip(turns, by_turn, places, strict=True):
            if role == ROLES[speaker]:
                ends = [text[: mark.start()].replace("*", "")[-12:] for mark in MARK.finditer(text)]
                for each in statements:
                    is_lasting = any(each.full_text.replace("*", "").endswith(end) for end in ends)
                    rows.append((find_speech_cues(each, place), is_lasting))
        sessions.append(rows)
    return sessions


def fit(rows: np.ndarray, labels: np.ndarray, penalty: float) -> np.ndarray:
    """Return the weights of a logistic regression, fitted by Newton's method; the last is the bias.

    Args:
        penalty: L2 penalty of the weights, except the bias.
    """
    matrix = np.hstack([rows, np.ones((len(rows), 1))])
    weights = np.zeros(matrix.shape[1])
    penalties = np.full(matrix.shape[1], penalty)
    penalties[-1] = 0.01
    for _ in range(30):
        probabilities = 1 / (1 + np.exp(-matrix @ weights))
        gradient = matrix.T @ (probabilities - labels) + penalties * weights
        variances = probabilities * (1 - probabilities)
        hessian = (matrix * variances[:, None]).T @ matrix + np.diag(penalties)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def make_matrix(groups: list[list[Row]], names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix of statements and cues, and the label of each statement: 1 for lasting."""
    column = {name: index for index, name in enumerate(names)}
    flat = [row for group in groups for row in group]
    rows = np.zeros((len(flat), len(names)))
    for number, (cues, _) in enumerate(flat):
        for name, value in cues.items():
            if name in column:
                rows[number, column[name]] = value
    return rows, np.array([lasting for _, lasting in flat], dtype=float)


def measure(
    title: str, texts: list[list[Row]], others: list[list[Row]], names: list[str], penalty: float
) -> None:
    """Print the cross-validated precision and recall for *texts* at several thresholds.

    Args:
        others: Statements that are always in the training set and are not measured.
    """
    predictions, truths = [], []
    for fold in range(FOLDS):
        training = [text for number, text in enumerate(texts) if number % FOLDS != fold]
        weights = fit(*make_matrix(training + others, names), penalty)
        rows, labels = make_matrix(texts[fold::FOLDS], names)
        predictions.append(1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1]))))
        truths.append(labels)
    probabilities, labels = np.concatenate(predictions), np.concatenate(truths)
    figures = []
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        predicted = probabilities >= threshold
        right = labels[predicted].sum()
        precision, recall = right / max(predicted.sum(), 1), right / max(labels.sum(), 1)
        figures.append(f"{threshold:.1f}: {precision:.2f}/{recall:.2f}")
    sys.stdout.write(
        f"{title} ({len(labels)}, {int(labels.sum())} lasting): {', '.join(figures)}\n"
    )


def list_names(groups: list[list[Row]]) -> list[str]:
    """Return the cues that are not rare."""
    counts = Counter(name for group in groups for cues, _ in group for name in cues)
    return sorted(name for name, count in counts.items() if count >= MIN_STATEMENTS)


def make_weights(groups: list[list[Row]], names: list[str], penalty: float) -> dict[str, Any]:
    """Return the bias and the weights, without very small ones."""
    weights = fit(*make_matrix(groups, names), penalty)
    named = zip(names, weights[:-1], strict=True)
    return {
        "bias": round(float(weights[-1]), 3),
        "weights": {name: round(float(each), 3) for name, each in named if abs(each) >= 0.005},
    }


def list_texts(speaker: str) -> tuple[list[list[Row]], list[list[Row]]]:
    """Return the training texts of a model: notes or sessions, and single statements."""
    if speaker == "notes":
        return load_notes(), []
    return load_sessions(speaker), [[row] for row in load_statements(speaker)]


def fit_all(*, report: bool = False) -> dict[str, Any]:
    """Return the weights of each model.

    Args:
        report: Whether to print the cross-validated figures, which takes most of the time.
    """
    models = {}
    for speaker in ("notes", *ROLES):
        penalty = NOTES_PENALTY if speaker == "notes" else SPEECH_PENALTY
        texts, single = list_texts(speaker)
        names = list_names(single + texts)
        if report:
            title = speaker if speaker == "notes" else f"{speaker}s in sessions"
            measure(title, texts, single, names, penalty)
        models[speaker] = make_weights(single + texts, names, penalty)
    return models


def main() -> None:
    """Print the cross-validated figures and write the weights."""
    sys.stdout.write("precision/recall at thresholds, by tenfold cross-validation\n")
    data = {"made_by": f"python -m {__spec__.name}", **fit_all(report=True)}
    WEIGHTS.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
