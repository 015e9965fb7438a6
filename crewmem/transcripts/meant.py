"""Of which family a sentence is, and for whom it was said. Pure."""

from __future__ import annotations

import re
from functools import cache

from crewmem.transcripts.phrases import FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.transcripts.phrases import Family

UNSURE = re.compile(
    r"(?i)\?\s*[\"')\]]*$|^(?:if|when|whether|unless|suppose|imagine|what if|should"
    r"|shall|could|can|would|do|does|did|is|are|was|were|have|has|why|how|who|what"
    r"|where|which)\b(?!.*\b(?:always|never|please)\b)"
    r"|\b(?:maybe|perhaps|might|not sure|i think we could|wonder|hypothetically"
    r"|for example|e\.g\.|lorem ipsum|just kidding)\b"
)
"""Questions, conditions and guesses: nothing of these was said to be so."""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@cache
def _any(role: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what matches the beginning of any sentence of a family, and the rest.

    Most sentences are of no family, and those that have to begin so are told at once:
    a search would look for their beginning everywhere.
    """
    patterns = [each.pattern for each in FAMILIES if role in each.roles]
    first = [f"(?:{each[1:]})" for each in patterns if each[0] == "^"]
    anywhere = [f"(?:{each})" for each in patterns if each[0] != "^"]
    return (
        re.compile("|".join(first) or NEVER, re.IGNORECASE),
        re.compile("|".join(anywhere) or NEVER, re.IGNORECASE),
    )


NEVER = "(?!)"
"""Matches nothing."""


def family_of(sentence: str, role: str) -> Family | None:
    """Return the first family that *sentence*, which *role* said, is of; else None."""
    first, anywhere = _any(role)
    if not (first.match(sentence) or anywhere.search(sentence)):
        return None
    if UNSURE.search(sentence):
        return None
    for each in FAMILIES:
        if role in each.roles and _compiled(each.pattern).search(sentence):
            return each
    return None


WIDER = (
    (
        "workspace",
        re.compile(
            r"(?i)\b(?:company|org(?:ani[sz]ation)?)[- ]wide\b|\b(?:all|every) crews?\b"
            r"|\bacross (?:all )?crews\b|\bthe whole (?:company|organi[sz]ation)\b"
        ),
    ),
    (
        "crew",
        re.compile(
            r"(?i)\b(?:all|every) (?:of the |the )?agents?\b|\ball of you\b"
            r"|\b(?:every(?:one|body)|the whole (?:team|crew)|(?:team|crew)-wide)\b"
            r"|\bfor the (?:whole )?(?:team|crew)\b"
        ),
    ),
)
"""Words by which somebody says that it is for others as well, the widest first."""


def scope_of(sentence: str) -> str:
    """Return for whom *sentence* is: agent, unless it says more."""
    for scope, words in WIDER:
        if words.search(sentence):
            return scope
    return "agent"
