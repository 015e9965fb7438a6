"""Fit the weights of relevance, and check them on stores that they were not fitted on.

    python -m crewmem.search.training.fit [--check] [--write] [DOCUMENTATION] [CONVERSATIONS]

Statements are fitted on the small stores of `stores/`, texts and questions written for this: one
file a store, `common.txt` with small talk and far questions that all are asked. A store in English
is fitted with MiniLM and with the multilingual model, others with the latter; all by words alone,
too. Each model has weights of its own; other models take those that are fitted on both together.
`--check` prints what is shown for the questions of each store by weights that were fitted on
others.

DOCUMENTATION, if given, has a directory of markdown for each file of `documentation/`, which has
the questions: passages are fitted on it.

CONVERSATIONS, if given, has corpus.jsonl (id, text, timestamp, speaker, conversation, session) and
queries.jsonl (id, text, conversation, relevant, answerable). Questions of other conversations are
foreign ones. Remarks are fitted on it. Weights for which nothing is given stay as they are.

A logistic regression with a ridge, on the first candidates of each question; every store weighs
the same.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.documents import Document
from crewmem.embeddings.local import MINILM, open_local
from crewmem.embeddings.multilingual import MODEL as MULTILINGUAL
from crewmem.embeddings.multilingual import MultilingualEmbedder
from crewmem.files.memory import Memory
from crewmem.search.candidates import Collector
from crewmem.search.features import compute_features
from crewmem.search.ranker import rank
from crewmem.search.relevance import FEATURES, RELATIVE_CUTOFF, list_features, load_weights
from crewmem.search.sources import Source
from crewmem.search.training.texts import Embed, TextStore, TextVectors

STORE_OF_KIND = {"fact": "facts", "entry": "journal", "note": "memory"}
STORES = Path(__file__).with_name("stores")
DOCUMENTATION = Path(__file__).with_name("documentation")
WEIGHTS = Path(__file__).parents[1] / "relevance.json"

CANDIDATES = 10
"""Best candidates of a question that are fitted: others are hardly shown."""

PASSAGES = 3
"""The same of a question to documentation. Of a file that answers every passage is taken for an
answer, and those further down are none."""

RIDGE = 3.0

THRESHOLDS = (0.15, 0.65)
SHOWN = {
    "passages": (("hard", 0.3), ("hard", 0.08)),
    "passages by words": (("hard", 0.25), ("hard", 0.05)),
    MINILM: (("far", 0.08), ("hard", 0.14)),
    MULTILINGUAL: (("far", 0.12), ("hard", 0.25)),
    "hybrid": (("far", 0.1), ("hard", 0.2)),
    "words": (("hard", 0.2), ("hard", 0.12)),
}
"""For pull and push: the share of questions of a kind without an answer for which anything is
shown. The probabilities at which it is that, on stores that were not fitted, are moved to the two
thresholds."""

FOLDS = 5

WEIGHTS_OF_KINDS = {"far": 0.3, "chatter": 0.3, "hard": 2.0}
"""Weights of questions in the fit. Most questions of the stores are far ones and small talk; what
is hard is to tell an answer from a text of the same topic."""

LARGE, IN_LARGE = 100, 4.0
"""Texts of a large store, and how many times more its far questions and small talk weigh: the more
texts, the nearer the best of them is to any question. Both alike, or small talk would be shown
more."""

FOREIGN = 150
"""Questions of others that each conversation is asked."""

FAR = 25
"""Questions of stores of other domains that each store is asked."""

FAR_OF_PASSAGES = 60
"""The same for documentation."""

BESIDE = (0, 1, 3, 8)
"""How many other stores are put beside a store, so that the weights hold for larger ones, too."""

OF_STATEMENTS = (
    "cosine", "near", "coverage", "whole", "agreement", "gap", "typed", "request", "kind", "nobody",
    "size",
)  # fmt: skip
OF_STATEMENTS_BY_WORDS = (
    "coverage", "whole", "evidence", "gap", "unknown", "typed", "request", "kind", "size",
)  # fmt: skip
OF_REMARKS = (
    "near", "contrast", "coverage", "evidence", "agreement", "gap", "strength", "named", "session",
)  # fmt: skip
OF_REMARKS_BY_WORDS = ("coverage", "evidence", "gap", "strength", "named", "unknown")
OF_PASSAGES = (
    "near", "contrast", "coverage", "evidence", "agreement", "strength", "unknown", "request",
)  # fmt: skip
OF_PASSAGES_BY_WORDS = ("coverage", "evidence", "strength", "unknown", "request")


TODAY = date(2026, 6, 1)


class Model(NamedTuple):
    """An embedder for fitting: of queries and texts, and how it cuts long ones."""

    name: str
    model: str
    embed: Embed
    split: Callable[[str], Sequence[str]]


class Asked(NamedTuple):
    """A question to a small store.

    Attributes:
        kind: lexical, paraphrase, partial, multi, temporal, hard, far or chatter; answered for a
            question to documentation.
        relevant: Refs of what answers it.
    """

    kind: str
    text: str
    relevant: tuple[str, ...]


class SmallStore(NamedTuple):
    """A small store: its documents by name of our store, and its questions.

    Attributes:
        domain: Questions of a store of another domain are far.
    """

    name: str
    language: str
    domain: str
    documents: dict[str, list[Document]]
    questions: list[Asked]


class Example(NamedTuple):
    """A candidate of a question: its features, and whether it answers."""

    group: str
    values: list[float]
    answers: bool


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def read_store(path: Path) -> SmallStore:
    """Read a small store: language, domain, items (kind, day, author, text) and questions.

    A question has its kind and the numbers of the items that answer it, in order of the file.
    """
    documents: dict[str, list[Document]] = {}
    questions: list[Asked] = []
    language, domain, number = "en", "", 0
    for line in path.read_text("utf-8").splitlines():
        head, _, text = line.partition(" | ")
        if line.startswith("language: "):
            language = line.split()[1]
        elif line.startswith("domain: "):
            domain = line.split()[1]
        elif line.startswith("? "):
            kind, *refs = head.split()[1:]
            right = tuple(ref for ref in refs if not ref.startswith("!"))  # ! is superseded
            questions.append(Asked(kind, text, right))
        elif text:
            number += 1
            kind, day, author = head.split()
            store, text = STORE_OF_KIND[kind], text.replace("\\n", "\n")
            heading = text.partition("\n")[0].removeprefix("# ") if kind == "note" else ""
            document = Document(
                store, number, str(number), heading, text, f"{day}T10:00:00.000Z",
                "workspace", "", kind, "operator", author=author,
                labels=(heading,) if heading else (),
            )  # fmt: skip
            documents.setdefault(store, []).append(document)
    return SmallStore(path.stem, language, domain, documents, questions)


def read_stores() -> list[SmallStore]:
    """Return all small stores, each with small talk and with far questions.

    Each is there in several sizes, or the weights would hold for small stores only: alone, and
    with the texts of others, whose questions are not asked then.
    """
    chosen = random.Random(3)  # noqa: S311 - the same sample each time
    read = [read_store(path) for path in sorted(STORES.glob("*.txt"))]
    common = next(each for each in read if not each.documents)
    stores = [each for each in read if each.documents]
    found = []
    for store in stores:
        same = [
            each
            for each in stores
            if (each.language == "en") == (store.language == "en") and each is not store
        ]
        for count in BESIDE:
            beside = chosen.sample(same, min(count, len(same)))
            domains = {each.domain for each in (store, *beside)}
            others = [
                Asked("far", asked.text, ())
                for other in stores
                if other.domain not in domains
                for asked in other.questions
                if asked.relevant and asked.kind != "chatter"
            ]
            asked = [*store.questions, *common.questions, *chosen.sample(others, FAR)]
            documents = _merge([store, *beside])
            found.append(store._replace(documents=documents, questions=asked))
    return found


def read_documentation(folder: Path, stores: Sequence[SmallStore]) -> list[SmallStore]:
    """Return the documentation below *folder*, with its questions, small talk and far questions.

    A passage answers if its file's name has one of the words that the question names.
    """
    chosen = random.Random(5)  # noqa: S311 - the same sample each time
    common = read_store(STORES / "common.txt").questions
    others = [
        asked.text
        for store in {each.name: each for each in stores}.values()
        for asked in store.questions
        if asked.relevant and store.language == "en" and store.domain != "software"
    ]
    found = []
    for path in sorted(DOCUMENTATION.glob("*.txt")):
        store = read_store(path)
        source = Memory(make_context(folder / path.stem), root=folder / path.stem).source
        documents = source.documents([*source.visible_vector_keys().values()])
        questions = [
            asked._replace(
                relevant=tuple(
                    each.ref
                    for each in documents
                    if any(word in each.ref.lower() for word in asked.relevant)
                )
            )
            for asked in store.questions
        ]
        far = [Asked("far", text, ()) for text in chosen.sample(others, FAR_OF_PASSAGES)]
        found.append(
            store._replace(documents={"memory": documents}, questions=[*questions, *common, *far])
        )
    return found


def _merge(stores: Sequence[SmallStore]) -> dict[str, list[Document]]:
    """Return the documents of *stores* with keys of their own; those of the first keep refs."""
    documents: dict[str, list[Document]] = {}
    number = 0
    for at, store in enumerate(stores):
        for name, texts in store.documents.items():
            for text in texts:
                number += 1
                ref = f"{store.name}-{text.ref}" if at else text.ref
                documents.setdefault(name, []).append(text._replace(key=number, ref=ref))
    return documents


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
        stores = {
            name: [each._replace(vector_key=each.key) for each in documents]
            for name, documents in stores.items()
        }
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


def fit_logistic(
    examples: Sequence[Example], features: Sequence[str], shares: Sequence[float] = ()
) -> dict[str, float]:
    """Return bias and weights by a ridge regression on standardised values.

    Args:
        examples: Of all groups.
        features: Names of those that are fitted.
        shares: How much each example counts; by default all the same.
    """
    columns = [FEATURES.index(name) for name in features]
    values = np.array([each.values for each in examples])[:, columns]
    answers = np.array([each.answers for each in examples], float)
    # Questions differ in number between groups: each group weighs the same.
    sizes: dict[str, int] = {}
    for each in examples:
        sizes[each.group] = sizes.get(each.group, 0) + 1
    mean_size = len(examples) / len(sizes)
    weights = np.array([mean_size / sizes[each.group] for each in examples])
    if shares:
        weights *= np.array(shares)
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


def move_to_thresholds(
    weights: dict[str, float], probabilities: tuple[float, float]
) -> dict[str, float]:
    """Return *weights* that give THRESHOLDS where they gave *probabilities*."""
    before = [np.log(p / (1 - p)) for p in probabilities]
    after = [np.log(p / (1 - p)) for p in THRESHOLDS]
    slope = (after[1] - after[0]) / (before[1] - before[0])
    found = {name: weight * slope for name, weight in weights.items()}
    found["bias"] += after[0] - slope * before[0]
    return {name: round(float(weight), 3) for name, weight in found.items()}


def find_probabilities(
    asked: Sequence[tuple[Asked, list[Example]]],
    features: Sequence[str],
    shown: Sequence[tuple[str, float]],
) -> tuple[float, float]:
    """Return at which probabilities what *shown* says is shown, on stores that were not fitted."""
    best: dict[str, list[float]] = {kind: [] for kind, _ in shown}
    stores = sorted({found[0].group for _, found in asked if found})
    for fold in range(FOLDS):
        held = set(stores[fold::FOLDS])
        fitted = [each for each in asked if each[1] and each[1][0].group not in held]
        weights = fit_weighted(fitted, features)
        for one, found in asked:
            if found and found[0].group in held and one.kind in best and not one.relevant:
                best[one.kind].append(max(_probability(each, weights) for each in found))
    pull, push = (float(np.quantile(best[kind], 1.0 - share)) for kind, share in shown)
    return pull, push


def collect_by_question(
    stores: Sequence[SmallStore], models: Sequence[Model | None], limit: int = CANDIDATES
) -> list[tuple[Asked, list[Example]]]:
    """Return the first *limit* examples of each question; MiniLM reads English only."""
    found = []
    for store in stores:
        for model in models:
            if model and model.name == "minilm" and store.language != "en":
                continue
            collector = make_collector(store.documents, model)
            questions = [(asked.text, asked.relevant) for asked in store.questions]
            examples = collect_examples(collector, questions, model, store.name)
            found += [
                (asked, each[:limit]) for asked, each in zip(store.questions, examples, strict=True)
            ]
    return found


def fit_to_thresholds(
    asked: Sequence[tuple[Asked, list[Example]]], features: Sequence[str], way: str
) -> dict[str, float]:
    """Return weights that give the thresholds what SHOWN says."""
    probabilities = find_probabilities(asked, features, SHOWN[way])
    return move_to_thresholds(fit_weighted(asked, features), probabilities)


def fit_weighted(
    asked: Sequence[tuple[Asked, list[Example]]], features: Sequence[str]
) -> dict[str, float]:
    """Fit on all questions but those about versions: these are settled by `merge`."""
    fitted = [
        (each, _weigh(one, found))
        for one, found in asked
        if one.kind != "temporal"
        for each in found
    ]
    return fit_logistic([each for each, _ in fitted], features, [share for _, share in fitted])


def _weigh(asked: Asked, found: Sequence[Example]) -> float:
    """Return how much a question counts in the fit."""
    weight = WEIGHTS_OF_KINDS.get(asked.kind, 1.0)
    is_large = bool(found) and found[0].values[FEATURES.index("size")] > log(LARGE)
    return weight * IN_LARGE if asked.kind in {"far", "chatter"} and is_large else weight


def check(stores: Sequence[SmallStore], models: Sequence[Model | None]) -> None:
    """Print what weights that are fitted on other stores show, by kind of question."""
    for model in models:
        name, way = (model.name, model.model) if model else ("words", "words")
        features = OF_STATEMENTS if model else OF_STATEMENTS_BY_WORDS
        asked = [each for each in collect_by_question(stores, [model]) if each[1]]
        counts: dict[str, list[float]] = {}
        groups = sorted({found[0].group for _, found in asked})
        for fold in range(FOLDS):
            held = set(groups[fold::FOLDS])
            fitted = [each for each in asked if each[1][0].group not in held]
            weights = fit_to_thresholds(fitted, features, way)
            for one, found in asked:
                if found[0].group in held:
                    shown = _choose_shown(found, weights, THRESHOLDS[0])
                    count = counts.setdefault(one.kind, [0.0, 0.0, 0.0, 0.0])
                    count[0] += 1
                    count[1] += any(each.answers for each in shown[:5])
                    count[2] += len(shown)
                    count[3] += bool(shown)
        for kind, (many, right, items, any_shown) in counts.items():
            print(  # noqa: T201
                f"{name:14}{kind:12}{many:5.0f}  right {right / many:.2f}"
                f"  shows {any_shown / many:.2f}  items {items / many:.2f}"
            )


def _choose_shown(
    examples: Sequence[Example], weights: Mapping[str, float], threshold: float
) -> list[Example]:
    scored = [(_probability(each, weights), each) for each in examples]
    best = max((probability for probability, _ in scored), default=0.0)
    least = max(threshold, RELATIVE_CUTOFF * best)
    return [each for probability, each in scored if probability >= least]


def _probability(example: Example, weights: Mapping[str, float]) -> float:
    values = zip(FEATURES, example.values, strict=True)
    odds = weights["bias"] + sum(weights.get(name, 0.0) * value for name, value in values)
    return float(1 / (1 + np.exp(-odds)))


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


def fit_all(
    stores: Sequence[SmallStore],
    models: Sequence[Model],
    documentation: Sequence[SmallStore],
    conversations: Path | None,
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the sets of weights; those for which nothing is given stay as they are.

    Questions of conversations are no requests; what a request weighs is taken from statements.
    """
    known = {kind: dict(sets) for kind, sets in load_weights().items()}
    by_model = {each.model: collect_by_question(stores, [each]) for each in models}
    known["statement"] = {
        model: fit_to_thresholds(asked, OF_STATEMENTS, model) for model, asked in by_model.items()
    }
    together = [each for asked in by_model.values() for each in asked]
    known["statement"]["hybrid"] = fit_to_thresholds(together, OF_STATEMENTS, "hybrid")
    by_words = collect_by_question(stores, [None])
    known["statement"]["words"] = fit_to_thresholds(by_words, OF_STATEMENTS_BY_WORDS, "words")
    minilm = models[:1]
    if documentation:
        known["passage"] = {
            "hybrid": fit_to_thresholds(
                collect_by_question(documentation, minilm, PASSAGES), OF_PASSAGES, "passages"
            ),
            "words": fit_to_thresholds(
                collect_by_question(documentation, [None], PASSAGES),
                OF_PASSAGES_BY_WORDS,
                "passages by words",
            ),
        }
    if conversations:
        known["remark"] = {
            "hybrid": fit_logistic(collect_remarks(conversations, minilm), OF_REMARKS),
            "words": fit_logistic(collect_remarks(conversations, [None]), OF_REMARKS_BY_WORDS),
        }
    for way, weights in known["remark"].items():
        weights["request"] = known["statement"][way]["request"]
    return known


def make_context(tree: Path | None = None) -> Context:
    """Return the surroundings of a program that reads a directory and no home."""
    return Context(
        home=None,
        workspace="default",
        access=Access(Actor("operator", "fit"), "default"),
        settings=load_settings(None),
        read_only=True,
        tree=tree,
    )


def open_models() -> list[Model]:
    """Open MiniLM and the multilingual model; both must be installed."""
    context = make_context()
    embedders = (open_local(context), MultilingualEmbedder(context))
    return [Model(each.name, each.model, _remember(each.embed), each.split) for each in embedders]


def _remember(embed: Embed) -> Embed:
    """Return *embed* with a memory: many stores are asked the same."""
    known: dict[str, np.ndarray] = {}

    def embed_new(texts: Sequence[str]) -> np.ndarray:
        lacking = [text for text in dict.fromkeys(texts) if text not in known]
        if lacking:
            known.update(zip(lacking, embed(lacking), strict=True))
        return np.array([known[text] for text in texts])

    return embed_new


def main() -> None:
    """Fit and print or write the weights, or check them."""
    given = [Path(each) for each in sys.argv[1:] if not each.startswith("--")]
    conversations = next((each for each in given if (each / "corpus.jsonl").exists()), None)
    folder = next((each for each in given if each != conversations), None)
    stores, models = read_stores(), open_models()
    documentation = read_documentation(folder, stores) if folder else []
    if "--check" in sys.argv:
        check(stores, [*models, None])
        return
    text = json.dumps(fit_all(stores, models, documentation, conversations), indent=1) + "\n"
    if "--write" in sys.argv:
        WEIGHTS.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
