"""Stored text as a part of one line, in which nothing that it holds can act. Pure."""

from __future__ import annotations

from crewmem.prompt.defuse import defused
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.threats.rule import Finding, Scan

SHORT_NAME = len("topics/ignore-all")
"""Shorter names have no room for an instruction or a secret."""

OPEN = "<\ufe64\uff1c"
"""What a reader may take for the beginning of a tag: the sign, small and wide."""

KEPT = frozenset(
    "\u200c\u200d"  # joiners of emoji, and of Persian and Indic letters
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2"  # signs that are seen
)
"""Format characters without which honest text is another."""

ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of what is not seen and changes how the rest is read: controls,
formats (bidi, tags, zero width), lone surrogates, separators."""

SELECTORS = range(0xE0100, 0xE01F0)
"""Variation selectors that no emoji uses, and that can carry hidden text."""


def one_line(text: str) -> str:
    """Return *text* on one line, which opens no tag and hides nothing.

    White space is folded: a line that begins with what it says is not to be had. What
    is said in crewmem's own words is defused, what could open a tag is spelled as in
    HTML, and what cannot be seen as Python spells it.
    """
    folded = defused(" ".join(text.split()))
    if folded.isascii() and folded.isprintable():
        return folded.replace("<", "&lt;")
    return "".join(map(_shown, folded))


def may_say(name: str) -> bool:
    """Tell whether there is room for an instruction or a secret in *name*."""
    return len(name) >= SHORT_NAME or not name.isascii()


def poison_in(name: str, scan: Scan) -> Finding | None:
    """Return why *name*, of a thing or of a kind of things, may not be said."""
    return gravest(scan(name)) if may_say(name) else None


def _shown(character: str) -> str:
    if character in OPEN:
        return "&lt;"
    if character in KEPT or character == " ":
        return character
    from unicodedata import category

    if category(character) not in ACTING and ord(character) not in SELECTORS:
        return character
    spelled = character.encode("ascii", "backslashreplace").decode("ascii")
    return f"\\x{ord(character):02x}" if character.isascii() else spelled


def quoted(word: str) -> str:
    """Return *word* as a shell takes it for one."""
    plain = word.replace("/", "").replace("_", "").replace("-", "").replace(".", "")
    if plain.replace(":", "").isalnum() and plain.isascii():
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
