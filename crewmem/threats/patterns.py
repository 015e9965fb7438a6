"""Rules of characters: forged structure, commands that carry something off.

Expressions are of folded text, in lower case, and every repetition in them is
bounded, so that their cost is linear. A text is searched only around the words that a
rule needs.
"""

from __future__ import annotations

from crewmem.threats.carriers import CARRIERS
from crewmem.threats.commands import COMMANDS
from crewmem.threats.structure import STRUCTURE

PATTERNS = STRUCTURE + CARRIERS + COMMANDS
"""All of them."""
