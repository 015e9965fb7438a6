"""Fit the weights of marked statements: ``python -m crewmem.consolidation.training.fit``.

Reads notes.txt beside it, which was written for this purpose, prints how well each tenth of the
notes is told from weights fitted on the others, and writes ``weights.json``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from crewmem.consolidation.cues import find_cues
from crewmem.consolidation.statements import read_statements

STRENGTH = 1.0
"""L2 penalty. Between 0.5 and 2 the cross-validated loss changes by less than 0.005."""

RARE = 3
"""Cues that fewer statements have get no weight."""

PARTS = 10

MARK = re.compile(r"[ \t]*\^(\w+)[ \t]*(?=\|?$)", re.MULTILINE)


def load_notes() -> list[list[tuple[dict[str, float], bool]]]:
    """Return the statements of each note: their cues, and whether they are lasting."""
    text = Path(__file__).with_name("notes.txt").read_text("utf-8")
    notes = []
    for note in text.split("%%\n")[1:]:
        lines = note.split("\n")
        marked = {number for number, line in enumerate(lines, 1) if MARK.search(line)}
        clean = MARK.sub(" ", note)
        notes.append(
            [
                (find_cues(each), not marked.isdisjoint(range(each.first_line, each.last_line + 1)))
                for each in read_statements(clean)
            ]
        )
    return notes


def fit(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Fit a logistic regression by Newton's method; the last weight is the bias."""
    matrix = np.hstack([rows, np.ones((len(rows), 1))])
    weights = np.zeros(matrix.shape[1])
    penalty = np.full(matrix.shape[1], STRENGTH)
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


def main() -> None:
    """Print the cross-validated figures and write the weights."""
    notes = load_notes()
    counts: dict[str, int] = {}
    for note in notes:
        for cues, _ in note:
            for name in cues:
                counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= RARE)
    place = {name: index for index, name in enumerate(names)}

    def matrix(chosen: list[list[tuple[dict[str, float], bool]]]) -> tuple[np.ndarray, np.ndarray]:
        flat = [row for note in chosen for row in note]
        rows = np.zeros((len(flat), len(names)))
        for number, (cues, _) in enumerate(flat):
            for name, value in cues.items():
                if name in place:
                    rows[number, place[name]] = value
        return rows, np.array([lasting for _, lasting in flat], dtype=float)

    chances, truth = [], []
    for part in range(PARTS):
        weights = fit(*matrix([note for at, note in enumerate(notes) if at % PARTS != part]))
        rows, labels = matrix([note for at, note in enumerate(notes) if at % PARTS == part])
        chances.append(1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1]))))
        truth.append(labels)
    chance, label = np.concatenate(chances), np.concatenate(truth)
    print(f"{len(notes)} notes, {len(label)} statements, {int(label.sum())} lasting")  # noqa: T201 - a script
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7):
        chosen = chance >= threshold
        right = label[chosen].sum()
        print(  # noqa: T201
            f"threshold {threshold:.1f}: precision {right / max(chosen.sum(), 1):.3f},"
            f" recall {right / label.sum():.3f}"
        )
    weights = fit(*matrix(notes))
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
