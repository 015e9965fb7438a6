"""Whether a question asks when something was, and whether a text tells such. Pure.

In English, as `dates`. What is told in words that count from the day on which they
were said ("last Friday") holds no word of the question, and no date.
"""

from __future__ import annotations

import re

WHEN = r"(?i)\b(?:when|how long ago|(?:what|which) (?:date|day|week|month|year|time))\b"

DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

MOMENT = (
    r"(?i)\b(?:yesterday|today|tonight|tomorrow"
    r"|(?:last|next|this) (?:night|morning|evening|week|weekend|month|year"
    r"|spring|summer|autumn|fall|winter)"
    rf"|(?:day|week|weekend|month|year)s? ago|{DAYS}"
    r"|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|(?:19|20)\d\d)\b"
)
"""That a "may" is no month here and there does no harm: it is a hint."""

LONGEST = 2_000
"""Characters of a text that are looked at: of remarks that is all."""


def asks_when(text: str) -> bool:
    """Tell whether *text* asks for a time."""
    return bool(re.search(WHEN, text[:LONGEST]))


def tells_when(text: str) -> bool:
    """Tell whether *text* names a day, a month, a year or another such time."""
    return bool(re.search(MOMENT, text[:LONGEST]))
