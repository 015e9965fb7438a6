"""Rules of words: what is said to a reader who should not be spoken to.

A phrase is classes of `words.WORDS` in a row. ``~3`` is up to three words of the same
sentence, ``?`` makes optional, ``|`` is either, ``=word`` that word, ``!`` none of it
next, ``^`` the place of an order (a sentence's start, after "please" or "and"),
``.`` a sentence's end, ``:`` a colon, ``"`` a quotation mark, ``,`` any other mark.
"""

from __future__ import annotations

from crewmem.threats.demands import LEAKS, OUTPUT, READERS, THEFT
from crewmem.threats.orders import OVERRIDE, ROLES, TASKS, VOID
from crewmem.threats.turns import TURNS

PHRASES = OVERRIDE + VOID + TASKS + ROLES + TURNS + OUTPUT + LEAKS + READERS + THEFT
"""All of them."""
