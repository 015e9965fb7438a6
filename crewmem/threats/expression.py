"""Expressions that operators may write: those whose cost is bounded.

Letters, classes, groups and alternatives, and repetition with both bounds of what is
one character. What could take long on some text is refused when it is read, not when
that text comes.
"""

from __future__ import annotations

import re

LONGEST = 400
"""Characters of an expression."""

MOST_TIMES = 200
"""How often something may be repeated."""

MOST_WAYS = 1_000
"""In how many ways its repetitions may share a text between them."""

LEAST_NEEDED = 3
"""Letters in a row that each match has, by which the places to try are found."""

PIECE = re.compile(
    r"(?P<escape>\\[dDsSwWbB])|\\(?P<literal>[^a-zA-Z0-9])"
    r"|(?P<class>\[\^?(?:\\.|[^][\\&|~])+\])|(?P<open>\((?:\?:)?)(?!\?)|(?P<close>\))"
    r"|\{(?P<least>\d{1,3})(?:,(?P<most>\d{1,3}))?\}|(?P<maybe>\?)|(?P<bar>\|)"
    r"|(?P<any>[.^$])|(?P<plain>[^\\[\](){}?*+|.^$])"
)

OPEN = "a repetition needs both bounds, such as {0,40} for * and {1,40} for +"


def checked(pattern: str) -> str:
    """Return *pattern* if its cost is bounded.

    Raises:
        ValueError: If it is not; says why.
    """
    if not 0 < len(pattern) <= LONGEST:
        raise ValueError(f"it has to have 1 to {LONGEST} characters")
    at, ways, before = 0, 1, ""
    while at < len(pattern):
        piece = PIECE.match(pattern, at)
        if piece is None:
            raise ValueError(_refusal(pattern[at:]))
        kind = piece.lastgroup or ""
        if kind == "class" and "--" in piece[0]:
            raise ValueError("two hyphens in a class have no meaning here")
        if kind in {"least", "most"}:
            ways *= _ways(piece, before)
        elif kind == "maybe":
            ways *= 2
        if kind in {"maybe", "least", "most"} and before in {"", "maybe", "least"}:
            raise ValueError("a repetition stands behind nothing that can be repeated")
        before = "least" if kind == "most" else kind
        at = piece.end()
    if ways > MOST_WAYS:
        raise ValueError("its repetitions leave too many ways to match: fewer, or less")
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"it is no expression: {error.msg}") from error
    return pattern


def _ways(piece: re.Match[str], before: str) -> int:
    least = int(piece["least"])
    most = int(piece["most"] or least)
    if before == "close":
        raise ValueError("a group may be left out with ?, but not repeated")
    if not least <= most <= MOST_TIMES:
        raise ValueError(f"a repetition goes up to {MOST_TIMES}")
    return most - least + 1


def _refusal(rest: str) -> str:
    if rest[0] in "*+{":
        return OPEN
    if rest.startswith("(?"):
        return "of groups there are (…) and (?:…) only"
    return f"{rest[:2]!r} has no meaning here; put a backslash before a mark"


def needed(pattern: str) -> tuple[str, ...]:
    """Return letters of which some are in each match of a *pattern* that is checked.

    Raises:
        ValueError: If there are too few to look for.
    """
    found: list[str] = []
    for branch in _branches(pattern):
        longest = max(branch, key=len, default="")
        if len(longest) < LEAST_NEEDED:
            raise ValueError(
                f"each match needs {LEAST_NEEDED} letters or digits in a row that "
                "are always the same"
            )
        found.append(longest)
    return tuple(dict.fromkeys(found))


def _branches(pattern: str) -> list[list[str]]:
    """Return the literal runs of each alternative, but those in groups."""
    branches, run, depth = [[""]], "", 0
    for piece in PIECE.finditer(pattern):
        kind = piece.lastgroup
        letter = piece["literal"] or piece["plain"]
        if kind in {"maybe", "least", "most"} and piece["least"] != "1":
            run = run[:-1]
        if letter and depth == 0:
            run += letter
            continue
        branches[-1].append(run.lower())
        run = ""
        depth += (kind == "open") - (kind == "close")
        if kind == "bar" and depth == 0:
            branches.append([""])
    branches[-1].append(run.lower())
    return branches
