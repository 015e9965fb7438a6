"""How recall finds: by words and vectors, by fewer of these than it could, by words.

It is `vector` where an embedder is chosen and nothing is known that keeps it from
what there is. It is `vector-degraded` where there is an embedder, and vectors cannot
be read, or are of another model, or it could not be asked last, or nothing was
embedded yet. All else is `sparse-only`. No service is asked for it. Pure.
"""

from __future__ import annotations

from crewmem.health.advice import counted
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.remembered import Remembered

VECTOR, DEGRADED, SPARSE = "vector", "vector-degraded", "sparse-only"
"""As in episodes/recall.py, which this does without; a test compares."""

AUTO = "auto"
"""The setting that chooses by itself: with it, words alone are no problem."""

NONE = "none"
"""The setting that wants words alone."""

REEMBED = "crewmem episodes reembed"
"""The way out where the embedder that is set has another model than the vectors."""

ONE_PASS = 64
"""Episodes that one pass of a sweep takes: more have waited for a second."""


class Embedding(NamedTuple):
    """What embeds, as it was chosen for the vectors there are.

    Attributes:
        setting: What the setting says: ``auto``, ``none``, or which.
        name: Which it is, as ``minilm``; "" for none.
        model: Its model; "" for none.
        why: Why this one, or why none.
        hint: The command that gives one, or a better one; "" if there is none.
    """

    setting: str
    name: str
    model: str
    why: str
    hint: str


class Recall(NamedTuple):
    """How recall finds.

    Attributes:
        state: ``vector``, ``vector-degraded`` or ``sparse-only``.
        model: What makes the vectors; None if nothing does.
        why: Why it is no better, a clause; "" if it cannot be.
        hint: The command that makes it better; "" if none does.
    """

    state: str
    model: str | None
    why: str = ""
    hint: str = ""


class Step(NamedTuple):
    """Something to do about recall.

    Attributes:
        problem: What should be otherwise; "" if nothing has gone wrong.
        command: What to type.
        why: What that is for.
    """

    problem: str
    command: str
    why: str


def recall(kept: Remembered, embedding: Embedding) -> Recall:
    """Return how what is *kept* is recalled with *embedding*."""
    vectors, model = kept.vectors, embedding.model
    if not model:
        is_other = bool(vectors.model) and embedding.hint == REEMBED
        state = DEGRADED if is_other else SPARSE
        return Recall(state, None, embedding.why, embedding.hint)
    if vectors.unread:
        return Recall(DEGRADED, model, vectors.unread, "crewmem doctor")
    if reason := vectors.unreached.get(model):
        return Recall(DEGRADED, model, reason, "crewmem embedder test")
    if vectors.others:
        why = f"{counted(vectors.others, 'vector')} of another model"
        return Recall(DEGRADED, model, why, REEMBED)
    if kept.episodes and not vectors.own:
        why = "no episode is embedded yet"  # memories and files may be
        return Recall(DEGRADED, model, why, "crewmem episodes sweep")
    return Recall(VECTOR, model)


def steps(kept: Remembered, seen: Recall, embedding: Embedding) -> Iterator[Step]:
    """Yield what to do about recall, the most useful first."""
    if kept.vectors.unread:
        yield Step(kept.vectors.unread, "crewmem doctor", "see what repairs it")
    elif not seen.model:
        if is_missed(kept, embedding):
            problem = f"recall goes by words alone: {seen.why}"
            yield Step(problem, seen.hint, "recall goes by vectors as well")
    elif kept.vectors.unreached.get(seen.model):
        yield Step(seen.why, seen.hint, "see whether it answers by now")
    elif kept.vectors.others:
        yield Step(seen.why, seen.hint, "give all of them vectors that compare")
    if seen.model and kept.waiting > ONE_PASS:
        problem = f"{kept.waiting:,} episodes wait to be embedded"
        yield Step(problem, "crewmem episodes sweep --all", "embed what waits")
    elif seen.model and kept.waiting and not kept.vectors.own:
        yield Step("", "crewmem episodes sweep", "embed what waits")
    if kept.stuck:
        problem = f"{counted(kept.stuck, 'episode')} cannot be embedded"
        yield Step(problem, "crewmem doctor --only vectors.failures", "see why")


def is_missed(kept: Remembered, embedding: Embedding) -> bool:
    """Tell whether somebody expects vectors, where there is no embedder."""
    if embedding.model or embedding.setting == NONE:
        return False
    return embedding.setting != AUTO or bool(kept.vectors.model)
