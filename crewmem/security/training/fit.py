"""Fit the weights of the classifier: `python -m crewmem.security.training.fit`.

A logistic regression with ridge, in numpy. The text is beside this script; a line is a
passage. `attacks.txt`, `ordinary.txt`, `chats.txt` and `workspaces.txt` were written for
crewmem. `documentation.txt` is from the documentation and the docstrings of Python (PSF
licence) and of click, httpx, jinja2, starlette, uvicorn, fsspec (BSD), rich, mcp, pip, pytest,
pydantic, anyio, PyJWT (MIT), huggingface_hub and cryptography (Apache 2.0).

Prints how many held-out passages of each file pass several thresholds. The threshold of
`scanner.py` is chosen from that table, so that few ordinary files have a passage above it.
"""

# ruff: noqa: T201 - a script that reports

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crewmem.security.classifier import (
    BUCKETS,
    CUE_WEIGHT,
    HEADER,
    MAGIC,
    START,
    Window,
    cue_features,
    gram_weight,
    pair_feature,
    skip_feature,
    windows,
    word_features,
)
from crewmem.security.cues import load_cues, split_sentences
from crewmem.security.normalize import fold
from crewmem.storage.filesystem import replace_file

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "data" / "weights.bin"

RIDGE = 2e-5
STEPS = 250
FOLDS = 4
SHARE = {"attacks": 1.0, "ordinary": 0.4, "chats": 0.5, "workspaces": 3.0, "documentation": 2.0}
"""How much a passage of a file counts."""


class Passage(NamedTuple):
    """A line of training text, cut into what the scanner judges as one."""

    file: str
    is_attack: bool
    windows: list[Window]


def load_passages() -> list[Passage]:
    """Read all training text."""
    found = []
    for name in SHARE:
        path = HERE / f"{name}.txt"
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            if line.strip():
                text = fold(line.replace("\\n", "\n")).text
                if parts := windows(split_sentences(text, load_cues())):
                    found.append(Passage(name, name == "attacks", parts))
    return found


class Matrix(NamedTuple):
    """Sparse rows: windows of passages."""

    indices: Any
    values: Any
    starts: Any


def build_matrix(rows: list[Window]) -> Matrix:
    """Return the features of *rows*."""
    indices: list[int] = []
    values: list[float] = []
    starts = [0]
    for tokens, mask in rows:
        norm = (len(tokens) + 3) ** -0.5
        before, last = 0, START
        for token in tokens:
            own, grams = word_features(token)
            indices.append(own % BUCKETS)
            values.append(norm)
            indices += grams
            values += [norm * gram_weight(len(grams))] * len(grams)
            indices.append(pair_feature(last, own))
            values.append(norm)
            if before:
                indices.append(skip_feature(before, own))
                values.append(norm)
            before, last = last, own
        cues = cue_features(mask)
        indices += cues
        values += [CUE_WEIGHT] * len(cues)
        starts.append(len(indices))
    return Matrix(np.array(indices), np.array(values), np.array(starts))


def score_rows(matrix: Matrix, weights: Any, bias: float) -> Any:
    """Return the raw score of each row."""
    sums = np.concatenate([[0.0], np.cumsum(weights[matrix.indices] * matrix.values)])
    return sums[matrix.starts[1:]] - sums[matrix.starts[:-1]] + bias


def fit(matrix: Matrix, labels: Any, shares: Any) -> tuple[Any, float]:
    """Return weights and bias (Adam on all rows, ridge)."""
    weights = np.zeros(BUCKETS)
    bias = 0.0
    shares = shares / shares.sum()
    lengths = np.diff(matrix.starts)
    first = np.zeros(BUCKETS + 1)
    second = np.zeros(BUCKETS + 1)
    for step in range(1, STEPS + 1):
        scores = score_rows(matrix, weights, bias)
        errors = (1.0 / (1.0 + np.exp(-scores)) - labels) * shares
        per_entry = np.repeat(errors, lengths) * matrix.values
        slope = np.bincount(matrix.indices, per_entry, BUCKETS) + RIDGE * weights
        slope = np.append(slope, errors.sum())
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        rate = 0.1 * min(1.0, 2.0 * (1 - step / STEPS) + 0.02)
        change = rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
        weights -= change[:-1]
        bias -= change[-1]
    return weights, bias


def fit_passages(passages: list[Passage]) -> tuple[Any, float]:
    """Fit to *passages*: of an attack the longest window, of ordinary text each."""
    rows: list[Window] = []
    labels: list[float] = []
    shares: list[float] = []
    for passage in passages:
        if passage.is_attack:
            # The longest stands for all: of two sentences often only one is the order.
            parts = [max(passage.windows, key=lambda window: len(window.tokens))]
        else:
            parts = passage.windows
        for part in parts:
            rows.append(part)
            labels.append(1.0 if passage.is_attack else 0.0)
            shares.append(SHARE[passage.file])
    return fit(build_matrix(rows), np.array(labels), np.array(shares))


def score_passages(passages: list[Passage], weights: Any, bias: float) -> Any:
    """Return for each passage the highest score of its windows."""
    rows = [window for passage in passages for window in passage.windows]
    scores = score_rows(build_matrix(rows), weights, bias)
    best = []
    at = 0
    for passage in passages:
        best.append(scores[at : at + len(passage.windows)].max())
        at += len(passage.windows)
    return np.array(best)


def cross_validate(passages: list[Passage]) -> float:
    """Print what is found of passages that the fit was not shown. Returns the steepness."""
    dice = random.Random(7)  # noqa: S311 - folds, no secret
    folds = [dice.randrange(FOLDS) for _ in passages]
    scores = np.zeros(len(passages))
    for fold_number in range(FOLDS):
        shown = [p for p, f in zip(passages, folds, strict=True) if f != fold_number]
        held = [i for i, f in enumerate(folds) if f == fold_number]
        weights, bias = fit_passages(shown)
        scores[held] = score_passages([passages[i] for i in held], weights, bias)
    labels = np.array([p.is_attack for p in passages])
    best_steepness, best_loss = 1.0, np.inf
    for steepness in np.arange(0.3, 3.0, 0.05):
        chance = 1 / (1 + np.exp(-np.clip(steepness * scores, -30, 30)))
        loss = -np.log(np.where(labels, chance, 1 - chance) + 1e-9).mean()
        if loss < best_loss:
            best_steepness, best_loss = float(steepness), loss
    chance = 1 / (1 + np.exp(-best_steepness * scores))
    print(f"steepness {best_steepness:.2f}, loss {best_loss:.3f}")
    kinds = sorted({p.file for p in passages})
    levels = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
    print(f"{'file':16} {'passages':>8} " + " ".join(f"{level:>6}" for level in levels))
    for kind in [*kinds, "all attacks", "all ordinary"]:
        if kind.startswith("all"):
            chosen = labels if kind == "all attacks" else ~labels
        else:
            chosen = np.array([p.file == kind for p in passages])
        row = " ".join(f"{(chance[chosen] >= level).mean():6.3f}" for level in levels)
        print(f"{kind:16} {chosen.sum():8d} {row}")
    return best_steepness


def save(weights: Any, bias: float, steepness: float) -> None:
    """Write the weights as bytes with a sign."""
    scale = float(np.quantile(np.abs(weights[weights != 0]), 0.9995)) / 127
    small = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    data = HEADER.pack(MAGIC, BUCKETS, scale, bias, steepness) + small.tobytes()
    replace_file(WEIGHTS, data, mode=0o644)
    print(f"{WEIGHTS.name}: {len(data)} bytes")


def main() -> None:
    """Cross-validate, unless `--fast`, then fit to everything and save."""
    passages = load_passages()
    print(f"{len(passages)} passages, {sum(p.is_attack for p in passages)} attacks")
    steepness = 1.0 if "--fast" in sys.argv else cross_validate(passages)
    weights, bias = fit_passages(passages)
    save(weights, bias, steepness)


if __name__ == "__main__":
    main()
