"""Names that last: ids of entries and memories, and slugs of what people name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32 in lower case: no i, l, o, u, so nothing is misread aloud."""

ID_DIGITS = 12
"""60 bits: a million ids meet by chance once in two million stores."""

SHORT_DIGITS = 6
"""What a listing shows of an id at least; also the shortest prefix accepted."""

NAMED = 5
"""Candidates that are named for a prefix that several ids begin with."""

SLUG_MOST = 64
"""Most characters of a slug: it is a directory's name, and part of longer ones."""

_SLUG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


def new(kind: str, randomness: Callable[[int], bytes]) -> str:
    """Make an id such as ``m_01jx7q4w9zkd``.

    Args:
        kind: What it names: ``j`` a journal entry, ``m`` a memory.
        randomness: Returns that many random bytes, as `os.urandom`.
    """
    number = int.from_bytes(randomness(8))
    digits = (DIGITS[number >> 5 * place & 31] for place in range(ID_DIGITS))
    return f"{kind}_{''.join(digits)}"


def made_of(kind: str, content: bytes) -> str:
    """Make an id of *content*: the same one whenever that is the same."""
    from crewmem.digests import sha256

    digest = bytes.fromhex(sha256(content))
    return new(kind, lambda size: digest[:size])


def shortest(ids: Iterable[str], *, among: Iterable[str] = ()) -> dict[str, str]:
    """Return for each of *ids* a prefix that no other id begins with.

    A prefix keeps at least `SHORT_DIGITS` characters after the kind; an id that
    another one begins with is its own prefix.

    Args:
        ids: Those to shorten.
        among: Others that can be meant. Of a whole store the neighbours of each
            id, in the order of text, are enough.
    """
    wanted = set(ids)
    ordered = sorted(wanted.union(among))
    return {
        each: each[: max(_shown(each), _shared(each, ordered, place) + 1)]
        for place, each in enumerate(ordered)
        if each in wanted
    }


def meant(
    name: str,
    candidates: Sequence[str],
    *,
    missing: Callable[[], Exception],
    several: Callable[[list[str]], Exception],
) -> str:
    """Return the id that *name* is, or begins.

    Args:
        name: As somebody typed it.
        candidates: The ids that begin so, as far as one may see them.
        missing: Makes what is raised if there is none.
        several: Makes what is raised if there are several, of the first of them.

    Raises:
        PrefixTooShortError: If *name* is no id, and short.
    """
    if name in candidates:
        return name
    if len(name) < SHORT_DIGITS:
        from crewmem.errors.values import PrefixTooShortError

        raise PrefixTooShortError(name, SHORT_DIGITS)
    if not candidates:
        raise missing()
    if len(candidates) > 1:
        raise several(sorted(candidates)[:NAMED])
    return candidates[0]


def is_slug(text: str) -> bool:
    """Tell whether *text* is ``[a-z0-9][a-z0-9-]{0,63}``."""
    return 0 < len(text) <= SLUG_MOST and text[0] != "-" and _SLUG.issuperset(text)


def _shown(each: str) -> int:
    return each.find("_") + 1 + SHORT_DIGITS


def _shared(each: str, ordered: list[str], place: int) -> int:
    """Count the characters that *each* shares with the nearer of its neighbours."""
    neighbours = ordered[max(place - 1, 0) : place] + ordered[place + 1 : place + 2]
    return max((_common(each, other) for other in neighbours), default=0)


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
