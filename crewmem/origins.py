"""The origin class of a text, and what it permits.

A sentence from outside, such as a web page's, never becomes a rule by being repeated, noted down
or summarised. Two functions ensure this. Code that makes a text from other texts calls
`lowest_origin` for the class of the result. Texts that agents get unasked (system prompts, the
start of a session, recovery, pins, lines and rules in memory files) must pass `may_push`.

`Access.origin` decides the class of what an actor writes, `files/origins.py` that of a file.
"""

from collections.abc import Iterable

ORIGINS = ("external", "agent", "operator")
"""Origin classes, the least trusted first."""


def lowest_origin(classes: Iterable[str]) -> str:
    """Return the least trusted of *classes*; ``operator`` when there are none."""
    return min(classes, key=ORIGINS.index, default="operator")


def may_push(origin: str, *, pinned_by: str = "") -> bool:
    """Return whether agents may get a text unasked.

    Args:
        pinned_by: The actor that pinned it; an operator's pin vouches for it.
    """
    return origin != "external" or pinned_by.startswith("operator:")


def may_instruct(origin: str) -> bool:
    """Return whether a fact may contain instructions, as an agent's own files do.

    An operator's fact may. The scanner then reports attacks but no suspicious passages.
    """
    return origin == "operator"
