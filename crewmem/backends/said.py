"""What a service says, made fit for a message: visible, short, without keys. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 200
"""Characters that are repeated of what a service says."""

READ = 4 * MOST
"""Characters that are looked at: a key may end after those that are repeated."""

WINDOW = 8
"""As many characters of a key in a row are taken for a piece of it."""

HIDDEN = "…"

MEANINGS = {
    400: "the request was refused",
    401: "the key is refused",
    403: "it is forbidden",
    404: "there is no such model or path",
    405: "this is not allowed there",
    413: "the text is too long",
    429: "too many requests",
    500: "it failed",
    502: "it cannot be reached behind its gateway",
    503: "it is not available",
    504: "it did not answer its gateway in time",
    529: "it is overloaded",
}
"""What statuses mean, for answers that do not say it themselves."""


def problem(status: int, document: object, secrets: Sequence[str]) -> str:
    """Say what the answer *document* with *status* says is wrong."""
    said = visible(message(document), secrets) or MEANINGS.get(status, "")
    return f"HTTP {status}: {said}" if said else f"HTTP {status}"


def visible(text: str, secrets: Sequence[str]) -> str:
    """Return the beginning of *text* in one line without *secrets*.

    What a terminal could act on, or nobody could see, becomes a question mark.
    """
    line = " ".join(text[:READ].split())
    clean = "".join(c if c.isprintable() else "?" for c in line)
    for secret in secrets:
        clean = _without(clean, secret)
    return clean if len(clean) <= MOST else clean[: MOST - 1] + "…"


def message(document: object) -> str:
    """Return what services call their message, "" if there is none.

    Most have it in ``error``, or in ``message`` of that; some have ``message`` or
    ``detail`` alone.
    """
    if isinstance(document, list) and document:
        document = document[0]
    if not isinstance(document, dict):
        return ""
    error = document.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    named = (error, document.get("message"), document.get("detail"))
    return next((each for each in named if isinstance(each, str)), "")


def _without(text: str, secret: str) -> str:
    """Return *text* without any run of characters that is of *secret*."""
    width = min(WINDOW, len(secret))
    found = [False] * len(text)
    for i in range(len(secret) - width + 1 if secret else 0):
        at = text.find(secret[i : i + width])
        while at >= 0:
            found[at : at + width] = [True] * width
            at = text.find(secret[i : i + width], at + 1)
    kept = (
        HIDDEN if hidden and not before else "" if hidden else character
        for character, hidden, before in zip(text, found, [False, *found], strict=False)
    )
    return "".join(kept)
