"""Answers of language models, as far as they are what was asked for. Pure."""

from __future__ import annotations

import json
import re

NAMES = re.compile(
    r"\w+://[^\s)>\]]+|[\w.+-]+@[\w-]+\.\w+|`[^`\n]+`|(?<!\w)[~.]?/[\w./-]{2,}"
    r"|\b(?:\w+\.)+(?:com|net|org|io|dev|sh|ru|example)\b"
)
"""Addresses, commands and files, which a model may name if it was told of them."""


class NotBelievedError(ValueError):
    """What a model says is none of what was asked for, or is not believed.

    The message says why; the caller keeps it.
    """


def array(answer: str) -> list[object] | None:
    """Return the JSON array that *answer* holds, None for none.

    What stands around it is passed over: models like to say what follows.
    """
    first, last = answer.find("["), answer.rfind("]")
    try:
        found = json.loads(answer[first : last + 1] if first >= 0 else "")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def line(said: object) -> str:
    """Return what is *said* in one line; "" if it is no text."""
    return " ".join(said.split()) if isinstance(said, str) else ""


def require_named(text: str, told: str) -> None:
    """Refuse a *text* that names what *told*, which is case-folded, does not.

    Raises:
        NotBelievedError: If it names a command, a file or an address of its own.
    """
    for name in NAMES.findall(text):
        if name.strip("`.").casefold() not in told:
            raise NotBelievedError(
                "it names a command, a file or an address of its own"
            )
