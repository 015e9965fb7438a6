"""Fit the weights of lasting statements: ``python -m crewmem.sessions.training.fit``.

Reads statements.txt and sessions.txt beside it, which were made up for this purpose, prints how
well each tenth is told from weights fitted on the others, and writes ``weights.json``.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np

from crewmem.sessions.cues import SURE_CHANCE, find_cues, load_families
from crewmem.sessions.statements import find_places, read_statements
from crewmem.sessions.turns import ASSISTANT, USER

STRENGTH = 4.0
"""L2 penalty. From 2 to 8 the cross-validated precision changes by less than 0.02."""

RARE = 3
"""Cues that fewer statements have get no weight."""

PARTS = 10

THRESHOLDS = {"user": 0.6, "agent": 0.8}
"""Least probability of what is kept. Of sessions.txt, told by the other sessions, .88 of what
persons said from there on is right, and .83 of what agents said, of which `judge` leaves out what
is in no known phrase: in real logs agents say ten times more that passes."""


def write(line: str) -> None:
    """Write a line of figures."""
    sys.stdout.write(f"{line}\n")


Example = tuple[dict[str, float], bool]

MARK = re.compile(r"\s*\^[a-z]+\b")


def load_statements() -> dict[str, list[Example]]:
    """Return the cues of single statements by speaker, and whether they are lasting."""
    found: dict[str, list[Example]] = {"user": [], "agent": []}
    speaker = "user"
    for line in Path(__file__).with_name("statements.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            speaker = line.strip("[]")
        elif line.startswith(("+ ", "- ")):
            text = line[2:].partition(" | ")[2] if line[0] == "+" else line[2:]
            role = ROLES[speaker]
            statements = read_statements(text, role)
            for statement in statements[:1]:
                found[speaker].append((find_cues(statement, role), line[0] == "+"))
    return found


ROLES = {"user": USER, "agent": ASSISTANT}


def parse_sessions(text: str) -> list[list[tuple[str, str]]]:
    """Return the turns of made-up sessions, as role and text with the marks of what lasts."""
    found = []
    for session in text.split("%%\n")[1:]:
        said = re.split(r"^(user|agent): ", session, flags=re.MULTILINE)[1:]
        found.append(
            [(ROLES[name], text) for name, text in zip(said[::2], said[1::2], strict=True)]
        )
    return found


def load_sessions() -> dict[str, list[list[Example]]]:
    """Return the same of whole sessions, where each turn has a place: by speaker and session."""
    found: dict[str, list[list[Example]]] = {"user": [], "agent": []}
    text = Path(__file__).with_name("sessions.txt").read_text("utf-8")
    speakers = {role: name for name, role in ROLES.items()}
    for turns in parse_sessions(text):
        read = [read_statements(MARK.sub("", text), role) for role, text in turns]
        places = find_places([(role, each) for (role, _), each in zip(turns, read, strict=True)])
        examples: dict[str, list[Example]] = {"user": [], "agent": []}
        for (role, text), statements, place in zip(turns, read, places, strict=True):
            ends = [text[: mark.start()].replace("*", "")[-12:] for mark in MARK.finditer(text)]
            for each in statements:
                is_lasting = any(each.whole.replace("*", "").endswith(end) for end in ends)
                examples[speakers[role]].append((find_cues(each, role, place), is_lasting))
        for speaker, group in examples.items():
            found[speaker].append(group)
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


def write_figures(chances: np.ndarray, labels: np.ndarray) -> None:
    """Write precision and recall at some thresholds."""
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        kept = chances >= threshold
        precision = labels[kept].sum() / max(kept.sum(), 1)
        recall = labels[kept].sum() / labels.sum()
        write(f"  from {threshold:.2f}: precision {precision:.2f}, recall {recall:.2f}")


def fit_speaker(
    single: list[Example], sessions: list[list[Example]], threshold: float
) -> dict[str, object]:
    """Return threshold, bias and weights, and print the cross-validated figures."""
    examples = single + [each for session in sessions for each in session]
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
    # A session is in one part with all that was said in it.
    parts = np.random.default_rng(1).permutation(len(single)) % PARTS
    of_sessions = [number % PARTS for number, each in enumerate(sessions) for _ in each]
    parts = np.concatenate([parts, np.array(of_sessions, dtype=int)])
    chances = np.zeros(len(examples))
    for part in range(PARTS):
        weights = fit(rows[parts != part], labels[parts != part], STRENGTH)
        held = rows[parts == part]
        chances[parts == part] = 1 / (1 + np.exp(-(held @ weights[:-1] + weights[-1])))
    sure = {f"says {family.name}" for family in load_families() if family.sure}
    for number, (cues, _) in enumerate(examples):
        if sure & cues.keys():
            chances[number] = max(chances[number], SURE_CHANCE)
    write(f"{len(labels)} statements, {int(labels.sum())} lasting, {len(names)} cues; of sessions:")
    write_figures(chances[len(single) :], labels[len(single) :])
    weights = fit(rows, labels, STRENGTH)
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
    single, sessions = load_statements(), load_sessions()
    for speaker, threshold in THRESHOLDS.items():
        write(speaker)
        data[speaker] = fit_speaker(single[speaker], sessions[speaker], threshold)
    target = Path(__file__).parent.parent / "weights.json"
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
