"""Stores in memory with real full text, and an embedder that knows a few synonyms."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.documents import Document
from crewmem.embeddings.store import Vectors
from crewmem.search.search import Search
from crewmem.search.training.texts import Model, TextStore, store_vectors
from crewmem.text.tokens import stems, stop_words

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)

SYNONYMS = {"automobil": "car", "vehicl": "car", "fee": "price", "cost": "price"}


class Embedder:
    """Adds up a random direction for each content word; synonyms share one."""

    name = model = "synonyms"
    dim, max_tokens = 96, 256

    def __init__(self) -> None:
        self.calls = 0

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def split(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> np.ndarray:
        self.calls += 1
        rows = np.full((len(texts), self.dim), 0.02, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in set(stems(text)) - stop_words():
                seed = hashlib.sha256(SYNONYMS.get(word, word).encode()).digest()
                row += np.random.default_rng(list(seed)).normal(size=self.dim).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def make_document(key: int, text: str, **fields: object) -> Document:
    values: dict[str, object] = {
        "store": "facts",
        "key": key,
        "ref": f"f_{key:012d}",
        "title": "",
        "text": text,
        "at": f"2026-01-{key % 27 + 1:02d}T00:00:00.000Z",
        "scope": "workspace",
        "owner": "",
        "kind": "fact",
        "origin": "operator",
        "vector_key": key,
    }
    return Document(**{**values, **fields})  # type: ignore[arg-type]


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(
        home=tmp_path,
        workspace="default",
        access=Access(Actor("operator", "kim"), "default"),
        settings=load_settings(None, overrides={"timezone": "UTC"}),
        clock=lambda: NOW,
    )


@pytest.fixture
def make_search(context: Context):
    """Return a function that makes a search over documents, with or without vectors."""

    def make(documents: Sequence[Document], *, embedder: Embedder | None = None) -> Search:
        by_store: dict[str, list[Document]] = {}
        for each in documents:
            by_store.setdefault(each.store, []).append(each)
        vectors = None
        if embedder:
            vectors = Vectors(context)
            for name, each in by_store.items():
                store_vectors(
                    vectors, ("default", name), each, Model(embedder.model, embedder.embed)
                )
            embedder.calls = 0
        stores = {
            name: TextStore(each, authors=sorted({d.author for d in each} - {""}))
            for name, each in by_store.items()
        }
        return Search(
            context,
            {name: lambda store=store: store for name, store in stores.items()},
            lambda: vectors,
            lambda: embedder,
        )

    return make


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def document():
    """Return a function that makes a document of a key, a text and further fields."""
    return make_document
