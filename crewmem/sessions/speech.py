"""What somebody said in a turn, statement by statement, without what programs put there.

A person's statement is a line of a message: people explain themselves in the same breath. Its
sentences count when one matters among others that do not. An agent's statement is a sentence or
list item: it reports a lot and concludes a little. Pure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from crewmem.sessions.turns import USER
from crewmem.text.judgement import TurnPlace
from crewmem.text.patterns import Patterns
from crewmem.text.statements import Statement, count_words, is_whole, read_statements, weigh

MIN_LENGTH, MAX_LENGTH = 12, 420
"""Characters of a statement, as they are weighed; a longer paragraph is cut into sentences."""

MIN_WORDS = 3

PASTED_FROM = 24_000
"""Characters of a turn from which it is a pasted file, and not read."""

WRAPPED_FROM, WRAPPED_TO = 60, 130
"""Characters of a line that ends in the middle of a sentence because a program wrapped it."""

PASTED_LINES = 3
"""Lines of output from which the lines between them count as output, too; and most lines that a
person wraps by hand."""


PATTERNS = Patterns(
    lambda: tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["patterns"]
)
"""The patterns of ``speech.toml``."""


def find_places(
    turns: Sequence[tuple[str, Sequence[Statement]]], *, has_begun: bool = False
) -> list[TurnPlace]:
    """Return the place of each turn: role and statements, in the order of the session.

    Args:
        has_begun: Whether a person spoke before the first of them.
    """
    places = []
    was_asked, asks_to_explain, has_person = False, False, has_begun
    for number, (role, statements) in enumerate(turns):
        following = turns[number + 1][0] if number + 1 < len(turns) else USER
        is_person = role == USER
        places.append(
            TurnPlace(
                is_first=is_person and not has_person,
                is_answer=is_person and was_asked,
                is_final=not is_person and following == USER,
                is_brief=is_person and len(statements) <= 2,
                is_explained=not is_person and asks_to_explain,
            )
        )
        if is_person:
            asks_to_explain = any(PATTERNS["explain"].search(each.text) for each in statements)
        has_person = has_person or is_person
        was_asked = not is_person and bool(statements) and statements[-1].text.endswith(("?", "？"))
    return places


def strip_injected(text: str) -> str:
    """Return *text* without what programs put into it: memory above all.

    Who learns from what was recalled learns from itself. A block that is not closed reaches to
    the end: rather too little is learned.
    """
    text = PATTERNS["program"].sub("", text)
    if "[" not in text and "<" not in text and "_" not in text:
        return text
    parts: list[str] = []
    at = 0
    while match := PATTERNS["injected"].search(text, at):
        parts.append(text[at : match.start()])
        if name := match["own"]:
            closing = rf"\[\s*END\s+{re.escape(name)}\b[^\]\n]{{0,200}}\]"
        elif name := match["foreign"]:
            closing = rf"\[\s*/\s*{re.escape(name)}\s*\]"
        else:
            closing = rf"</\s*{re.escape(match['tag'])}\s*>"
        end = re.compile(closing, re.IGNORECASE).search(text, match.end())
        at = end.end() if end else len(text)
    parts.append(text[at:])
    return PATTERNS["hint"].sub("", "\n".join(parts))


def read_said(text: str, role: str) -> list[Statement]:
    """Return the statements of a turn: code, quotes, output and pasted files are none."""
    text = strip_injected(text)
    is_person = role == USER
    if len(text) > PASTED_FROM or (is_person and PATTERNS["prompt"].search(text)):
        return []
    lines = PATTERNS["fence"].sub("\n", text).split("\n")
    skipped = _find_output(lines)
    if is_person:
        skipped |= _find_wrapped(lines) | _find_padded(lines) | _find_announced(lines)
        lines = [PATTERNS["quoted"].sub("", line) for line in lines]
    said = "\n".join("" if number in skipped else line for number, line in enumerate(lines))
    found = read_statements(
        said, sentences_from=MAX_LENGTH if is_person else 0, joins_lines=not is_person
    )
    return [each for each in found if is_speakable(each)]


def is_speakable(statement: Statement) -> bool:
    """Tell whether a statement is neither too short to say something nor too long for a fact."""
    text = statement.text
    return (
        len(text) <= MAX_LENGTH
        and weigh(text) >= MIN_LENGTH
        and count_words(text) >= MIN_WORDS
        and is_whole(text)
    )


def _find_output(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a program printed, or that stand between many such."""
    marked = [number for number, line in enumerate(lines) if PATTERNS["output"].match(line)]
    found = set(marked)
    if len(marked) >= PASTED_LINES and 3 * len(marked) > marked[-1] - marked[0]:
        found |= set(range(marked[0], marked[-1] + 1))
    return found


def _find_wrapped(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a program wrapped: people let their lines run on."""
    found: set[int] = set()
    for number, (line, following) in enumerate(pairwise(lines)):
        said, then = line.strip(), following.strip()
        is_wrapped = WRAPPED_FROM <= len(said) <= WRAPPED_TO and said[-1] not in ".!?:;"
        if is_wrapped and then[:1].islower() and PATTERNS["item"].match(following) is None:
            found |= {number, number + 1}
    return found if len(found) > PASTED_LINES else set()


def _find_padded(lines: list[str]) -> set[int]:
    """Return the numbers of lines copied from a terminal, which fills them with spaces."""
    found = {number for number, line in enumerate(lines) if line.strip() and line.endswith("   ")}
    return found if len(found) >= PASTED_LINES else set()


def _find_announced(lines: list[str]) -> set[int]:
    """Return the numbers of lines that a person pasted below a line such as "I see this error:".

    The paragraph below it, and the next ones as long as they do not speak like a person.
    """
    found: set[int] = set()
    is_pasted = is_below = was_blank = False
    for number, line in enumerate(lines):
        said = line.strip()
        if PATTERNS["announced"].search(said):
            is_pasted = is_below = True
        elif is_pasted and said:
            if is_below:
                is_pasted = not PATTERNS["own"].match(line)
            elif was_blank:
                is_pasted = not PATTERNS["personal"].search(said)
            is_below = False
            if is_pasted:
                found.add(number)
        was_blank = not said
    return found


def skip_disputed(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return what a person says of a turn without what they quote there to contradict it."""
    disputed = [
        number
        for number, each in enumerate(statements)
        if PATTERNS["disputes"].match(each.text.replace("’", "'"))
    ]
    return statements[disputed[-1] :] if disputed else statements
