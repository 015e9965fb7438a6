"""Whose word a text is (its origin class), and what that allows.

A sentence from outside, such as a web page's, never becomes a rule by being repeated, noted down
or summarised. Two questions keep it so. What makes a text of others asks `lowest_origin` for the
class of the result. What speaks to agents unasked (system prompts, the start of a session,
recovery, pins, lines and rules in memory files) takes only what `may_lead`.

The class of what an actor writes: `Access.origin`. The class of a file: `files/origins.py`.
"""

from collections.abc import Iterable

ORIGINS = ("external", "agent", "operator")
"""Classes of texts by who said them, the least trusted first."""


def lowest_origin(classes: Iterable[str]) -> str:
    """Return the least trusted of *classes*; ``operator`` when there are none."""
    return min(classes, key=ORIGINS.index, default="operator")


def may_lead(origin: str, *, pinned_by: str = "") -> bool:
    """Tell whether a text may lead agents, rather than be found when they ask.

    Args:
        pinned_by: The actor that pinned it; an operator who does so vouches for it.
    """
    return origin != "external" or pinned_by.startswith("operator:")


def may_instruct(origin: str) -> bool:
    """Tell whether a fact is supposed to hold instructions, as an agent's own files are.

    What a person told the crew is: nothing in it is suspicious, and only attacks count.
    """
    return origin == "operator"
