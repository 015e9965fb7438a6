"""A file that goes into a bundle, told by its hash before it is written. Pure."""

from __future__ import annotations

import hashlib

from crewmem.bundles.manifest import Item
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Pieces = Callable[[], Iterable[bytes]]
    """Makes what a file holds, the same whenever it is asked."""

PIECE = 1 << 16
"""Bytes that are written together, about."""


class Part(NamedTuple):
    """A file of a bundle.

    Attributes:
        item: What the manifest says of it.
        pieces: Makes what it holds.
    """

    item: Item
    pieces: Pieces


def part(path: str, tier: str, pieces: Pieces) -> Part:
    """Return the file at *path* that holds *pieces*, which are asked for once here."""
    digest = hashlib.sha256()
    size = 0
    for piece in pieces():
        digest.update(piece)
        size += len(piece)
    return Part(Item(path, tier, digest.hexdigest(), size), pieces)


def whole(path: str, tier: str, content: bytes) -> Part:
    """Return the file at *path* that holds *content*."""
    digest = hashlib.sha256(content).hexdigest()
    return Part(Item(path, tier, digest, len(content)), lambda: [content])


def in_pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield *lines*, each with its end, many at a time."""
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= PIECE:
            yield "\n".join([*held, ""]).encode()
            held, size = [], 0
    if held:
        yield "\n".join([*held, ""]).encode()
