"""Fit the weights of relevance, and check them on stores that they were not fitted on.

    python -m crewmem.search.training.fit [--check]

Everything that is fitted on is in `stores/`: small stores, one file each, with questions: of facts,
notes and entries, or of the remarks of a conversation; `common.txt` has small talk and far
questions, which all are asked. `versions/` has more stores for `latest`: of half of their texts a
newer version, of the others a later text that only looks like one. Without an option
`relevance.json` is written: the same bytes each time. `--check` prints instead what is shown for
the questions of each domain by weights that were fitted on other domains.

Every store is asked with MiniLM if it is in English, with the multilingual model, and by words
alone. Each has weights of its own; those of other models are fitted on both together.

A logistic regression with a ridge, on the first candidates of each question; every store weighs
the same.
"""

import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import cycle
from math import exp, log
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.documents import Document
from crewmem.embeddings.local import MINILM, open_local
from crewmem.embeddings.multilingual import MODEL as MULTILINGUAL
from crewmem.embeddings.multilingual import MultilingualEmbedder
from crewmem.embeddings.store import Vectors
from crewmem.search.candidates import Collector
from crewmem.search.features import Question as AskedQuestion
from crewmem.search.features import compare_words, compute_features
from crewmem.search.latest import POOL, VERSION_FEATURES, describe_pair, measure_rarity
from crewmem.search.ranker import Scored, rank
from crewmem.search.relevance import (
    RELATIVE_CUTOFF,
    WEIGHTS,
    Rules,
    find_rules,
    list_features,
)
from crewmem.search.sources import Source
from crewmem.search.training.texts import Model, TextStore, store_vectors

STORE_OF_KIND = {"fact": "facts", "entry": "journal", "remark": "journal", "note": "memory"}
STORES = Path(__file__).with_name("stores")
VERSION_STORES = Path(__file__).with_name("versions")
TODAY = date(2026, 6, 1)

STATEMENT = ("near", "whole", "agreement", "typed", "request", "kind", "chance")
TEXT = ("strength", "named", "request", "size")
REMARK = ("strength", "named", "size")
FEATURES_OF: dict[str, dict[str, tuple[str, ...]]] = {
    "statement": {
        MINILM: ("weakest", *STATEMENT),
        MULTILINGUAL: STATEMENT,
        "hybrid": STATEMENT,
        "words": ("whole", "evidence", "request", "kind"),
    },
    "text": dict.fromkeys((MINILM, MULTILINGUAL, "hybrid", "words"), TEXT),
    "remark": dict.fromkeys((MINILM, MULTILINGUAL, "hybrid", "words"), REMARK),
}
"""By kind of text, and by what is known of it: the features that are fitted."""

SHOWN: dict[str, dict[str, tuple[tuple[str, float], ...]]] = {
    "statement": {
        MINILM: (("far", 0.1), ("hard", 0.1)),
        MULTILINGUAL: (("far", 0.16), ("hard", 0.14)),
        "hybrid": (("far", 0.1), ("hard", 0.13)),
        "words": (("hard", 0.25), ("hard", 0.12)),
    },
    "text": dict.fromkeys((MINILM, MULTILINGUAL, "hybrid", "words"), (("far", 0.01),)),
    "remark": dict.fromkeys((MINILM, MULTILINGUAL, "hybrid", "words"), (("namesake", 0.15),)),
}
"""For pull and push: the share of questions of a kind without an answer for which anything is
shown. The probabilities at which it is that, on domains that were not fitted, are moved to the two
thresholds; of remarks and other text only that of pull, as there are few questions to
conversations."""

NOT_FITTED = frozenset({"temporal", "namesake"})
"""Questions that are left to `fit_versions` and to the threshold: the weight of a name is that in
questions that are meant for the conversation."""

THRESHOLDS = (0.15, 0.65)
NOTHING = -30.0
"""Log odds where a question has no candidate."""

FOLDS = 6
RIDGE = 3.0

CANDIDATES = 10
"""Best candidates of a question that are fitted: others are hardly shown."""

WEIGHTS_OF_KINDS = {"far": 0.3, "chatter": 2.0, "hard": 2.0}
"""Weights of questions in the fit. Most questions of the stores are far ones; what is hard is to
tell an answer from a text of the same topic. Small talk counts as much, or nothing is learned from
the words of a request: .20 of it is shown something then, and .09 now."""

LARGE, IN_LARGE, IN_TINY = 100, 4.0, 0.3
"""Texts of a large store, and how many times more its far questions and small talk weigh: the more
texts, the nearer the best of them is to any question. And how much the questions of a tiny one
weigh."""

BESIDE = (0, 8)
"""How many other stores are put beside a store, so that the weights hold for larger ones, too."""

TINY = (1, 2, 4, 8)
"""Questions whose answers are all that a tiny store has."""

PAIRED, UNNEEDED = 6, 0.3
"""Best candidates of a question that are compared in pairs, and how much a pair counts whose older
text does not answer."""

FAR, COMMON = 10, 24
"""Questions of stores of other domains, and common ones, that each store is asked."""

HARD_OF_TINY, FAR_OF_TINY, COMMON_OF_TINY = 10, 4, 6
"""The same of a tiny store, and questions about what it does not hold of its domain."""

LIMIT = 5
"""Most hits that are shown."""

REPORTED = ("first", "right", "shows")
"""Shares of questions that `--check` prints: with the right hit first, with a right one, and with
any."""

MIX = {
    "answered": 29,
    "lexical": 8,
    "paraphrase": 12,
    "partial": 5,
    "multi": 4,
    "hard": 4,
    "far": 4,
    "chatter": 4,
}
"""Questions of each kind that a store is asked, for the precision that `--check` prints."""


class Asked(NamedTuple):
    """A question to a store.

    Attributes:
        kind: lexical, paraphrase, partial, multi, temporal, hard, far or chatter; answered for a
            question to a conversation, namesake for one about somebody else of that name, absent
            for one whose answer a tiny store does not have.
        relevant: Refs of what answers it.
        superseded: Refs of older versions of that.
    """

    kind: str
    text: str
    relevant: tuple[str, ...]
    superseded: tuple[str, ...] = ()


class TrainingStore(NamedTuple):
    """A store: its documents by name of our store, and its questions.

    Attributes:
        kind: statement or remark.
        domain: Questions of a store of another domain are far.
    """

    name: str
    kind: str
    language: str
    domain: str
    documents: dict[str, list[Document]]
    questions: list[Asked]


class Pair(NamedTuple):
    """Two candidates of a question: `latest.VERSION_FEATURES`, and whether they are versions.

    Attributes:
        share: How much it counts: most where the older one is needed.
    """

    values: dict[str, float]
    is_version: bool
    share: float


class Example(NamedTuple):
    """A candidate of a question: its features and rules, and whether it answers."""

    values: dict[str, float]
    rules: Rules
    answers: bool


class Question(NamedTuple):
    """A question as a store was asked it.

    Attributes:
        size: Texts of the store.
        examples: The first candidates.
        pairs: Of candidates of which one is later.
    """

    store: str
    language: str
    domain: str
    asked: Asked
    size: int
    examples: list[Example]
    pairs: list[Pair]

    @property
    def is_tiny(self) -> bool:
        """Whether so few texts were asked that hardly any question finds one."""
        return self.size <= max(TINY)


def read_store(path: Path) -> TrainingStore:
    """Read a store: language, domain, items (kind, day, author, text) and questions.

    A question has its kind and the numbers of the items that answer it, in order of the file.
    """
    documents: dict[str, list[Document]] = {}
    questions: list[Asked] = []
    language, domain, number, store_kind = "en", "", 0, "statement"
    for line in path.read_text("utf-8").splitlines():
        head, _, text = line.partition(" | ")
        if line.startswith("language: "):
            language = line.split()[1]
        elif line.startswith("domain: "):
            domain = line.split()[1]
        elif line.startswith("? "):
            kind, *refs = head.split()[1:]
            right = tuple(ref for ref in refs if not ref.startswith("!"))
            old = tuple(ref.removeprefix("!") for ref in refs if ref.startswith("!"))
            questions.append(Asked(kind, text, right, old))
        elif text:
            number += 1
            kind, day, author = head.split()
            if kind == "remark":
                store_kind = "remark"
            store, text = STORE_OF_KIND[kind], text.replace("\\n", "\n")
            heading = text.partition("\n")[0].removeprefix("# ") if kind == "note" else ""
            document = Document(
                store, number, str(number), heading, text, f"{day}T10:00:00.000Z",
                "workspace", "", kind, "operator", author=author,
                group=day if kind == "remark" else "",
                labels=(heading,) if heading else (),
            )  # fmt: skip
            documents.setdefault(store, []).append(document)
    return TrainingStore(path.stem, store_kind, language, domain, documents, questions)


def read_stores() -> list[TrainingStore]:
    """Return all stores, with small talk and far questions.

    Each small store is there in several sizes, or the weights would hold for small stores only:
    alone, with the texts of others, whose questions are not asked then, and a few of its texts.
    """
    read = [read_store(path) for path in sorted(STORES.glob("*.txt"))]
    common = next(each for each in read if not each.documents).questions
    stores = [each for each in read if each.documents]
    found = []
    for store in stores:
        chosen = random.Random(store.name)  # noqa: S311 - the same sample each time
        same = [
            each
            for each in stores
            if each.kind == "statement"
            and (each.language == "en") == (store.language == "en")
            and each is not store
        ]
        for count in BESIDE:
            beside = chosen.sample(same, min(count, len(same)))
            if store.kind == "remark":
                beside = [_as_conversation(each) for each in beside]
            domains = {each.domain for each in (store, *beside)}
            others = [each for each in stores if each.domain not in domains]
            found.append(
                store._replace(
                    documents=_merge([store, *beside]),
                    questions=[
                        *store.questions,
                        *chosen.sample(common, COMMON),
                        *chosen.sample(_make_far(others), FAR),
                        *_make_namesakes(store, others),
                    ],
                )
            )
        if store.kind == "statement":
            others = [each for each in stores if each.domain != store.domain]
            for count in TINY:
                tiny = _make_tiny(store, count, chosen)
                far = chosen.sample(_make_far(others), FAR_OF_TINY)
                asked = [*tiny.questions, *chosen.sample(common, COMMON_OF_TINY), *far]
                found.append(tiny._replace(questions=asked))
    return found


def _make_tiny(store: TrainingStore, count: int, chosen: random.Random) -> TrainingStore:
    """Return *store* with nothing but the answers of *count* questions.

    It is asked these, and some about what it does not have.
    """
    asked = [each for each in store.questions if each.kind in {"lexical", "partial", "paraphrase"}]
    refs = {ref for each in chosen.sample(asked, count) for ref in each.relevant}
    absent = [
        each._replace(kind="absent", relevant=())
        for each in asked
        if refs.isdisjoint(each.relevant)
    ]
    unanswered = [*absent, *(each for each in store.questions if each.kind == "hard")]
    documents = {
        name: [each for each in texts if each.ref in refs]
        for name, texts in store.documents.items()
    }
    return store._replace(
        documents={name: texts for name, texts in documents.items() if texts},
        questions=[
            *(each for each in asked if refs.issuperset(each.relevant)),
            *chosen.sample(unanswered, min(HARD_OF_TINY, len(unanswered))),
        ],
    )


def _as_conversation(store: TrainingStore) -> TrainingStore:
    """Return *store* with its texts as remarks, of which those of a day are a session."""
    remarks = [
        text._replace(store="journal", group=f"{store.name} {text.at}", labels=(), title="")
        for texts in store.documents.values()
        for text in texts
    ]
    return store._replace(documents={"journal": remarks})


def _make_far(stores: Iterable[TrainingStore]) -> list[Asked]:
    return [
        Asked("far", asked.text, ())
        for store in stores
        for asked in store.questions
        if asked.relevant and asked.kind != "chatter"
    ]


def _make_namesakes(store: TrainingStore, others: Iterable[TrainingStore]) -> list[Asked]:
    """Return questions about others, of other conversations, with the names of those in *store*.

    That somebody of this name is in a conversation does not answer what is asked.
    """
    names = _list_speakers(store)
    found = []
    for other in others:
        if other.language != store.language:
            continue
        renamed = dict(zip(_list_speakers(other), cycle(names), strict=False))
        for asked in other.questions:
            text = "".join(renamed.get(part, part) for part in re.split(r"(\W)", asked.text))
            if text != asked.text:
                found.append(Asked("namesake", text, ()))
    return found


def _list_speakers(store: TrainingStore) -> list[str]:
    remarks = [text for text in store.documents.get("journal", ()) if text.kind == "remark"]
    return sorted({text.author for text in remarks})


def _merge(stores: Sequence[TrainingStore]) -> dict[str, list[Document]]:
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


def make_collector(
    stores: Mapping[str, Sequence[Document]], model: Model | None, home: Path
) -> Collector:
    """Return a collector over *stores*; *home* is an empty directory for their vectors."""
    vectors = Vectors(make_context(home)) if model else None
    sources = []
    for name, documents in stores.items():
        if vectors and model:
            documents = [each._replace(vector_key=each.key) for each in documents]
            store_vectors(vectors, ("w", name), documents, model)
        authors = sorted({each.author for each in documents} - {""}) if name == "journal" else []
        store = TextStore(documents, authors=authors)
        sources.append(Source(name, store, collection=("w", name) if model else None))
    return Collector(sources, vectors, asker="", today=TODAY)


def ask(stores: Iterable[TrainingStore], model: Model | None) -> list[Question]:
    """Return the questions of *stores*; MiniLM reads English only."""
    found = []
    for store in stores:
        if not (model and model.model == MINILM and store.language != "en"):
            with tempfile.TemporaryDirectory() as home:
                collector = make_collector(store.documents, model, Path(home))
                found += ask_store(store, model, collector)
    return found


def ask_store(store: TrainingStore, model: Model | None, collector: Collector) -> list[Question]:
    """Return the questions of a store as *collector* answers them."""
    versions = {
        (new, old) for each in store.questions for new in each.relevant for old in each.superseded
    }
    found = []
    for asked in store.questions:
        prepared = collector.prepare(asked.text)
        vector = model.embed([prepared.rest])[0] if model else None
        collected = collector.collect(prepared, vector)
        features = compute_features(prepared.question, collected.candidates, collected.offered)
        ranked = rank(collected.candidates, features, has_words=any(prepared.question.weights))
        if model and model.embed_words:
            words, *others = model.embed_words(
                [prepared.rest, *(hit.candidate.document.text for hit in ranked[:CANDIDATES])]
            )
            for hit, of_text in zip(ranked, others, strict=False):
                hit.candidate.weakest = compare_words(words, of_text)
        examples = [
            Example(
                list_features(hit, prepared.question, 1.0),
                find_rules(hit, prepared.question),
                hit.candidate.document.ref in asked.relevant,
            )
            for hit in ranked[:CANDIDATES]
        ]
        # Texts of stores beside it have refs that are no numbers.
        own = [hit for hit in ranked if hit.candidate.document.ref.isdigit()]
        pairs = (
            pair_up(collector, own, prepared.question, asked, versions)
            if versions and asked.relevant
            else []
        )
        size = prepared.question.total
        found.append(
            Question(store.name, store.language, store.domain, asked, size, examples, pairs)
        )
    return found


def pair_up(
    collector: Collector,
    hits: Sequence[Scored],
    question: AskedQuestion,
    asked: Asked,
    versions: Collection[tuple[str, str]],
) -> list[Pair]:
    """Return the pairs of the best of *hits* of which one is later than the other."""
    rarity = measure_rarity(each.candidate.document.text for each in hits[:POOL])
    found = []
    for newer in hits[:PAIRED]:
        for older in hits[:PAIRED]:
            values = describe_pair(newer, older, question, collector, rarity)
            if values is not None:
                ref = older.candidate.document.ref
                is_version = (newer.candidate.document.ref, ref) in versions
                share = 1.0 if is_version or ref in asked.relevant else UNNEEDED
                found.append(Pair(values, is_version, share))
    return found


def fit_logistic(
    examples: Sequence[tuple[Mapping[str, float], bool]],
    shares: Sequence[float],
    features: Sequence[str],
) -> dict[str, float]:
    """Return bias and weights by a ridge regression on standardised values.

    Args:
        examples: Values of features, and what each example is.
        shares: How much each example counts.
        features: Names of those that are fitted.
    """
    columns = np.array([[values[name] for name in features] for values, _ in examples])
    labels, counts = np.array([answer for _, answer in examples], float), np.array(shares)
    mean, deviation = columns.mean(0), columns.std(0) + 1e-9
    rows = np.c_[np.ones(len(columns)), (columns - mean) / deviation]
    ridge = np.eye(rows.shape[1]) * RIDGE
    ridge[0, 0] = 0.0
    beta = np.zeros(rows.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-rows @ beta))
        gradient = rows.T @ (counts * (likely - labels)) + ridge @ beta
        hessian = (rows * (counts * likely * (1 - likely))[:, None]).T @ rows + ridge
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 1e-9:
            break
    slopes = beta[1:] / deviation
    found = {"bias": float(beta[0] - (slopes * mean).sum())}
    return found | {name: float(slope) for name, slope in zip(features, slopes, strict=True)}


def fit(questions: Sequence[Question], features: Sequence[str]) -> dict[str, float]:
    """Return the weights of relevance."""
    fitted = [each for each in questions if each.asked.kind not in NOT_FITTED]
    # Stores are asked different numbers of questions: each store weighs the same.
    sizes = Counter(each.store for each in fitted for _ in each.examples)
    mean_size = sizes.total() / len(sizes)
    shares = []
    for each in fitted:
        is_common = each.asked.kind in {"far", "chatter"} and each.size > LARGE
        of_size = IN_TINY if each.is_tiny else IN_LARGE if is_common else 1.0
        share = WEIGHTS_OF_KINDS.get(each.asked.kind, 1.0) * of_size
        shares += [share * mean_size / sizes[each.store]] * len(each.examples)
    examples = [(pair.values, pair.answers) for each in fitted for pair in each.examples]
    return fit_logistic(examples, shares, features)


def fit_versions(questions: Sequence[Question]) -> dict[str, float]:
    """Return the weights of pairs of texts of which the newer one may replace the older one."""
    pairs = [pair for each in questions for pair in each.pairs]
    features = [name for name in VERSION_FEATURES if name in pairs[0].values]
    examples = [(pair.values, pair.is_version) for pair in pairs]
    found = fit_logistic(examples, [pair.share for pair in pairs], features)
    return _round(found)


def fit_to_thresholds(questions: Sequence[Question], kind: str, way: str) -> dict[str, float]:
    """Return weights that give the thresholds what SHOWN says."""
    features, shown = FEATURES_OF[kind][way], SHOWN[kind][way]
    best = defaultdict(list)
    for fitted, held_out in split(questions):
        weights = fit(fitted, features)
        for each in held_out:
            if not each.is_tiny and not each.asked.relevant:
                odds = list_log_odds(each, weights)
                best[each.asked.kind].append(max(odds, default=NOTHING))
    before = [float(np.quantile(best[kind], 1.0 - share)) for kind, share in shown]
    after = [log(each / (1 - each)) for each in THRESHOLDS]
    slope = (after[1] - after[0]) / (before[1] - before[0]) if len(before) > 1 else 1.0
    weights = {name: weight * slope for name, weight in fit(questions, features).items()}
    weights["bias"] += after[0] - slope * before[0]
    return _round(weights)


def _round(weights: Mapping[str, float]) -> dict[str, float]:
    """Return *weights* without the digits that another machine may compute otherwise."""
    return {name: round(weight, 2) for name, weight in weights.items()}


def split(questions: Sequence[Question]) -> list[tuple[list[Question], list[Question]]]:
    """Return what is fitted and what is held back, by domains, `FOLDS` times."""
    domains = sorted({each.domain for each in questions})
    return [
        (
            [each for each in questions if each.domain not in held_out],
            [each for each in questions if each.domain in held_out],
        )
        for held_out in (domains[fold::FOLDS] for fold in range(min(FOLDS, len(domains))))
    ]


def list_log_odds(question: Question, weights: Mapping[str, float]) -> list[float]:
    """Return the log odds of each candidate by its features."""
    return [
        sum(weight * example.values[name] for name, weight in weights.items())
        for example in question.examples
    ]


def print_shown(title: str, questions: Sequence[Question], kind: str, way: str) -> None:
    """Print what is shown for questions of each kind by weights of other domains.

    Of stores in English, in other languages, and tiny ones.
    """
    groups: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for fitted, held_out in split(questions):
        weights = fit_to_thresholds(fitted, kind, way)
        for each in held_out:
            of_store = "tiny" if each.is_tiny else "en" if each.language == "en" else "other"
            for use, threshold in zip(("pull", "push"), THRESHOLDS, strict=True):
                shown = list_shown(each, weights, threshold)
                counts = groups[f"{title} {of_store} {use}"]
                for name, count in (
                    ("asked", 1),
                    ("first", any(shown[:1])),
                    ("right", any(shown)),
                    ("shows", bool(shown)),
                    ("items", len(shown)),
                    ("right items", sum(shown)),
                ):
                    counts[each.asked.kind, name] += count
    for group, counts in sorted(groups.items()):
        shares = {
            (asked, name): count / counts[asked, "asked"] for (asked, name), count in counts.items()
        }
        kinds = sorted({asked for asked, _ in counts})
        items, right = (
            sum(many * shares.get((asked, name), 0.0) for asked, many in MIX.items())
            for name in ("items", "right items")
        )
        print(f"{group}: precision {right / items if items else 1.0:.2f}")  # noqa: T201
        for asked in kinds:
            parts = " ".join(f"{name} {shares[asked, name]:.2f}" for name in REPORTED)
            print(f"  {asked:11}{counts[asked, 'asked']:6}  {parts}")  # noqa: T201


def list_shown(question: Question, weights: Mapping[str, float], threshold: float) -> list[bool]:
    """Return of each candidate that is shown whether it answers."""
    relevance = [
        1 / (1 + exp(-max(NOTHING, example.rules.apply(odds))))
        for example, odds in zip(question.examples, list_log_odds(question, weights), strict=True)
    ]
    least = max(threshold, min(RELATIVE_CUTOFF * max(relevance, default=0.0), THRESHOLDS[1]))
    answers = [
        (value < THRESHOLDS[1], example.answers)
        for example, value in zip(question.examples, relevance, strict=True)
        if value >= least
    ]
    answers.sort(key=lambda each: each[0])  # sure ones first
    return [each for _, each in answers][:LIMIT]


def make_context(home: Path | None = None) -> Context:
    """Return the surroundings of an operator."""
    return Context(
        home=home,
        workspace="default",
        access=Access(Actor("operator", "fit"), "default"),
        settings=load_settings(None),
        read_only=home is None,
    )


def open_models() -> list[Model]:
    """Open MiniLM and the multilingual model; both must be installed."""
    context = make_context()
    minilm, multilingual = open_local(context), MultilingualEmbedder(context)
    return [
        Model(minilm.model, _remember(minilm.embed), minilm.split, _remember(minilm.embed_words)),
        Model(multilingual.model, _remember(multilingual.embed), multilingual.split),
    ]


def _remember(
    embed: Callable[[Sequence[str]], Iterable[np.ndarray]],
) -> Callable[[Sequence[str]], list[np.ndarray]]:
    """Return *embed* with a memory: many stores are asked the same."""
    known: dict[str, np.ndarray] = {}

    def look_up(texts: Sequence[str]) -> list[np.ndarray]:
        lacking = [text for text in dict.fromkeys(texts) if text not in known]
        if lacking:
            known.update(zip(lacking, embed(lacking), strict=True))
        return [known[text] for text in texts]

    return look_up


def main() -> None:
    """Fit and write the weights, or check them."""
    stores, models = read_stores(), open_models()
    found: dict[str, dict[str, dict[str, float]]] = {}
    ways: dict[str, dict[str, list[Question]]] = {}
    for kind in ("statement", "remark"):
        of_kind = [each for each in stores if each.kind == kind]
        by_model = {each.model: ask(of_kind, each) for each in models}
        together = [each for questions in by_model.values() for each in questions]
        ways[kind] = {**by_model, "hybrid": together, "words": ask(of_kind, None)}
    ways["text"] = ways["remark"]  # there are no longer texts with questions
    for kind in FEATURES_OF:
        if "--check" in sys.argv:
            for way, questions in ways[kind].items():
                print_shown(f"{kind} {way}", questions, kind, way)
            continue
        found[kind] = {way: fit_to_thresholds(each, kind, way) for way, each in ways[kind].items()}
    if found:
        of_versions = [read_store(path) for path in sorted(VERSION_STORES.glob("*.txt"))]
        with_models = [each for model in models for each in ask(of_versions, model)]
        versions = {
            "hybrid": fit_versions([*ways["statement"]["hybrid"], *with_models]),
            "words": fit_versions([*ways["statement"]["words"], *ask(of_versions, None)]),
        }
        WEIGHTS.write_text(json.dumps({**found, "version": versions}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
