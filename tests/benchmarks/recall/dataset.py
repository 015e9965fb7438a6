"""Reading a judged data set."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the records that answer it."""

    text: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Records that are searched together, text by id, and what is asked of them."""

    name: str
    records: Mapping[str, str]
    queries: tuple[Query, ...]


def datasets(path: Path) -> list[Path]:
    """Return the data set at *path*, or all that lie below it."""
    return sorted(corpus.parent for corpus in path.rglob(CORPUS))


def conversations(dataset: Path) -> list[Conversation]:
    """Return the conversations of *dataset* of which something is asked.

    Questions without an answer in the records are left out: nothing ranks them.
    """
    records: dict[str, dict[str, str]] = defaultdict(dict)
    for line in _lines(dataset / CORPUS):
        records[line["conversation"]][line["id"]] = line["text"]
    queries: dict[str, list[Query]] = defaultdict(list)
    for line in _lines(dataset / QUERIES):
        if line["relevant"] and line["answerable"] and not line.get("skip"):
            query = Query(line["text"], frozenset(line["relevant"]))
            queries[line["conversation"]].append(query)
    return [
        Conversation(name, records[name], tuple(asked))
        for name, asked in queries.items()
    ]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
