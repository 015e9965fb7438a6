"""Ids and short ids."""

import os
from collections.abc import Callable, Iterable, Sequence

from crewmem.errors import NotFoundError, UsageError, check_text

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 in lower case: without i, l, o and u, which are misread."""

ID_LENGTH = 12
"""Random characters of an id: 60 bits."""

_CHARACTERS = ALPHABET.encode() * 8
"""The character for each byte."""

SHORT_LENGTH = 6
"""Minimum random characters that a listing shows and a prefix needs."""

HAS_PREFIX = "id >= :prefix and id < :prefix || char(0x10ffff)"
"""SQL condition for the ids that begin with a prefix, which an index answers."""


def new_id(kind: str, random: Callable[[int], bytes] = os.urandom) -> str:
    """Make an id such as ``f_01jx7q4w9zkd``.

    Args:
        kind: A letter: ``f`` for a fact, ``j`` a journal entry, ``v`` a version, ``r`` a review
            item, ``s`` a session, ``e`` an evaluation run.
    """
    return f"{kind}_{random(ID_LENGTH).translate(_CHARACTERS).decode()}"


def id_from(kind: str, digest: bytes) -> str:
    """Make an id from the *digest* of a content; equal contents get equal ids."""
    return new_id(kind, lambda size: digest[:size])


def is_id(text: str) -> bool:
    """Return whether *text* is a complete id."""
    return (
        len(text) == ID_LENGTH + 2
        and text[1] == "_"
        and text[0].isalpha()
        and all(character in ALPHABET for character in text[2:])
    )


def shorten(identifier: str, others: Iterable[str]) -> str:
    """Return the shortest prefix of *identifier* that is unique among *others*.

    The id of an entry that another program wrote may begin like many others, so it stays whole.
    """
    if not is_id(identifier):
        return identifier
    length = identifier.find("_") + 1 + SHORT_LENGTH
    for other in others:
        if other != identifier:
            common = 0
            while identifier[common : common + 1] == other[common : common + 1] != "":
                common += 1
            length = max(length, common + 1)
    return identifier[:length]


def shorten_all(identifiers: Sequence[str]) -> dict[str, str]:
    """Return a short prefix for each of *identifiers*, unique among them."""
    ordered = sorted(set(identifiers))
    return {
        identifier: shorten(identifier, ordered[max(index - 1, 0) : index + 2])
        for index, identifier in enumerate(ordered)
    }


def resolve_prefix(prefix: str, candidates: Sequence[str], what: str, hint: str = "") -> str:
    """Return the one id in *candidates* that equals or begins with *prefix*.

    Raises:
        UsageError: If the prefix is too short, or several ids begin with it.
        NotFoundError: If no id matches.
    """
    check_text("id", prefix)
    if prefix in candidates:
        return prefix
    if len(prefix.partition("_")[2]) < SHORT_LENGTH:
        raise UsageError(
            f"'{prefix}' is not an id: a letter, a '_' and at least {SHORT_LENGTH} characters",
            code="bad-id",
            hint=hint,
        )
    if not candidates:
        code = f"{what.replace(' ', '-')}-not-found"
        raise NotFoundError(f"there is no {what} '{prefix}'", code=code, hint=hint)
    if len(candidates) > 1:
        names = ", ".join(sorted(candidates)[:5])
        raise UsageError(
            f"'{prefix}' is ambiguous: it matches {names}", code="ambiguous-id", hint=hint
        )
    return candidates[0]


def bad_cursor(cursor: str) -> UsageError:
    """Return the error for an unknown cursor."""
    return UsageError(
        f"'{cursor[:80]}' is not a cursor of this list",
        code="bad-cursor",
        hint="leave out --after to begin with the first page",
    )
