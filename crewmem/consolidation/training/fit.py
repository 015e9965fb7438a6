"""Fit the weights of marked statements: ``python -m crewmem.consolidation.training.fit``.

Reads the texts beside it, which were written for this purpose, prints how well each tenth of the
notes is told from weights fitted on the others, and writes ``weights.json``.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from crewmem.consolidation.cues import find_cues
from crewmem.consolidation.statements import Statement, read_statements
from crewmem.sessions.training.fit import fit

STRENGTH = 1.5
"""L2 penalty. Between 0.5 and 2 the cross-validated loss changes by less than 0.005."""

RARE = 3
"""Cues that fewer statements have get no weight."""

PARTS = 10

MARK = re.compile(r"[ \t]*\^[a-z]+\b")
"""Stands behind a sentence that lasts; behind a statement that is not cut, it means all of it."""

Row = tuple[dict[str, float], bool]


def load_notes() -> dict[str, list[list[Row]]]:
    """Return the statements of each note by file: their cues, and whether they are lasting."""
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


def make_matrix(notes: list[list[Row]], names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return a row of cues a statement, and which statements are lasting."""
    place = {name: index for index, name in enumerate(names)}
    flat = [row for note in notes for row in note]
    rows = np.zeros((len(flat), len(names)))
    for number, (cues, _) in enumerate(flat):
        for name, value in cues.items():
            if name in place:
                rows[number, place[name]] = value
    return rows, np.array([lasting for _, lasting in flat], dtype=float)


def write_figures(name: str, chances: np.ndarray, labels: np.ndarray) -> None:
    """Print precision and recall at some thresholds."""
    figures = []
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7):
        chosen = chances >= threshold
        right = labels[chosen].sum()
        precision, recall = right / max(chosen.sum(), 1), right / max(labels.sum(), 1)
        figures.append(f"{threshold:.1f}: {precision:.2f}/{recall:.2f}")
    sys.stdout.write(f"{name} ({len(labels)}, {int(labels.sum())} lasting): {', '.join(figures)}\n")


def main() -> None:
    """Print the cross-validated figures and write the weights."""
    files = load_notes()
    notes = [note for group in files.values() for note in group]
    counts = Counter(name for note in notes for cues, _ in note for name in cues)
    names = sorted(name for name, count in counts.items() if count >= RARE)
    sys.stdout.write("precision/recall at thresholds; each tenth by weights of the others\n")
    chances, truth = [], []
    for part in range(PARTS):
        weights = fit(
            *make_matrix([n for at, n in enumerate(notes) if at % PARTS != part], names), STRENGTH
        )
        rows, labels = make_matrix([n for at, n in enumerate(notes) if at % PARTS == part], names)
        chances.append(1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1]))))
        truth.append(labels)
    write_figures("all", np.concatenate(chances), np.concatenate(truth))
    for held, group in files.items():
        rest = [note for name, others in files.items() if name != held for note in others]
        weights = fit(*make_matrix(rest, names), STRENGTH)
        rows, labels = make_matrix(group, names)
        write_figures(
            f"{held}, by the others", 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1]))), labels
        )
    weights = fit(*make_matrix(notes, names), STRENGTH)
    data = {
        "made_by": "python -m crewmem.consolidation.training.fit",
        "bias": round(float(weights[-1]), 3),
        "weights": {
            name: round(float(weight), 3)
            for name, weight in zip(names, weights[:-1], strict=True)
            if abs(weight) >= 0.0005
        },
    }
    target = Path(__file__).parent.parent / "weights.json"
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
