"""The chain: a hash over each entry and the hash before it. Pure.

One chain a workspace. A hash with a key proves who wrote; a plain one finds accidents.
Which of the two one is, its first character tells, so that a chain that was begun
without a key goes on with one. What is hashed is a JSON array in UTF-8, without white
space: any program can check it. ``hashlib`` takes two milliseconds to import, and who
only reads needs none of it.
"""

from __future__ import annotations

import json

from crewmem.digests import sha256
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST = ""
"""What the first entry of a chain has for the hash before it."""

KEYED = "k"
"""What a hash with a key begins with; a plain one is hexadecimal digits alone."""

encoded = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode
"""Spell a value as it is hashed and stored: JSON without white space."""


class Head(NamedTuple):
    """Where the chain of a workspace ends.

    Attributes:
        entries: How many were ever appended to it.
        last_seq: The place of the last; 0 before the first.
    """

    entries: int = 0
    last_seq: int = 0
    last_hash: str = FIRST


def signed(text: str, key: bytes | None) -> str:
    """Return the hash of *text*, with *key* if there is one.

    Raises:
        UnicodeEncodeError: If it cannot be UTF-8.
    """
    if key is None:
        return sha256(text.encode())
    import hmac

    return KEYED + hmac.digest(key, text.encode(), "sha256").hex()


def is_keyed(signature: str) -> bool:
    """Tell whether *signature* was made with a key."""
    return signature.startswith(KEYED)


def is_signed(signature: str, text: str, key: bytes | None) -> bool:
    """Tell whether *signature* is that of *text*, keyed or plain as it says of itself.

    A plain one proves nothing against whoever can write: `verify` counts them.
    """
    if not is_keyed(signature):
        return signature == signed(text, None)  # anybody can make it: no secret
    if key is None:
        return False
    import hmac

    wanted = signed(text, key)
    return hmac.compare_digest(signature.encode(), wanted.encode())


def digest(payload: str) -> str:
    """Return what stands for a payload in the chain, and outlives it."""
    return sha256(payload.encode())


def content(fields: Sequence[object]) -> str:
    """Spell the fields of an entry for `linked`; the payload is its `digest`."""
    return encoded(list(fields))[1:]


def linked(previous: str, seq: int, content: str) -> str:
    """Return what is hashed of the entry at *seq*, after the hash *previous*."""
    return f'["entry","{previous}",{seq},{content}'


def head_text(workspace: str, head: Head) -> str:
    """Return what is signed of the end of a chain."""
    return encoded(["head", workspace, *head])


def checkpoint_text(workspace: str, created_at: str, reason: str, removed: str) -> str:
    """Return what is signed where entries were taken out."""
    return encoded(["checkpoint", workspace, created_at, reason, removed])


def priority_text(fields: Sequence[object]) -> str:
    """Return what is signed of a change of a priority."""
    return encoded(["priority", *fields])
