"""What a recall of episodes answers. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class Why(NamedTuple):
    """Why an episode was found.

    Attributes:
        ranks: Its place in each list that holds it, counted from 1: words, vectors.
        terms: What of the query it holds, as typed.
        features: What its score is made of: the value of each feature and its share.
        coverage: The part of the query's weight that its words hold, in [0, 1].
        importance: How much it weighs, in [0, 1].
        along: The entry that it is like, where it was found by a walk; else null.
    """

    ranks: dict[str, int]
    terms: list[str]
    features: dict[str, tuple[float, float]]
    coverage: float
    importance: float
    along: str | None


class Hit(NamedTuple):
    """An episode that was found.

    Attributes:
        ref: The entry, for ``journal get``.
        store: ``journal``.
        scope: ``agent``, ``crew`` or ``workspace``: whose it is.
        owner: Whose it is, as ``crew/agent``; "" if it is the workspace's.
        title: The entry's type.
        snippet: Around the match, in one line, matches between ``**``.
        matches: Where in the snippet they stand, as (first, after the last)
            character, marks not included.
        score: Higher is better; `why` says what it is made of.
        at: When it happened.
        why: Why it was found.
        relevance: How likely it answers, in [0, 1]; comparable across embedders.
        entry_id: The entry.
        cosine: Of its vector and that of the query, in [-1, 1]; null without one.
        age: How long ago it happened, in words.
        summary: What happened.
        entry_type: What kind of thing it was.
        agent_id: The agent that it belongs to.
        payload: What more there is to know.
    """

    ref: str
    store: str
    scope: str
    owner: str
    title: str
    snippet: str
    matches: list[tuple[int, int]]
    score: float
    at: datetime
    why: Why
    relevance: float
    entry_id: str
    cosine: float | None
    age: str
    summary: str
    entry_type: str
    agent_id: str | None
    payload: Mapping[str, object]


class Recalled(NamedTuple):
    """What a recall found, and how.

    Attributes:
        mode: ``hybrid``, ``dense`` or ``sparse``, as it was really done.
        state: ``vector``; ``vector-degraded``: the embedder failed, and words alone
            were asked; ``sparse-only``: there is none.
        hits: Best first.
        hidden: Hits that the gate held back.
        query_embedding_ms: How long the query took to embed.
        search_ms: How long the search took, without that.
        total_indexed: Episodes in the scope that was asked.
        warnings: What a person should know of the recall.
    """

    mode: str
    state: str
    hits: list[Hit]
    hidden: int
    query_embedding_ms: float
    search_ms: float
    total_indexed: int
    warnings: list[str]
