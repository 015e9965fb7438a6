"""Stored JSON as what it says, without the module ``json``.

That compiles patterns for what its part in C does, which costs a fiftieth of a recall.
What that part does not take as it stands is left to the module.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Scan = Callable[[str, int], tuple[Any, int]]


class _Plain:
    """How the part in C is to read: as ``json.loads`` does when it is told nothing."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float, parse_int, parse_constant = float, int, float


@cache
def _scanner() -> Scan | None:
    try:
        from _json import make_scanner
    except ImportError:  # not every Python has it
        return None
    scan: Any = make_scanner
    made: Scan = scan(_Plain)
    return made


def decoded(text: str) -> Any:  # noqa: ANN401 - whatever JSON says
    """Return what the JSON document *text* says, as ``json.loads`` would.

    Raises:
        ValueError: If it is none.
        RecursionError: If it is nested deeper than the interpreter goes.
    """
    if scan := _scanner():
        try:
            value, end = scan(text, 0)
        except (StopIteration, ValueError):
            pass
        else:
            if end == len(text):
                return value
    from json import loads

    return loads(text)
