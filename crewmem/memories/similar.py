"""Texts that say nearly the same as a new one. Pure, but for the search for them."""

from __future__ import annotations

from math import ceil

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from crewmem.memories.draft import Draft
    from crewmem.memories.memory import Memory
    from crewmem.memories.store import Memories

    Tokenize = Callable[[str], Sequence[tuple[int, int, str]]]
    """The tokenizer of the full text: where a word begins and ends, and its stem."""

LEAST = 0.8
"""Part of all stems of two texts that both hold, from which on they are linked."""

MOST = 100
"""Memories that are looked at for a word, the latest: a text of common words alone has
no end of them."""

FEW = 60
"""Words of a text that are looked for at most, its longest."""

LINKED = 5
"""Links of one memory: the nearest."""


class Near(NamedTuple):
    """A memory that says nearly the same.

    Attributes:
        id: Its id.
        title: What it is about.
        similarity: The part of all words of both that they share, in [0, 1].
    """

    id: str
    title: str
    similarity: float


def jaccard(one: Collection[str], other: Collection[str]) -> float:
    """Return the part of all stems of both that both hold, in [0, 1]."""
    first, second = {*one}, {*other}
    together = len(first | second)
    return len(first & second) / together if together else 0.0


def rarest(
    stems: Collection[str], holding: dict[str, int], least: float = LEAST
) -> list[str]:
    """Return those of *stems* of which any text that is near holds one.

    Two sets of which the first has n stems share *least* of all only if they share
    least * n: so one of any n - ceil(least * n) + 1 stems is in both. The rarest of
    them lead to the fewest texts.
    """
    each = sorted({*stems}, key=lambda stem: (holding.get(stem, 0), stem))
    return each[: telling(len(each), least)]


def telling(count: int, least: float) -> int:
    """Return of how many stems of *count* any text that is near holds one."""
    return count - ceil(least * count) + 1


def nearest(
    memories: Memories, workspace: str, draft: Draft, tokenize: Tokenize
) -> list[tuple[float, Memory]]:
    """Return the live memories of the draft's owner that say nearly the same.

    Of its kind, nearest first; the draft itself must not be among them yet.
    """
    own = words(text_of(draft), tokenize)
    seqs = _offered(memories, own, LEAST)
    offered = memories.among(workspace, seqs, owner=draft.owner, kind=draft.kind)
    return _ranked(own, offered, tokenize, LEAST)[:LINKED]


def text_of(said: Draft | Memory) -> str:
    """Return the text by which memories are compared."""
    return f"{said.title}\n{said.content}"


def _offered(memories: Memories, own: dict[str, str], least: float) -> set[int]:
    """Return the places of what may be near: the latest that hold a rare word of it.

    How many hold a word is not counted further than that: to count those of a common
    one takes as long as the store is large. Long words are rare more often, so they are
    looked for first; when so many are rare that a text that is near holds one of them,
    the others say nothing more.
    """
    latest: dict[str, list[int]] = {}
    enough, rare = telling(len(own), least), 0
    for stem in sorted(own, key=lambda stem: (-len(stem), stem)):
        # The words themselves: a stem that is cut once more may be another.
        latest[stem] = memories.latest(_quoted(own[stem]), MOST)
        rare += len(latest[stem]) < MOST
        if rare == enough or len(latest) == max(FEW, enough):
            break
    counts = {stem: len(latest.get(stem, range(MOST + 1))) for stem in own}
    rarest_ones = rarest(own, counts, least)
    return {seq for stem in rarest_ones for seq in latest.get(stem, ())}


def _ranked(
    own: dict[str, str], offered: Sequence[Memory], tokenize: Tokenize, least: float
) -> list[tuple[float, Memory]]:
    found = [(jaccard(own, words(text_of(each), tokenize)), each) for each in offered]
    near = [pair for pair in found if pair[0] >= least]
    return sorted(near, key=lambda pair: (-pair[0], pair[1].seq))


def words(text: str, tokenize: Tokenize) -> dict[str, str]:
    """Return the stems of *text*, each with a word that it is the stem of."""
    utf8 = text.encode("utf-8", "replace")
    return {
        stem: utf8[first:last].decode("utf-8", "replace")
        for first, last, stem in tokenize(text)
    }


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
