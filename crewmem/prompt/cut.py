"""As much of a section as there is room for. Pure."""

from __future__ import annotations

from bisect import bisect_right

from crewmem.prompt.defuse import LINES, defused
from crewmem.prompt.fences import closed, open_fence, room_of_fences
from crewmem.prompt.room import NOTHING, Room, size
from crewmem.prompt.section import Fate, Piece
from crewmem.threats.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.prompt.section import Section

LEAST = 100
"""Characters of a text that are worth a section of their own, if there are more."""

MORE = " …"
"""What follows the part of a line."""

SLACK = 16
"""What a cut line may grow by when its end, now another one, has to be defused."""

WORD = 60
"""Characters in which a space is looked for; a longer word is cut."""

BESIDE = 4
"""Lines by which one that was cut is read."""

GLUED = lazy(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903"
    "\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d"
    "\u20d0-\u20f0\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\U0001f1e6-\U0001f1ff"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
"""What belongs to the character before it, or joins it to the next."""


def whole(section: Section) -> Piece:
    """Return all of *section*."""
    shown = section.shown
    if room_of_fences(shown) and (fence := open_fence(shown.split("\n"))):
        shown = f"{shown}\n{fence}"
    return Piece(section, Fate.PLACED, f"{section.opening}{shown}\n", section.text)


def cut(section: Section, room: Room, *, at_lines: bool = False) -> Piece | None:
    """Return as much of *section* as *room* has space for; None: too little.

    It is cut at lines, and says what of the file is not there. Where a line is so long
    that much room would be left, it is cut in that line, at a word, unless it is to be
    cut *at lines* alone. Of code that is cut the fences are closed.
    """
    lines, source = section.shown.split("\n"), section.text.split("\n")
    begin = end = len(lines) if section.keeps_end else section.start
    frame = size(section.opening)
    longest = section.rest(len(lines) - 1, len(lines))  # both numbers have all digits
    for _ in range(2 if 0 < begin < len(lines) else 1):
        frame = frame.more(size(longest))
    fences = room_of_fences(section.shown)
    frame = frame.more(size(fences))
    left = room.less(frame)
    if left.least < LEAST:
        return None
    count, left = _fitting(lines[end:], left)
    end += count
    if end == len(lines):
        count, left = _fitting(lines[:begin][::-1], left)
        begin -= count
    first, last, begun = begin, end, ""
    shown = lines[begin:end]
    left = NOTHING if at_lines else left.less(size("\n"))
    if end < len(lines) and (part := _fragment(shown, lines[end], [], left)):
        shown, last = [*shown, part], end + 1
        begun = "\n".join(shown[-BESIDE:])
    elif begin and (part := _fragment([], lines[begin - 1], shown, left)):
        shown, first = [part, *shown], begin - 1
        begun = "\n".join(shown[:BESIDE])
    if sum(map(len, shown)) < LEAST:
        return None
    if fences:
        shown = closed(shown, open_fence(lines[:first]), open_fence(lines[:last]))
    before = section.rest(0, begin) if begin else ""
    after = section.rest(end, len(lines)) if end < len(lines) else ""
    text = f"{section.opening}{before}{_joined(shown)}{after}"
    return Piece(section, Fate.CUT, text, "\n".join(source[first:last]), begun)


def _fitting(lines: Sequence[str], room: Room) -> tuple[int, Room]:
    """Return how many of *lines*, from the first, fit into *room*; and what is left."""
    for count, line in enumerate(lines):
        taken = size(f"{line}\n")
        if not room.holds(taken):
            return count, room
        room = room.less(taken)
    return len(lines), room


def _fragment(
    before: Sequence[str], line: str, after: Sequence[str], room: Room
) -> str:
    """Return a fragment of *line*, unless it makes a marker of the lines beside it."""
    begun = fragment(line, room)
    part = begun.removesuffix(MORE)  # neither a letter nor a bracket
    text = "\n".join((*before[-LINES:], part, *after[:LINES]))
    return begun if begun and defused(text) == text else ""


def fragment(line: str, room: Room) -> str:
    """Return the beginning of *line*, which does not fit into *room*; "": too little.

    It ends with a word where one ends near, and never within a character.
    """
    if room.least < LEAST:
        return ""
    for slack in (0, SLACK):
        part = _beginning(line, room.less(size(MORE)).less(Room(slack, slack, slack)))
        if len(part) < LEAST:
            return ""
        shown = f"{defused(part)}{MORE}"
        if room.holds(size(shown)):
            return shown
    return ""


def _beginning(line: str, room: Room) -> str:
    ends = range(1, min(room.least, len(line)) + 1)
    end = bisect_right(ends, False, key=lambda at: not room.holds(size(line[:at])))
    if end == len(line):
        return line
    space = line.rfind(" ", max(end - WORD, 0), end + 1)
    if space > 0:
        return line[:space].rstrip()
    if line.isascii():
        return line[:end]
    while end and (GLUED.match(line, end) or line[end - 1] == "\u200d"):
        end -= 1
    return line[:end]


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def fits(piece: Piece, room: Room) -> bool:
    """Tell whether *piece* is within *room*."""
    return room.holds(size(piece.text))
