"""How a statement is worded on a card: bare, and of a third person. Pure."""

from __future__ import annotations

import re

from crewmem.prompt.operator_words import TREND

CLOSING = re.compile(
    r"(?i)(?:,? (?:by the way|btw|fyi|though|too|as well|thanks|thank you|please|haha"
    r"|lol|actually|here|anyway|already|now|currently|in case you wonder)"
    r"|(?:,|,? and|,? but) not (?:an?|the|in|on|for|at|with|from|any) .{1,80}"
    r"| \([^()]{1,80}\)| [:;]-?[)(DP])$"
)
"""What closes a sentence and adds nothing to what it states."""


def closed(clause: str) -> str:
    """Return *clause* without what only closes it."""
    while (bare := CLOSING.sub("", clause).rstrip(" .,;:!")) != clause:
        clause = bare
    return clause


def third_person(text: str) -> str:
    """Return *text*, which begins with a verb, as it is said of somebody else."""
    words = text.split(" ")
    skipped = {"only", "mostly"} | {*re.findall(r"\w+", TREND)}
    at = next((at for at, word in enumerate(words) if word.lower() not in skipped), 0)
    if words[at].lower() in {"don't", "don\u2019t", "do"}:
        words[at] = "doesn't" if "n" in words[at].lower() else "does"
    else:
        words[at] = _with_s(words[at])
    return " ".join(words)


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"
