"""Wording of output."""

from collections.abc import Mapping

WITHOUT_PLURAL = frozenset({"voted-down", "quarantine", "outbox"})
"""Kinds of review items whose names have no plural."""

MARK_START, MARK_END = "\x02", "\x03"
"""Marks around matched words in snippets: shown bold on terminals, absent from JSON."""


def unmark(text: str) -> str:
    """Return *text* without the marks around matched words."""
    return text.replace(MARK_START, "").replace(MARK_END, "")


def cut_at_word(text: str, limit: int) -> str:
    """Return *text*, or its beginning up to a space within *limit* characters and an ellipsis.

    A word is cut if it is longer than half the limit.

    >>> cut_at_word("Deploys happen on Tuesdays", 20), cut_at_word("部署在星期二", 4)
    ('Deploys happen on…', '部署在…')
    >>> cut_at_word("refused in crew:harbor/topics/deploys.md", 27)
    'refused in crew:harbor/top…'
    """
    if len(text) <= limit:
        return text
    head = text[:limit].rpartition(" ")[0]
    return (head if len(head) * 2 > limit else text[: limit - 1]) + "…"


def count(number: int, singular: str, plural: str = "") -> str:
    """Return ``1 file`` or ``3 files``; *plural* is for nouns that take more than an s."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def describe_counts(counts: Mapping[str, int]) -> list[str]:
    """Describe counts in words; their names are such as ``entries_archived``.

    >>> describe_counts({"entries_archived": 41, "suites_run": 1, "losses": 1})
    ['41 entries archived', '1 suite run', '1 loss']
    """
    described = []
    for name, number in counts.items():
        noun, *rest = name.split("_")
        if number == 1 and noun.endswith("s"):
            endings = {"ies": "y", "sses": "ss", "s": ""}
            ending = next(each for each in endings if noun.endswith(each))
            noun = noun.removesuffix(ending) + endings[ending]
        described.append(" ".join([f"{number:,}", noun, *rest]))
    return described


def list_counts(counts: Mapping[str, int]) -> str:
    """Return ``2 contradictions, 1 plan`` from the number of review items by kind."""
    return ", ".join(
        count(number, kind, kind if kind in WITHOUT_PLURAL else "")
        for kind, number in counts.items()
    )
