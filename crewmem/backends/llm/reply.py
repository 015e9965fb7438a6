"""What a language model answered, made fit for use or refused. Pure."""

from __future__ import annotations

import re

from crewmem.backends.llm.fitting import fitted
from crewmem.errors.backends import BadReplyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.llm.prompt import Prompt

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a text does not hold: controls, but tabs and ends of lines."""

HALF = re.compile(r"[\ud800-\udfff]")
"""Half of a pair, which JSON can spell and nothing can store."""

THINKS, THOUGHT = "<think>", "</think>"
"""What is around the thoughts that some models say aloud before they answer."""


def fit(said: str, asked: Prompt, *, by: str, most: int) -> str:
    """Return what was *said* to *asked*, its last lines cut where it is too much.

    Args:
        said: The answer as it came.
        asked: What it is the answer to.
        by: The model, for messages.
        most: Characters of what is returned.

    Raises:
        BadReplyError: If it is empty or no text, or repeats what was told.
    """
    text = said.replace("\r\n", "\n").replace("\r", "\n").strip()
    text = _after_thought(text, by)
    if not text:
        raise BadReplyError(by, "it is empty")
    if HALF.search(text):
        raise BadReplyError(by, "it is not UTF-8")
    if CONTROL.search(text):
        raise BadReplyError(by, "it holds control characters")
    if asked.mark.casefold() in text.casefold():
        raise BadReplyError(by, "it repeats what it was asked")
    return fitted(text, most)


def _after_thought(text: str, by: str) -> str:
    """Return *text* without what was thought aloud before it."""
    if not text.startswith(THINKS):
        return text
    _, end, answer = text.partition(THOUGHT)
    if not end:
        raise BadReplyError(by, "it ends before the answer begins")
    return answer.strip()
