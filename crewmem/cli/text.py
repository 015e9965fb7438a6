"""Stored text on its way to a person: nothing in it can act on the terminal."""

from __future__ import annotations

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of what acts on a terminal or on its neighbours: controls,
formats (bidi, zero-width, tags), surrogates, line and paragraph separators."""

BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing."""

SELECTORS = range(0xE0100, 0xE01F0)
"""Variation selectors that no emoji uses, and that can carry hidden text."""


def visible(text: str, keep: str = "") -> str:
    r"""Return *text* with what cannot be seen in it spelled out, as ``\x1b``.

    Characters of *keep* are left as they are.
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(
        each if each in keep or _is_seen(each) else _spelled(each) for each in text
    )


def _is_seen(character: str) -> bool:
    if character.isascii():
        return character.isprintable()
    from unicodedata import category

    return not (
        category(character) in INVISIBLE
        or character in BLANK
        or ord(character) in SELECTORS
    )


SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def _spelled(character: str) -> str:
    if not character.isascii():
        return character.encode("ascii", "backslashreplace").decode("ascii")
    return SHORT.get(character, f"\\x{ord(character):02x}")
