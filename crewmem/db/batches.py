"""Values in as many at a time as one statement takes. Pure."""

from __future__ import annotations

from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    Value = TypeVar("Value")


def batched(values: Iterable[Value], size: int) -> Iterator[list[Value]]:
    """Yield *values* in lists of *size*, the last of which may be shorter."""
    left = iter(values)
    while some := list(islice(left, size)):
        yield some
