"""Whether something may be worth asking a model about: cheap signals. Pure.

What is passed over is never asked about, so a signal is a word that may stand near what
is kept, not one that has to. Data, as the families of phrases are.
"""

from __future__ import annotations

import re

PERSON = re.compile(
    r"(?i)\b(?:always|never|prefer\w*|decid\w*|agree\w*|choose|chose|chosen|instead"
    r"|must(?:n't)?|should(?:n't)?|don't|do not|stop|wrong|incorrect|mistake\w*"
    r"|actually|because|from now on|remember|remind|note|important|policy|rule\w*"
    r"|convention\w*|learn(?:ed|t)?|lesson\w*|turns out|root cause|todo|deadline"
    r"|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|use \S+ (?:for|in|as|not)"
    r"|our \w+|we (?:use|run|need|want|will|have)"
    r"|i (?:like|hate|want|need|use|am|work))\b"
)
"""Of what a person says."""

MODEL = re.compile(
    r"(?i)^\W*(?:decision|lessons?(?: learn(?:ed|t))?|root cause|todo|action item)\W"
    r"|\bthe root cause (?:was|is)\b",
    re.MULTILINE,
)
"""Of what a model says: it speaks of all these words all day."""

SHORTEST = 24
"""Characters of a turn in which somebody may have said something."""


def signals(text: str, *, is_person: bool = True) -> bool:
    """Tell whether *text* holds a word that may stand near what is kept."""
    return len(text) >= SHORTEST and bool((PERSON if is_person else MODEL).search(text))
