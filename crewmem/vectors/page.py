"""A page of vectors: what is in one, how many, and how it is packed.

A page has slots. A slot whose vector was removed keeps its place, so that a removal
writes a few bytes; its owner is `GONE`. The first pass of a search reads the packed
half of a page (keys, owners, scales, codes), in one piece. The vectors themselves lie
in parts, of which a search reads those of the few that are worth a second look.
"""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.retrieval.numerics import np
from crewmem.retrieval.vectors import quantised
from crewmem.vectors.pages_store import PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from crewmem.retrieval.vectors import Bytes, Floats, Keys

    Owners = npt.NDArray[np.int32]

GONE = -(2**31)
"""The owner of a slot whose vector was removed; no row of `owners` has this id."""

HEAD = 16
"""Bytes of a slot besides its code: a key, an owner and a scale."""

PART_BYTES = 65_400
"""Of the vectors of one part: with its row's head it fills a page of the database,
which has 64 KiB, and needs no second."""

PAGE_BYTES = 400_000
"""Of a page that is packed. Half as much, and a scan of 100,000 vectors took half as
long again; twice as much, and it took the same, but to add one vector took longer."""


class Page(NamedTuple):
    """The packed half of a page, unpacked."""

    keys: Keys
    owners: Owners
    scales: Floats
    codes: Bytes


def slots_of_part(dim: int) -> int:
    """Return how many vectors of *dim* numbers are in a part."""
    return max(1, PART_BYTES // (4 * dim))


def slots_of_page(dim: int) -> int:
    """Return how many vectors of *dim* numbers are in a page: whole parts."""
    part = slots_of_part(dim)
    return part * min(PARTS, max(1, PAGE_BYTES // ((dim + HEAD) * part)))


def made(keys: Keys, owners: Owners, vectors: Floats) -> tuple[Page, float]:
    """Return the packed half of *vectors*, and the slack of their codes."""
    codes, scales, slack = quantised(vectors)
    return Page(keys, owners, scales, codes), slack


def joined(one: Page, other: Page) -> Page:
    """Return the slots of *one*, then those of *other*."""
    return Page(
        np.concatenate([one.keys, other.keys]),
        np.concatenate([one.owners, other.owners]),
        np.concatenate([one.scales, other.scales]),
        np.concatenate([one.codes, other.codes]),
    )


def pack(page: Page) -> bytes:
    """Return *page* as it is stored."""
    return b"".join(
        [
            page.keys.astype("<i8").tobytes(),
            page.owners.astype("<i4").tobytes(),
            page.scales.astype("<f4").tobytes(),
            page.codes.tobytes(),
        ]
    )


def unpack(packed: bytes | bytearray | memoryview, slots: int, dim: int) -> Page:
    """Return what `pack` made of a page of *slots*, as a view of *packed*."""
    heads = slots * 8, slots * 12, slots * HEAD
    return Page(
        np.frombuffer(packed, "<i8", slots),
        np.frombuffer(packed, "<i4", slots, heads[0]),
        np.frombuffer(packed, "<f4", slots, heads[1]),
        np.frombuffer(packed, "i1", slots * dim, heads[2]).reshape(slots, dim),
    )


def unpack_heads(packed: memoryview, slots: int) -> tuple[Keys, Owners]:
    """Return keys and owners of the first bytes of a page, as views."""
    return (
        np.frombuffer(packed, "<i8", slots),
        np.frombuffer(packed, "<i4", slots, slots * 8),
    )


def parts(vectors: Floats, first: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (number, bytes) of the parts of a page, the vectors from slot *first* on.

    *first* must be the first slot of a part.
    """
    per_part = slots_of_part(vectors.shape[1])
    for at in range(0, len(vectors), per_part):
        yield (first + at) // per_part, vectors[at : at + per_part].tobytes()


def unpack_part(packed: bytes | bytearray | memoryview, dim: int) -> Floats:
    """Return the vectors of a part, as a view of *packed*."""
    return np.frombuffer(packed, "<f4").reshape(-1, dim)
