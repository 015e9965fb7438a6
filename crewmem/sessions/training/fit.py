"""Fit the weights of lasting statements: ``python -m crewmem.sessions.training.fit``.

Reads statements.txt beside it, which was made up for this purpose, prints how well each tenth is
told from weights fitted on the others, and writes ``weights.json`` with the thresholds that follow.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from crewmem.sessions.cues import SURE_CHANCE, find_cues, load_families
from crewmem.sessions.statements import read_statements
from crewmem.sessions.turns import ASSISTANT, USER

STRENGTH = 1.5
"""L2 penalty. From 1 to 2 the cross-validated loss changes by less than 0.01."""

RARE = 3
"""Cues that fewer statements have get no weight."""

PARTS = 10

SHARES = {"user": 0.1, "agent": 0.005}
"""Assumed share of statements that last, much smaller than in statements.txt: in a session of
twenty messages by a person and a thousand sentences by an agent about five of each."""

PRECISION = 0.6
"""Precision aimed at where the share is as assumed; the cap on thresholds may stop below it."""


def write(line: str) -> None:
    """Write a line of figures."""
    sys.stdout.write(f"{line}\n")


Example = tuple[dict[str, float], bool]


def load_examples() -> dict[str, list[Example]]:
    """Return the cues of each statement by speaker, and whether it is lasting."""
    found: dict[str, list[Example]] = {"user": [], "agent": []}
    speaker = "user"
    for line in Path(__file__).with_name("statements.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            speaker = line.strip("[]")
        elif line.startswith(("+ ", "- ")):
            text = line[2:].partition(" | ")[2] if line[0] == "+" else line[2:]
            role = USER if speaker == "user" else ASSISTANT
            statements = read_statements(text, role)
            for statement in statements[:1]:
                found[speaker].append((find_cues(statement, role), line[0] == "+"))
    return found


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


def choose_threshold(chances: np.ndarray, labels: np.ndarray, share: float) -> float:
    """Return the least threshold whose expected precision is `PRECISION`, and print its figures."""
    chosen, precision, found = SURE_CHANCE, 0.0, 0.0
    for threshold in np.arange(0.3, SURE_CHANCE + 0.005, 0.01):
        found = float((chances[labels == 1] >= threshold).mean())
        wrong = float((chances[labels == 0] >= threshold).mean())
        precision = share * found / max(share * found + (1 - share) * wrong, 1e-9)
        chosen = float(round(threshold, 2))
        if precision >= PRECISION:
            break
    write(
        f"  threshold {chosen}: recall {found:.3f},"
        f" precision {precision:.3f} if {share:.0%} of all last"
    )
    return chosen


def fit_speaker(examples: list[Example], share: float) -> dict[str, object]:
    """Return bias, weights and threshold, and print the cross-validated figures."""
    counts: dict[str, int] = {}
    for cues, _ in examples:
        for name in cues:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= RARE)
    place = {name: index for index, name in enumerate(names)}
    rows = np.zeros((len(examples), len(names)))
    for number, (cues, _) in enumerate(examples):
        for name, value in cues.items():
            if name in place:
                rows[number, place[name]] = value
    labels = np.array([lasting for _, lasting in examples], dtype=float)
    order = np.random.default_rng(1).permutation(len(examples))
    chances = np.zeros(len(examples))
    for part in range(PARTS):
        held = order[part::PARTS]
        rest = np.setdiff1d(order, held)
        weights = fit(rows[rest], labels[rest])
        chances[held] = 1 / (1 + np.exp(-(rows[held] @ weights[:-1] + weights[-1])))
    sure = {f"says {family.name}" for family in load_families() if family.sure}
    for number, (cues, _) in enumerate(examples):
        if sure & cues.keys():
            chances[number] = max(chances[number], SURE_CHANCE)
    write(f"{len(labels)} statements, {int(labels.sum())} lasting, {len(names)} cues")
    threshold = choose_threshold(chances, labels, share)
    weights = fit(rows, labels)
    return {
        "threshold": threshold,
        "bias": round(float(weights[-1]), 3),
        "weights": {
            name: round(float(weight), 3)
            for name, weight in zip(names, weights[:-1], strict=True)
            if abs(weight) >= 0.005
        },
    }


def main() -> None:
    """Print the cross-validated figures and write the weights."""
    data: dict[str, object] = {"made_by": "python -m crewmem.sessions.training.fit"}
    for speaker, examples in load_examples().items():
        write(speaker)
        data[speaker] = fit_speaker(examples, SHARES[speaker])
    target = Path(__file__).parent.parent / "weights.json"
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
