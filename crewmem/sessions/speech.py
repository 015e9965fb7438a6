"""Split a turn into statements, without text that programs inserted or people pasted. Pure.

A person's statement is a line of a message: people give the reason in the same line. Its sentences
count separately if only some matter. An agent's statement is a sentence or list item: agents report
much and conclude little.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from crewmem.sessions.turns import USER
from crewmem.text.judgement import TurnPlace
from crewmem.text.patterns import Patterns
from crewmem.text.statements import (
    Statement,
    count_words,
    is_meaningful,
    measure_width,
    read_statements,
)

MIN_LENGTH, MAX_LENGTH = 12, 420
"""Length of a statement by `measure_width`. A longer paragraph is split into sentences."""

MIN_WORDS = 3

MAX_TURN_LENGTH = 24_000
"""Maximum characters of a turn that is read; a longer one contains a pasted file."""

MIN_PASTED_LINES = 3
"""Number of lines of output from which the lines between them are output, too. People wrap at most
so many lines by hand."""


PATTERNS = Patterns(
    lambda: tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["patterns"]
)
"""The patterns of ``speech.toml``."""


def list_turn_places(
    turns: Sequence[tuple[str, Sequence[Statement]]], *, has_begun: bool = False
) -> list[TurnPlace]:
    """Return the place of each turn in its session.

    Args:
        turns: Role and statements of each turn, in order.
        has_begun: Whether a person spoke before the first of them.
    """
    places = []
    was_asked, has_person = False, has_begun
    for number, (role, statements) in enumerate(turns):
        following = turns[number + 1][0] if number + 1 < len(turns) else USER
        is_person = role == USER
        places.append(
            TurnPlace(
                is_first=is_person and not has_person,
                is_answer=is_person and was_asked,
                is_final=not is_person and following == USER,
                is_brief=is_person and len(statements) <= 2,
            )
        )
        has_person = has_person or is_person
        was_asked = not is_person and bool(statements) and statements[-1].text.endswith(("?", "？"))
    return places


def strip_injected(text: str) -> str:
    """Return *text* without text that programs inserted, such as recalled memory.

    Facts must not be extracted from recalled facts. A block without an end extends to the end of
    the text.
    """
    text = PATTERNS["placeholder"].sub("", PATTERNS["program"].sub("", text))
    if "[" not in text and "<" not in text and "_" not in text:
        return text
    parts: list[str] = []
    offset = 0
    while match := PATTERNS["injected"].search(text, offset):
        parts.append(text[offset : match.start()])
        if name := match["own"]:
            closing = rf"\[\s*END\s+{re.escape(name)}\b[^\]\n]{{0,200}}\]"
        elif name := match["foreign"]:
            closing = rf"\[\s*/\s*{re.escape(name)}\s*\]"
        else:
            closing = rf"</\s*{re.escape(match['tag'])}\s*>"
        end = re.compile(closing, re.IGNORECASE).search(text, match.end())
        offset = end.end() if end else len(text)
    parts.append(text[offset:])
    return PATTERNS["hint"].sub("", "\n".join(parts))


def extract_statements(text: str, role: str) -> list[Statement]:
    """Return the statements of a turn, without code, quotes, output and pasted files."""
    text = strip_injected(text)
    is_person = role == USER
    if len(text) > MAX_TURN_LENGTH or (is_person and PATTERNS["prompt"].search(text)):
        return []
    lines = PATTERNS["fence"].sub("\n", text).split("\n")
    skipped = _find_output(lines)
    if is_person:
        skipped |= _find_padded(lines) | _find_announced(lines)
        lines = [PATTERNS["quoted"].sub("", line) for line in lines]
    rest = "\n".join("" if number in skipped else line for number, line in enumerate(lines))
    statements = read_statements(
        rest, split_length=MAX_LENGTH if is_person else 0, joins_lines=not is_person
    )
    return [each for each in statements if has_fact_length(each)]


def has_fact_length(statement: Statement) -> bool:
    """Return whether a statement is neither too short nor too long for a fact."""
    text = statement.text
    return (
        len(text) <= MAX_LENGTH
        and measure_width(text) >= MIN_LENGTH
        and count_words(text) >= MIN_WORDS
        and is_meaningful(text)
    )


def _find_output(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a program printed, and of those between many such lines."""
    output = [number for number, line in enumerate(lines) if PATTERNS["output"].match(line)]
    found = set(output)
    if len(output) >= MIN_PASTED_LINES and 3 * len(output) > output[-1] - output[0]:
        found |= set(range(output[0], output[-1] + 1))
    return found


def _find_padded(lines: list[str]) -> set[int]:
    """Return the numbers of lines copied from a terminal, which pads them with spaces."""
    found = {number for number, line in enumerate(lines) if line.strip() and line.endswith("   ")}
    return found if len(found) >= MIN_PASTED_LINES else set()


def _find_announced(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a person pasted below a line such as "I see this error:".

    These are the paragraph below it, and following paragraphs up to one in a person's words. A
    command at a prompt announces its output in the same way.
    """
    found: set[int] = set()
    is_pasted = is_below = was_blank = False
    for number, line in enumerate(lines):
        text = line.strip()
        if PATTERNS["announced"].search(text) or PATTERNS["prompted"].match(text):
            is_pasted = is_below = True
        elif is_pasted and text:
            if is_below:
                is_pasted = not PATTERNS["own"].match(line)
            elif was_blank:
                is_pasted = line.startswith("  ") or not PATTERNS["personal"].search(text)
            is_below = False
            if is_pasted:
                found.add(number)
        was_blank = not text
    return found


def drop_disputed(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return a person's statements without those that they quote first to contradict them."""
    disputed = [
        number
        for number, each in enumerate(statements)
        if PATTERNS["disputes"].match(each.text.replace("’", "'"))
    ]
    return statements[disputed[-1] :] if disputed else statements
