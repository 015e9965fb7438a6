"""What a program laid into a conversation that nobody said: memory above all. Pure.

Who learns of what was recalled learns from itself: what stood in memory once would be
told again and again, each time as if somebody had said it. So blocks that crewmem and
other programs lay before a model are taken out before anything is looked for. A block
that is not closed reaches to the end: rather too little is learned than that.
"""

from __future__ import annotations

import re

from crewmem.prompt.defuse import NAMES, WRAPPER

BRACKETED = (*NAMES, "MEMORY RECOVERY")
"""Blocks of ours: from ``[NAME]``, with words behind the name or not, to its end."""

OTHERS = (
    "OTTERCAMP_AUTO_RECALL",
    "OTTERCAMP_COMPACTION_RECOVERY",
    "RECALLED CONTEXT",
)
"""Blocks of OtterCamp, each closed by ``[/NAME]``, or by an empty line."""

TAGS = (
    WRAPPER,
    "system-reminder",
    "memory-context",
    "relevant-memories",
    "relevant_memories",
    "claude-mem-context",
    "engram-context",
    "engram",
    "memories",
    "memory",
    "persistent-memory",
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "additional-context",
    "session-start-hook",
    "user-prompt-submit-hook",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "task-notification",
    "ide_selection",
    "ide_opened_file",
    "bd-prime",
)
"""Elements in which programs lay text before a model."""

OPENING = re.compile(
    r"\[\s*(?P<bracket>" + "|".join(BRACKETED) + r")\b[^\]\n]{0,200}\]"
    r"|\[\s*(?P<other>" + "|".join(OTHERS) + r")\s*\]"
    r"|<\s*(?P<tag>" + "|".join(map(re.escape, TAGS)) + r")(?:\s[^<>]{0,400})?>",
    re.IGNORECASE,
)

HINT = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?`?(?:m|j)_[0-9a-z]{6,12}`?[ \t]+\[[^\]\n]{1,60}\].*$",
    re.MULTILINE,
)
"""A line of recalled memory, wherever somebody copied it to."""

DEFUSED = "(defused: "
"""In a line in which a marker was defused: it is stored text."""


TEXT_MOST = 1 << 20
"""Characters of a turn that are looked at: more is a file that a tool read."""


def without_injected(text: str) -> str:
    """Return *text* without what was laid into it; of a very long one the beginning."""
    text = text[:TEXT_MOST]
    if not any(sign in text for sign in ("[", "<", "_", DEFUSED)):
        return text
    parts: list[str] = []
    at = 0
    while found := OPENING.search(text, at):
        parts.append(text[at : found.start()])
        at = _end(text, found)
    parts.append(text[at:])
    clean = HINT.sub("", "\n".join(parts) if len(parts) > 1 else text)
    if DEFUSED not in clean:
        return clean
    return "\n".join(each for each in clean.split("\n") if DEFUSED not in each)


def _end(text: str, opening: re.Match[str]) -> int:
    """Return where the block ends that *opening* opens."""
    if name := opening["bracket"]:
        closing = rf"\[\s*END\s+{re.escape(name)}\b[^\]\n]{{0,200}}\]"
    elif name := opening["other"]:
        closing = rf"\[\s*/\s*{re.escape(name)}\s*\]"
    else:
        closing = rf"</\s*{re.escape(opening['tag'])}\s*>"
    found = re.compile(closing, re.IGNORECASE).search(text, opening.end())
    return found.end() if found else len(text)
