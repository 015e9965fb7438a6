"""What the health of memory is computed from, and the score of all metrics. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

LEAST_EPISODES = 5
"""Below this many, a median, a mean or a share says nothing of a crew."""

YELLOW, GREEN = 50.0, 75.0
"""From which score on health is yellow, and green; as was published."""


class Repeat(NamedTuple):
    """A memory that was found beside a better one that it repeats.

    Attributes:
        id: Of the memory.
        of: The better one.
        times: How often.
    """

    id: str
    of: str
    times: int


class Recalled(NamedTuple):
    """What came of recalls.

    Attributes:
        recalls: How many there were.
        hits: What was found, of which it is known how likely it answers.
        ungated: Those of them that are of an answer of which none passes the gate.
        relevant: Hits that pass it, and those beside them that are not far below.
        distinct: Those of them that repeat no better hit.
        repeated: Those that do, and are memories.
        worst: The memory that repeats another one most often; None: both are there
            of none.
    """

    recalls: int = 0
    hits: int = 0
    ungated: int = 0
    relevant: int = 0
    distinct: int = 0
    repeated: int = 0
    worst: Repeat | None = None


class Counts(NamedTuple):
    """What is counted of a workspace, or of one of its crews.

    Of agents whose memory is off nothing is.

    Attributes:
        model: That of the vectors that recall goes by; "" where it goes by words.
        why_words: Why it goes by words; "" if it does not.
        episodes: Entries that can be recalled.
        median_age: Half of them are older, in days; None without any.
        newest_age: How old the newest is, in days; None without any.
        lacking: Entries that should be episodes and are none.
        indexed: Episodes that have a vector; where recall goes by words, words.
        stuck: Episodes that could not be embedded, often tried.
        others: Vectors that are of another model.
        chunks: Pieces of memory files that should be indexed.
        indexed_chunks: Those that are.
        waiting_chunks: Those that no index has, of new and changed files.
        stuck_chunks: Those that could not be embedded.
        vectors: Episodes that have a vector; 0 where recall goes by words.
        sampled: Those of them whose nearest were looked for.
        near: Mean cosine of these to their three nearest; None without any.
        every: Mean cosine of all pairs; None without any.
        came: What came of what was asked in the last 30 days, or the latest of that.
        is_gated: Whether the gate in force is no lower than the one that is asked here.
        connected: Episodes that have a relation.
        unlinked: Episodes with a vector whose relations were not looked for yet.
        consolidated_age: How long ago the workspace was consolidated, in days; None:
            never.
    """

    model: str = ""
    why_words: str = ""
    episodes: int = 0
    median_age: float | None = None
    newest_age: float | None = None
    lacking: int = 0
    indexed: int = 0
    stuck: int = 0
    others: int = 0
    chunks: int = 0
    indexed_chunks: int = 0
    waiting_chunks: int = 0
    stuck_chunks: int = 0
    vectors: int = 0
    sampled: int = 0
    near: float | None = None
    every: float | None = None
    came: Recalled = Recalled()
    is_gated: bool = True
    connected: int = 0
    unlinked: int = 0
    consolidated_age: float | None = None


class Input(NamedTuple):
    """A number that a metric is computed from.

    Attributes:
        name: What it is called.
        value: The number; null where there is none.
        about: What it is of, in words.
    """

    name: str
    value: float | int | None
    about: str


class Mend(NamedTuple):
    """What a command would mend.

    Attributes:
        words: The command, after ``crewmem``.
        why: What it is for, a clause.
        changes: The counts that would be others, by name.
    """

    words: tuple[str, ...]
    why: str
    changes: Mapping[str, float | int | bool | Recalled | None]


class Metric(Protocol):
    """What the module of a metric holds.

    Attributes:
        NAME: What it is called.
        WEIGHT: Its part of the score; those of all metrics make one.
        QUESTION: What it answers.
        MOVES: What it moves with, if that is nothing that a command does; else "".
    """

    NAME: str
    WEIGHT: float
    QUESTION: str
    MOVES: str

    def lack(self, counts: Counts) -> str:
        """Return why there is nothing to judge by, a clause; "" if there is."""

    def score(self, counts: Counts) -> float:
        """Judge, from 0 to 100; nothing is lacking."""

    def inputs(self, counts: Counts) -> Iterator[Input]:
        """Yield what it is computed from."""

    def mends(self, counts: Counts) -> Iterator[Mend]:
        """Yield what would raise it."""


class Judged(NamedTuple):
    """How one metric stands.

    Attributes:
        name: ``freshness``, ``coverage``, ``coherence``, ``efficiency`` or
            ``reachability``.
        question: What it answers.
        weight: Its part of the score where every metric has a basis.
        share: Its part of the score as it is; null where it has no basis.
        score: From 0 to 100; null where it has no basis.
        why: Why it has none; "" if it has, or if that was not kept.
        inputs: What it is computed from; empty where that was not kept.
    """

    name: str
    question: str
    weight: float
    share: float | None
    score: float | None
    why: str
    inputs: Sequence[Input]


def judge(metrics: Sequence[Metric], counts: Counts) -> list[Judged]:
    """Return how each of *metrics* stands, with its share of the score."""
    lacks = {each.NAME: each.lack(counts) for each in metrics}
    whole = sum(each.WEIGHT for each in metrics if not lacks[each.NAME])
    return [
        Judged(
            name=each.NAME,
            question=each.QUESTION,
            weight=each.WEIGHT,
            share=None if lacks[each.NAME] else each.WEIGHT / whole,
            score=None if lacks[each.NAME] else each.score(counts),
            why=lacks[each.NAME],
            inputs=[*each.inputs(counts)],
        )
        for each in metrics
    ]


def composite(judged: Iterable[Judged]) -> float | None:
    """Return the score of all, from 0 to 100; None where nothing has a basis."""
    told = [
        each.score * each.share
        for each in judged
        if each.score is not None and each.share is not None
    ]
    return min(100.0, sum(told)) if told else None


def band(score: float | None) -> str | None:
    """Return ``red``, ``yellow`` or ``green``; None for no score."""
    if score is None:
        return None
    return "red" if score < YELLOW else "yellow" if score < GREEN else "green"


def share(part: float, whole: float) -> float:
    """Return *part* of *whole*, from 0 to 100."""
    return max(0.0, min(100.0, 100.0 * part / whole))


def too_few(counts: Counts) -> str:
    """Return why so few episodes are no basis, "" if they are enough."""
    if counts.episodes >= LEAST_EPISODES:
        return ""
    return f"there are fewer than {LEAST_EPISODES} episodes"
