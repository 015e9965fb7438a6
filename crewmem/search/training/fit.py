"""Fit the weights of relevance and check them on stores that they were not fitted on.

    python -m crewmem.search.training.fit STORES CONVERSATIONS RECORDS... [--write]

STORES is a folder of small stores, each with corpus.jsonl (id, kind: fact, entry or note; text, ts,
author) and queries.jsonl (id, query, relevant ids; none when nothing answers). CONVERSATIONS has
corpus.jsonl (id, text, timestamp, speaker, conversation, session) and queries.jsonl (id, text,
conversation, relevant, answerable). Questions of other conversations are foreign ones.

RECORDS are like
CONVERSATIONS, of long texts such as abstracts: passages of files are as long.

Statements are fitted on the stores, remarks on the conversations; each with the embedder that is
installed and by words alone. (The weights that are shipped saw MiniLM and a multilingual model.) A
logistic regression with a ridge, on the first candidates of each question; every store weighs the
same.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.documents import Document
from crewmem.embeddings.local import open_local
from crewmem.search.candidates import Collector
from crewmem.search.features import compute_features
from crewmem.search.ranker import rank
from crewmem.search.relevance import BY_WORDS, FEATURES, list_features
from crewmem.search.sources import Source
from crewmem.search.training.texts import Embed, TextStore, TextVectors

STORE_OF_KIND = {"fact": "facts", "entry": "journal", "note": "memory"}

CANDIDATES = 10
"""Best candidates of a question that are fitted: others are hardly shown."""

RIDGE = 3.0

SHARP_FROM, SHARP_TO = (0.54, 0.72), (0.16, 0.65)
"""Probabilities of statements by words alone, and what they are moved to: the two thresholds."""

FOREIGN = 150
"""Questions of others that each conversation is asked."""

TODAY = date(2026, 6, 1)


class Model(NamedTuple):
    """An embedder for fitting: of queries and texts, and how it cuts long ones."""

    name: str
    embed: Embed
    split: Callable[[str], Sequence[str]]


class Example(NamedTuple):
    """A candidate of a question: its features, and whether it answers."""

    group: str
    values: list[float]
    answers: bool


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def read_store(folder: Path) -> tuple[dict[str, list[Document]], list[dict[str, Any]]]:
    """Return the documents of a small store by name of our store, and its questions."""
    stores: dict[str, list[Document]] = {}
    for key, row in enumerate(read_lines(folder / "corpus.jsonl"), start=1):
        name = STORE_OF_KIND[row["kind"]]
        document = Document(
            name, key, row["id"], "", row["text"], row["ts"], "workspace", "", row["kind"],
            "operator", author=row.get("author", ""),
        )  # fmt: skip
        stores.setdefault(name, []).append(document)
    return stores, read_lines(folder / "queries.jsonl")


def read_conversations(
    folder: Path,
) -> Iterator[tuple[str, list[Document], list[dict[str, Any]]]]:
    """Yield name, documents and questions of each conversation."""
    rows = read_lines(folder / "corpus.jsonl")
    queries = [row for row in read_lines(folder / "queries.jsonl") if not row.get("skip")]
    for name in dict.fromkeys(row["conversation"] for row in queries):
        documents = [
            Document(
                "journal", key, row["id"], "", row["text"],
                row.get("timestamp") or "2026-01-01T00:00:00", "workspace", "", "", "agent",
                author=row.get("speaker") or "", group=row.get("session") or "",
            )
            for key, row in enumerate(
                (row for row in rows if row["conversation"] == name), start=1
            )
        ]  # fmt: skip
        yield name, documents, [row for row in queries if row["conversation"] == name]


def make_collector(stores: Mapping[str, Sequence[Document]], model: Model | None) -> Collector:
    """Return a collector over *stores* in memory."""
    vectors = None
    if model:
        collections = {("w", name): documents for name, documents in stores.items()}
        vectors = TextVectors(collections, model.embed, model.split)
    sources = []
    for name, documents in stores.items():
        authors = sorted({each.author for each in documents} - {""}) if name == "journal" else []
        store = TextStore(documents, authors=authors)
        sources.append(Source(name, store, collection=("w", name) if model else None))
    return Collector(sources, vectors, asker="", today=TODAY)


def collect_examples(
    collector: Collector,
    questions: Sequence[tuple[str, Sequence[str]]],
    model: Model | None,
    group: str,
) -> list[list[Example]]:
    """Return the examples of each of *questions*: text and refs that answer."""
    found = []
    for text, relevant in questions:
        read = collector.read(text)
        vector = model.embed([read.rest])[0] if model else None
        collected = collector.collect(read, vector)
        features = compute_features(read.question, collected.candidates, collected.offered)
        ranked = rank(collected.candidates, features, has_words=any(read.question.weights))
        examples = []
        for hit in ranked[:CANDIDATES]:
            values = list_features(hit, read.question, ranked[0].score, 1.0)
            answers = hit.candidate.document.ref in relevant
            examples.append(Example(group, [values[name] for name in FEATURES], answers))
        found.append(examples)
    return found


def fit_logistic(examples: Sequence[Example], features: Sequence[str]) -> dict[str, float]:
    """Return bias and weights by a ridge regression on standardised values."""
    columns = [FEATURES.index(name) for name in features]
    values = np.array([each.values for each in examples])[:, columns]
    answers = np.array([each.answers for each in examples], float)
    # Questions differ in number between groups: each group weighs the same.
    sizes: dict[str, int] = {}
    for each in examples:
        sizes[each.group] = sizes.get(each.group, 0) + 1
    mean_size = len(examples) / len(sizes)
    weights = np.array([mean_size / sizes[each.group] for each in examples])
    mean, deviation = values.mean(0), values.std(0) + 1e-9
    rows = np.c_[np.ones(len(values)), (values - mean) / deviation]
    ridge = np.eye(rows.shape[1]) * RIDGE
    ridge[0, 0] = 0.0
    beta = np.zeros(rows.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-rows @ beta))
        gradient = rows.T @ (weights * (likely - answers)) + ridge @ beta
        hessian = (rows * (weights * likely * (1 - likely))[:, None]).T @ rows + ridge
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    slopes = beta[1:] / deviation
    found = {"bias": float(beta[0] - (slopes * mean).sum())}
    found |= {name: float(slope) for name, slope in zip(features, slopes, strict=True)}
    return {name: round(weight, 3) for name, weight in found.items()}


def sharpen(weights: dict[str, float]) -> dict[str, float]:
    """Return *weights* that give the probabilities SHARP_TO where they gave SHARP_FROM.

    By words alone, what shares a rare word with a question that nothing answers looks like an
    answer. Nobody sees it where the even chance counts as the pull threshold does elsewhere.
    """
    before = [np.log(p / (1 - p)) for p in SHARP_FROM]
    after = [np.log(p / (1 - p)) for p in SHARP_TO]
    slope = (after[1] - after[0]) / (before[1] - before[0])
    found = {name: weight * slope for name, weight in weights.items()}
    found["bias"] += after[0] - slope * before[0]
    return {name: round(float(weight), 3) for name, weight in found.items()}


def collect_statements(folder: Path, models: Sequence[Model | None]) -> list[Example]:
    """Return the examples of all small stores below *folder*."""
    examples = []
    for store in sorted(each for each in folder.iterdir() if (each / "corpus.jsonl").exists()):
        for model in models:
            stores, queries = read_store(store)
            collector = make_collector(stores, model)
            questions = [(row["query"], row["relevant"]) for row in queries]
            for each in collect_examples(collector, questions, model, store.name):
                examples += each
    return examples


def collect_remarks(folder: Path, models: Sequence[Model | None]) -> list[Example]:
    """Return the examples of all conversations of *folder*, with questions of others."""
    chosen = random.Random(1)  # noqa: S311 - the same sample each time
    data = list(read_conversations(folder))
    examples = []
    for model in models:
        for name, documents, queries in data:
            collector = make_collector({"journal": documents}, model)
            own = [(row["text"], row["relevant"]) for row in queries if row["answerable"]]
            others = [row["text"] for other, _, rows in data for row in rows if other != name]
            foreign = chosen.sample(others, min(FOREIGN, len(others)))
            questions = [*own, *((text, ()) for text in foreign)]
            for each in collect_examples(collector, questions, model, name):
                examples += each
    return examples


def collect_long(
    folders: Sequence[Path], models: Sequence[Model | None], foreign: Sequence[str]
) -> list[Example]:
    """Return the examples of long records, each set asked own and *foreign* questions."""
    chosen = random.Random(1)  # noqa: S311 - the same sample each time
    examples = []
    for folder in folders:
        others = [
            row["text"]
            for other in folders
            if other != folder
            for _, _, rows in read_conversations(other)
            for row in rows
        ]
        asked = [*chosen.sample(others, min(FOREIGN, len(others))), *foreign]
        for name, documents, queries in read_conversations(folder):
            own = [(row["text"], row["relevant"]) for row in queries if row["answerable"]]
            own = chosen.sample(own, min(FOREIGN, len(own)))
            for model in models:
                collector = make_collector({"journal": documents}, model)
                questions = [*own, *((text, ()) for text in asked)]
                for each in collect_examples(collector, questions, model, name):
                    examples += each
    return examples


def collect_chatter(stores: Path, conversations: Path) -> list[str]:
    """Return questions that no long record answers: of small stores and of conversations."""
    chosen = random.Random(1)  # noqa: S311 - the same sample each time
    typed = [
        row["query"]
        for store in sorted(stores.iterdir())
        if (store / "queries.jsonl").exists()
        for row in read_lines(store / "queries.jsonl")
    ]
    said = [row["text"] for _, _, rows in read_conversations(conversations) for row in rows]
    return [*typed, *chosen.sample(said, FOREIGN)]


def fit_all(
    stores: Path,
    conversations: Path,
    records: Sequence[Path],
    statement_models: Sequence[Model],
    model: Model,
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the sets of weights."""
    hybrid = [name for name in FEATURES if name not in {"session", "unknown"}]
    by_words = [name for name in FEATURES if name in BY_WORDS]
    of_remarks = [name for name in FEATURES if name != "unknown"]
    statements, remarks = collect_statements, collect_remarks
    foreign = collect_chatter(stores, conversations)
    return {
        "statement": {
            "hybrid": fit_logistic(statements(stores, statement_models), hybrid),
            "words": sharpen(fit_logistic(statements(stores, [None]), by_words)),
        },
        "remark": {
            "hybrid": fit_logistic(remarks(conversations, [model]), of_remarks),
            "words": fit_logistic(remarks(conversations, [None]), by_words),
        },
        "long": {
            "hybrid": fit_logistic(collect_long(records, [model], foreign), hybrid),
            "words": fit_logistic(collect_long(records, [None], foreign), by_words),
        },
    }


def open_minilm() -> Model:
    """Open the embedder of this process; its weights must be installed."""
    context = Context(
        home=None,
        workspace="default",
        access=Access(Actor("operator", "fit"), "default"),
        settings=load_settings(None),
    )
    embedder = open_local(context)
    return Model(embedder.name, embedder.embed, embedder.split)


def main() -> None:
    """Fit with the default model and print or write the weights."""
    folders = [Path(each) for each in sys.argv[1:] if not each.startswith("--")]
    if len(folders) < 3:
        sys.exit(__doc__)
    model = open_minilm()
    weights = fit_all(folders[0], folders[1], folders[2:], [model], model)
    text = json.dumps(weights, indent=1) + "\n"
    if "--write" in sys.argv:
        Path(__file__).parents[1].joinpath("relevance.json").write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
