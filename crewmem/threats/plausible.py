"""Whether a phrase is one of an attack: the sentence it stands in has a say.

Some phrases are as often in a note of work. They count only in a sentence that is not
far from an order, by the weights of `manner`.
"""

from __future__ import annotations

from crewmem.threats.lexicon import END
from crewmem.threats.manner import WINDOW, scale

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.threats.grammar import Words

DOUBTED = frozenset(
    {
        "act-as",
        "conceal-from-person",
        "hide-from-person",
        "in-every-reply",
        "override-all-earlier-material",
        "override-everything",
        "override-material-then",
        "pretend-you-are",
        "repeat-after-me",
        "reply-exactly",
        "reply-with-only",
        "send-secrets",
        "i-command-you",
        "send-there-secrets",
        "show-hidden-orders",
        "show-system-prompt",
        "to-there-send-secrets",
        "without-telling",
        "you-are-now",
        "your-new-role",
    }
)
"""Rules whose words are met in manuals and among colleagues."""

LENIENT = 300
"""Hundredths that the sentence may weigh less than an order."""


def is_plausible(said: Words, first: int, last: int) -> bool:
    """Tell whether the words from *first* to *last* stand in what may be an order."""
    known, masks = scale(), said.masks
    least = max(last + 1 - WINDOW, 0)
    start = first
    while start > least and not masks[start - 1] & END:
        start -= 1
    is_start = start == 0 or bool(masks[start - 1] & END)
    end = last + 1
    while end < min(start + WINDOW, len(masks)) and not masks[end] & END:
        end += 1
    weight = known.weigh(masks[start:end], is_start=is_start)
    weight += known.weigh_words(said.tokens[start:end])
    return weight >= known.needed - LENIENT
