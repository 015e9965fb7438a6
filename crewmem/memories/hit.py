"""What a search of memories answers. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


class Why(NamedTuple):
    """Why a memory was found.

    Attributes:
        ranks: Its place in each list that holds it, counted from 1: words, vectors.
        terms: What of the query it holds, as typed.
        words: bm25, as a part of what it could be at most, in [0, 1].
        coverage: The part of the query's weight that its words hold, in [0, 1].
        prior: What importance, trust and retention multiply it by, in [0.9, 1.1].
        engram: Engram's composite, in [0, 1]: of similarity, priority, confidence and
            recency.
        features: What its score is made of: the value of each feature and its share.
    """

    ranks: dict[str, int]
    terms: list[str]
    words: float
    coverage: float
    prior: float
    engram: float
    features: dict[str, tuple[float, float]]


class Hit(NamedTuple):
    """A memory that was found.

    Attributes:
        ref: The memory, for ``get``.
        store: ``memories``.
        scope: ``agent``, ``crew`` or ``workspace``: whose it is.
        owner: Whose it is; "" if it is the workspace's.
        title: What it says, in a clause.
        snippet: Around the match, in one line, matches between ``**``.
        matches: Where in the snippet they stand, as (first, after the last)
            character, marks not included.
        score: Higher is better; `why` says what it is made of.
        at: When it was last changed.
        why: Why it was found.
        relevance: How likely it answers, in [0, 1].
        kind: What kind of claim it is, as decision.
        status: active, warm or stale; archived or superseded, if that was asked for.
        content: What it says.
        importance: 1 to 5.
        confidence: In [0, 1], votes counted.
        up: Votes for it.
        down: Votes against it.
        topic_key: What it is the latest word on; null for nothing.
        cosine: Of its vector and that of the query, in [-1, 1]; null without one.
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
    kind: str
    status: str
    content: str
    importance: int
    confidence: float
    up: int
    down: int
    topic_key: str | None
    cosine: float | None = None


class Answer(NamedTuple):
    """What a search of memories found.

    Attributes:
        mode: ``words`` or ``hybrid``.
        hits: Best first.
        warnings: What a person should know of it.
        relevance: How likely anything that is held answers, in [0, 1].
    """

    mode: str
    hits: list[Hit]
    warnings: list[str]
    relevance: float = 0.0
