"""What a note observes: its items and lines, without what stands around them. Pure.

A line is an observation if it says something by itself: code, headings, quotes, tables,
tasks with a box to tick and comments are none.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Said = tuple[int, int, str, str]
    """The first and the last line, counted from 1, the heading above, what is said."""

TEXT_LEAST, TEXT_MOST = 12, 600
"""Characters of an observation: what is shorter says nothing, what is longer is a
document, which nobody writes twice."""

STAMP = re.compile(
    r"(?:\*\*|[\[(`])?"
    r"(?:\d{4}-\d\d-\d\d[T ]?)?(?:[01]?\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?"
    r"(?:Z|[+-]\d\d:?\d\d| ?(?:UTC|CET|CEST|[ap]\.?m\.?)(?!\w))?"
    r"(?:\*\*|[\])`])?"
    r"(?:[ \t]*[\u2014\u2013:|-]+[ \t]*|[ \t]+|$)",
    re.IGNORECASE,
)
"""When something was noted, and what parts it from what was: a dash, or a space."""

MARK = re.compile(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+")
"""How an item of a list begins."""

BOX = re.compile(r"\[[ xX]\](?:\s|$)")

LESSON = re.compile(
    r"\[(?:positive|negative|neutral)\][ \t]*"
    r"(?:(\d{4}-\d\d-\d\d)[ \t]*[\u2014\u2013:-]*)?[ \t]*"
)
"""What stands before a lesson: how it was learned, and when."""

YAML_RULE = re.compile(
    r"""["']?rule["']?:[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(.+))"""
)

YAML_DAY = re.compile(r"""["']?captured_at["']?:[ \t]*["']?(\d{4}-\d\d-\d\d)""")

MARKS, STAMPED = frozenset("-*+\u20220123456789"), frozenset("0123456789*[(`")
"""How items begin, and what may be a stamp, or a box."""

UNUSUAL = ("|", ">", "<", "```", "~~~")
"""How tables, quotes, markup and code begin: none of them is an observation."""

SENTENCE = re.compile(r"(?<=[.!;])[ \t]+|(?<=[\u3002\uff01])")
"""Between two sentences."""

SENTENCES_MOST = 1_000
"""Of one line: a hundred kilobytes, as sentences are."""

QUESTIONS = ("?", "\uff1f")
"""How a question ends: it says nothing of what is so."""

ASIDES = frozenset("TtFfXxWw")

ASIDE = re.compile(
    r"(?i)(?:todo|fixme|xxx|wip)\b(?!-keep)"
    r"|(?:thanks?|thank you|thx)\b(?: to| for|[ ,!:])"
)
"""What is still to be done, and thanks: a person's list, and no observation."""

BROKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd]")

CONTROLS = bytes({*range(32), 127} - {*b"\t\n\r"})
"""Bytes that no text holds; `is_broken` looks closer."""

COMMENT = "-->"
"""How a comment ends."""

RULER, RULED = re.compile(r"(?:[-*_=][ \t]*){3,}$"), frozenset("-*_=")


def observations(text: str) -> Iterator[Said]:
    """Yield what *text*, a note, observes, in its order.

    Lines that are indented below an item belong to it.
    """
    lines = text.split("\n")
    block = heading = ""
    at, count = _behind_front_matter(lines), len(lines)
    while at < count:
        line = lines[at].strip()
        at += 1
        if block:
            block = "" if _closes(line, block) else block
        elif not line:
            continue
        elif line[0] == "#" and line.lstrip("#")[:1] in {"", " ", "\t"}:
            # The first one is the day's, and says nothing of what stands below.
            heading = line.lstrip("#").strip() if line.startswith("##") else ""
        else:
            mark = MARK.match(line) if line[0] in MARKS else None
            said = line[mark.end() :] if mark else line
            if said.startswith(UNUSUAL):
                block = _opened(said)
                continue
            first = at
            if mark and at < count and lines[at][:1] in {" ", "\t"}:
                at = _item_end(lines, at, _indent(lines[first - 1]))
                said = " ".join([said, *(each.strip() for each in lines[first:at])])
            if not (said := _unstamped(said)):
                continue
            if len(said) <= TEXT_MOST:
                yield first, at, heading, said
            else:
                for each in sentences(said)[0]:
                    yield first, at, heading, each


def bare(line: str) -> str:
    """Return what *line* says without its mark and its stamp; "" if that is nothing."""
    mark = MARK.match(line)
    return _unstamped(line[mark.end() :] if mark else line)


def _unstamped(said: str) -> str:
    """Return what is *said* without its stamp; "" if that is nothing, or a task."""
    if said[:1] in STAMPED:
        if said[0] == "[" and BOX.match(said):
            return ""
        if stamp := STAMP.match(said):
            said = said[stamp.end() :]
    if len(said) < TEXT_LEAST or (said[0] in RULED and RULER.match(said)):
        return ""
    said = said.strip()
    if said[-1:] in QUESTIONS or (said[0] in ASIDES and ASIDE.match(said)):
        return ""
    return said


def sentences(said: str) -> tuple[list[str], bool]:
    """Return what a long text says, sentence by sentence, and whether that is all."""
    found = SENTENCE.split(said)
    good = [
        each
        for each in map(_unstamped, found[:SENTENCES_MOST])
        if each and len(each) <= TEXT_MOST
    ]
    longest = max(map(len, found))
    return good, longest <= TEXT_MOST and len(found) <= SENTENCES_MOST


def too_long(text: str) -> int:
    """Count the lines of *text* that are too long to be compared, even in parts."""
    if len(text) <= TEXT_MOST:
        return 0
    return sum(
        len(line) > TEXT_MOST and not sentences(line)[1] for line in text.split("\n")
    )


def is_broken(line: str) -> bool:
    """Tell whether *line* holds what is no text: broken bytes, control characters."""
    return BROKEN.search(line) is not None


def may_be_broken(content: bytes, text: str) -> bool:
    """Tell whether a line may be no text; of *content*, which says *text*."""
    if len(content.translate(None, CONTROLS)) != len(content):
        return True
    return "\ufffd" in text or (b"\xc2" in content and is_broken(text))


def lessons(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the lessons of a list: the line, the day or "", and what was learned."""
    day = ""
    for number, line in enumerate(text.split("\n"), 1):
        if found := YAML_DAY.search(line):
            day = found[1]
        mark = MARK.match(line)
        if mark and (said := LESSON.match(line, mark.end())):
            learned = line[said.end() :].strip()
            if learned:
                yield number, said[1] or "", learned
        elif rule := YAML_RULE.search(line):
            yield number, day, next(each for each in rule.groups() if each is not None)
            day = ""


def _behind_front_matter(lines: list[str]) -> int:
    """Return where the prose of a note begins, counted from 0."""
    if lines[0].strip() != "---":
        return 0
    for at, line in enumerate(lines[1:50], 1):
        if line.strip() == "---":
            return at + 1
    return 0


def _opened(said: str) -> str:
    """Return what closes the code or the comment that a line opens; "" for neither."""
    if said.startswith("<!--"):
        return "" if COMMENT in said else COMMENT
    for sign in ("`", "~"):
        if said.startswith(sign * 3):
            size = len(said) - len(said.lstrip(sign))
            return "" if sign == "`" and "`" in said[size:] else sign * size
    return ""


def _closes(line: str, block: str) -> bool:
    """Tell whether *line* ends a block that *block* closes."""
    return COMMENT in line if block == COMMENT else line.startswith(block)


def _item_end(lines: list[str], at: int, indent: int) -> int:
    """Return the last line of the item before *at*, which is indented so far."""
    while at < len(lines):
        line = lines[at]
        said = line.strip()
        if not said or _indent(line) <= indent or MARK.match(said):
            break
        if said.startswith(UNUSUAL) or said[0] == "#":
            break
        at += 1
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
