"""Fit the weights of lasting statements: ``python -m crewmem.consolidation.training.fit``.

There is a model for what people say in sessions, one for what agents say in them, and one for
notes. Each is fitted on text that was written for this purpose, here and in
``sessions/training``. Prints how well each tenth of a text is told from weights fitted on the
others, and writes ``weights.json`` of both packages.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from crewmem.consolidation.cues import find_cues
from crewmem.consolidation.statements import Statement, read_statements
from crewmem.sessions.training.texts import Row, load_sessions, load_statements

SPEECH, NOTES = 4.0, 1.5
"""L2 penalties. From 2 to 8 the cross-validated precision of speech changes by less than 0.02, and
between 0.5 and 2 the loss of notes by less than 0.005."""

RARE = 3
"""Cues that fewer statements have get no weight."""

PARTS = 10

THRESHOLDS = {"user": 0.6, "agent": 0.8}
"""Least probability of what is kept of a session. Of sessions.txt, told by the others, .87 of what
persons said from there on is right, and .85 of what agents said, of which `judge` leaves out what
is in no known phrase: in real logs agents say ten times more that passes."""

MARK = re.compile(r"[ \t]*\^[a-z]+\b")
"""Stands behind a sentence that lasts; behind a statement that is not cut, it means all of it."""

PACKAGES = Path(__file__).parent.parent.parent


def load_notes() -> dict[str, list[list[Row]]]:
    """Return the statements of each note by file."""
    found: dict[str, list[list[Row]]] = {}
    for path in sorted(Path(__file__).parent.glob("*.txt")):
        for note in path.read_text("utf-8").split("%%\n")[1:]:
            ends: dict[int, list[str]] = {}
            for number, line in enumerate(note.split("\n"), 1):
                for mark in MARK.finditer(line):
                    said = MARK.sub("", line[: mark.start()])
                    ends.setdefault(number, []).append(said.rstrip("| ").replace("*", "")[-12:])
            statements = read_statements(MARK.sub("", note))
            found.setdefault(path.stem, []).append(
                [(find_cues(each), _is_lasting(each, ends)) for each in statements]
            )
    return found


def _is_lasting(statement: Statement, ends: dict[int, list[str]]) -> bool:
    marked = [
        end
        for number in range(statement.first_line, statement.last_line + 1)
        for end in ends.get(number, ())
    ]
    if statement.follows or statement.is_cut:
        return any(statement.text.replace("*", "").endswith(end) for end in marked)
    return bool(marked)


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


def write_weights(package: str, data: dict[str, Any]) -> None:
    """Write the weights of a package, and what made them."""
    data = {"made_by": f"python -m {__spec__.name}", **data}
    target = PACKAGES / package / "weights.json"
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Print the cross-validated figures and write the weights."""
    sys.stdout.write("precision/recall at thresholds; each tenth by weights of the others\n")
    speakers = {}
    for speaker, threshold in THRESHOLDS.items():
        single = [[row] for row in load_statements(speaker)]
        sessions = load_sessions(speaker)
        names = list_names(single + sessions)
        measure(f"{speaker}s in sessions", sessions, single, names, SPEECH)
        model = make_weights(single + sessions, names, SPEECH)
        speakers[speaker] = {"threshold": threshold, **model}
    write_weights("sessions", speakers)

    files = load_notes()
    notes = [note for group in files.values() for note in group]
    names = list_names(notes)
    measure("notes", notes, [], names, NOTES)
    write_weights("consolidation", make_weights(notes, names, NOTES))


if __name__ == "__main__":
    main()
