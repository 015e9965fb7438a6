"""Which groups say the same in other words: by their vectors, where something embeds.

Only groups that share some rare words are compared: of two texts that mean the same
hardly any share none, and to embed all that waits would take longer than all the rest.
"""

from __future__ import annotations

from itertools import combinations

from crewmem.consolidation.normal import DIFFERENT, OPPOSITE, SAME, compared, jaccard
from crewmem.errors import BackendError, DataError, NotFoundError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.backends.embed import Embedder
    from crewmem.consolidation.frame import Frames
    from crewmem.consolidation.normal import Form

ALIKE = 0.85
"""Cosine from which on two texts say the same."""

NEAR, DECIDED, NEAR_WORDS = 0.3, 0.6, 3
"""Part of all words that two texts share that are compared by their vectors: from which
on, up to where words alone decide, and how many words at least."""

COMMON = 20
"""Groups that hold a word, from which on it leads to none of them."""

TEXTS_MOST = 200
"""Texts that are embedded in one run, the latest: a second, in process."""


class Means(NamedTuple):
    """What says the same, or the opposite, in other words.

    Attributes:
        same: By the place of a text, that of an earlier one that means the same.
        against: Pairs that mean the opposite.
        notice: What a person should know; "" for nothing.
    """

    same: dict[int, int]
    against: list[tuple[int, int]]
    notice: str = ""


def means(
    said: Sequence[tuple[str, Form]],
    embed: Callable[[], Embedder | None],
    frames: Frames,
) -> Means:
    """Say which texts, in order, mean the same as an earlier one."""
    pairs = near([form for _, form in said])
    if not pairs:
        return Means({}, [])
    wanted = sorted({at for pair in pairs for at in pair})
    notice = ""
    if len(wanted) > TEXTS_MOST:
        left = len(wanted) - TEXTS_MOST
        notice = f"{left} observations were compared by their words alone"
        wanted = wanted[-TEXTS_MOST:]
    try:
        embedder = embed()
        if embedder is None:
            return Means({}, [])
        vectors = embedder.embed([said[at][0] for at in wanted])
    except (BackendError, DataError, NotFoundError) as error:
        return Means({}, [], f"observations were compared by words alone: {error}")
    place = {at: number for number, at in enumerate(wanted)}
    same: dict[int, int] = {}
    against: list[tuple[int, int]] = []
    for one, other in pairs:
        if one not in place or other not in place or one in same or other in same:
            continue
        if float(vectors[place[one]] @ vectors[place[other]]) < ALIKE:
            continue
        relation = _relation(said[one][1], said[other][1], frames)
        if relation == SAME:
            same[other] = one
        elif relation == OPPOSITE:
            against.append((one, other))
    return Means(same, against, notice)


def _relation(one: Form, other: Form, frames: Frames) -> str:
    """Return how two texts relate whose vectors say that they are about the same.

    A vector hardly knows a name from another one, and no number from another. So what
    differs in a few words at one place, or in a number, is not the same by it.
    """
    if frames.is_swap(one.text, other.text):
        found = frames.relation(one, other)
        return OPPOSITE if found == OPPOSITE else DIFFERENT
    found = compared(one, other)
    return DIFFERENT if found == SAME and one.values != other.values else found


def near(forms: Sequence[Form]) -> list[tuple[int, int]]:
    """Return pairs of *forms* that share some rare words, in order."""
    subjects = [form.subject for form in forms]
    holding: dict[str, list[int]] = {}
    for at, subject in enumerate(subjects):
        for word in subject:
            holding.setdefault(word, []).append(at)
    tried: set[tuple[int, int]] = set()
    for places in holding.values():
        if len(places) < COMMON:
            tried.update(combinations(places, 2))
    sharing = [
        (one, other)
        for one, other in tried
        if len(subjects[one] & subjects[other]) >= NEAR_WORDS
    ]
    return sorted(
        (one, other)
        for one, other in sharing
        if NEAR <= jaccard(subjects[one], subjects[other]) < DECIDED
    )
