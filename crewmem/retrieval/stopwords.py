"""Words that say nothing about a subject, in English and Czech.

Lower case. The Czech ones also stand without accents, as they are often typed. A
negation says something and is in neither list.
"""

from __future__ import annotations

ENGLISH = """
a about after am an and any are as at be been being but by can could did do does for
from had has have having he her hers him his how i if in is it its may me might must my
of on or our ours shall she should so than that the their theirs them then there these
they this those to us was we were what when where which who why will with would you
your yours
"""

CZECH = """
a aby ale ani až az co další dalsi do i jak jako je jsem jsme jsou již jiz k kde která
ktera které ktere který ktery na nebo než nez o po pro při pri s se si tak také take to
u už uz v ve z za že ze
"""

STOP_WORDS = frozenset(f"{ENGLISH} {CZECH}".split())
"""Left out of a question when other words remain."""

OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})
"""Words that were operators where a query with operators is asked as plain words."""

CLITICS = frozenset({"d", "ll", "m", "re", "s", "ve"})
"""What follows an apostrophe and belongs to no name: what's, we'll, I'm."""
