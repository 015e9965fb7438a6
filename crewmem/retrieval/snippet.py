"""One line of a text that shows why it was found. Pure.

The line is made of whole words. A word too long for that, as all of a text without
spaces is, is taken in pieces between what a reader takes for characters.
"""

from __future__ import annotations

from collections import Counter

from crewmem.retrieval.clusters import boundary, is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.retrieval.matches import Match

    Span = tuple[int, int]
    """First character, and the one after the last."""

WIDTH = 240
"""Characters of a snippet: three lines of a terminal."""

CUT = "…"
"""Stands where text is left out."""

WORD_CHARS = 40
"""Longest word that is never cut."""

DEEPEST = 6
"""Most hashes of a heading."""

PIECE_CHARS = 16
"""Of a longer word: room for the longest sequences of emoji."""


def snippet(
    text: str,
    found: Sequence[Match],
    *,
    width: int = WIDTH,
    start: int = 0,
    marks: tuple[str, str] = ("**", "**"),
) -> str:
    """Return `segments` as a line, with *marks* before and after what matches."""
    before, after = marks
    return "".join(
        f"{before}{piece}{after}" if is_match else piece
        for piece, is_match in segments(text, found, width=width, start=start)
    )


def segments(
    text: str, found: Sequence[Match], *, width: int = WIDTH, start: int = 0
) -> list[tuple[str, bool]]:
    """Return one line of *text* from *start*, of up to *width* characters, in pieces.

    It shows the window that holds the most different terms of *found*, else the
    beginning. White space is folded. Each piece comes with whether it matches, so
    that the caller can make it safe to show before marking it.
    """
    line, found = _folded(text, found, start)
    begin, end, left, right = 0, len(line), "", ""
    if len(line) > width:
        if width <= 2 * len(CUT):
            return [(CUT[:width], False)]
        begin, end = _window(line, found, width - 2 * len(CUT))
        left, right = CUT * (begin > 0), CUT * (end < len(line))
    pieces = ((left, False), *_marked(line, begin, end, found), (right, False))
    return [piece for piece in pieces if piece[0]]


def past_heading(text: str) -> int:
    """Return where the body of *text* starts: 0 if it has no heading, or only one."""
    line, _, rest = text.lstrip().partition("\n")
    hashes = len(line) - len(line.lstrip("#"))
    if not 1 <= hashes <= DEEPEST or line[hashes : hashes + 1].strip():
        underline, _, rest = rest.partition("\n")
        if not underline.strip() or set(underline.strip()) not in ({"="}, {"-"}):
            return 0
    return len(text) - len(rest) if rest.strip() else 0


def line_of(text: str, start: int, shown: str, before: str) -> int:
    """Return the line of *text*, counted from 0, in which a place in a snippet stands.

    Args:
        text: What the snippet is of.
        start: Where in it the snippet was allowed to begin.
        shown: The snippet, without marks.
        before: What of the snippet stands before the place.
    """
    folded = " ".join(text[start:].split())
    at = folded.find(shown.strip(CUT)) + len(before.lstrip(CUT))
    words = len(folded[:at].split()) - (at > 0 and folded[at - 1] != " ")
    for number, line in enumerate(text[start:].split("\n")):
        words -= len(line.split())
        if words < 0:
            return text.count("\n", 0, start) + number
    return 0


def _folded(text: str, found: Sequence[Match], start: int) -> tuple[str, list[Match]]:
    """Return *text* from *start* on one line, and where it then holds *found*."""
    held = [match for match in found if match[0] >= start]
    ends = {at for first, last, _ in held for at in (first, last - 1)}
    moved = _moved(text, start, sorted(ends))
    return " ".join(text[start:].split()), [
        (moved[first], moved[last - 1] + 1, name) for first, last, name in held
    ]


def _moved(text: str, start: int, places: Sequence[int]) -> dict[int, int]:
    """Return where each of *places*, in order, stands once white space is folded."""
    moved: dict[int, int] = {}
    at, length, after_space = start, 0, True
    for place in places:
        between = text[at:place]
        if between:
            words = " ".join(between.split())
            if between[0].isspace() and not after_space:
                length += 1
                after_space = True
            if words:
                length += len(words) + between[-1].isspace()
                after_space = between[-1].isspace()
        moved[place] = length
        at = place
    return moved


def _window(line: str, found: Sequence[Match], room: int) -> Span:
    """Return what of *line* is shown, where *room* is less than its length."""
    pieces = list(_pieces(line, room))
    first, last = _densest(pieces, found, room)
    while pieces[last][1] - pieces[first][0] > room:
        last -= 1

    def fits(first: int, last: int, room: int) -> bool:
        is_there = first >= 0 and last < len(pieces)
        return is_there and pieces[last][1] - pieces[first][0] <= room

    taken = pieces[last][1] - pieces[first][0]
    while fits(first - 1, last, taken + (room - taken) // 3):
        first -= 1
    while fits(first, last + 1, room):
        last += 1
    while fits(first - 1, last, room):
        first -= 1
    return pieces[first][0], pieces[last][1]


def _pieces(line: str, room: int) -> Iterator[Span]:
    """Yield the words of *line*, long ones in pieces that are never over *room*."""
    longest, size = min(WORD_CHARS, room), min(PIECE_CHARS, room)
    end = -1
    for word in line.split(" "):
        begin, end = end + 1, end + 1 + len(word)
        if len(word) > longest:
            while end - begin > size:
                cut = boundary(line, begin + size, begin)
                yield begin, cut
                begin = cut
        yield begin, end


def _densest(
    pieces: Sequence[Span], found: Sequence[Match], room: int
) -> tuple[int, int]:
    """Return the first and last piece of the window with the most terms of *found*.

    Of windows with as many different terms the one with the most matches is best,
    then the first. Without a match it is the first piece.
    """
    begins = [begin for begin, _ in pieces]
    firsts = [_last_up_to(begins, begin) for begin, _, _ in found]
    lasts = [_last_up_to(begins, end - 1) for _, end, _ in found]
    best, shown = (0, 0), (0, 0)
    names: Counter[str] = Counter()
    first = 0
    for last, piece in enumerate(lasts):
        names[found[last][2]] += 1
        while first < last and pieces[piece][1] - pieces[firsts[first]][0] > room:
            names[found[first][2]] -= 1
            first += 1
        told = len(+names), last + 1 - first
        if told > best:
            best, shown = told, (firsts[first], max(lasts[first : last + 1]))
    return shown


def _last_up_to(begins: Sequence[int], place: int) -> int:
    """Return which of *begins*, in order, is the last up to *place*.

    What ``bisect`` does, whose import takes as long as a thousand of these.
    """
    low, high = 0, len(begins)
    while low < high:
        middle = (low + high) // 2
        if begins[middle] <= place:
            low = middle + 1
        else:
            high = middle
    return low - 1


def _marked(
    line: str, begin: int, end: int, found: Sequence[Match]
) -> Iterator[tuple[str, bool]]:
    """Yield *line* from *begin* to *end* in pieces, each with whether it matches."""
    at = begin
    for first, last in _runs(line, found):
        if first < end and last > at:
            yield line[at : max(first, at)], False
            yield line[max(first, at) : min(last, end)], True
            at = min(last, end)
    yield line[at:end], False


def _runs(line: str, found: Sequence[Match]) -> list[Span]:
    """Return what is marked: matches with at most a space between them are one run."""
    runs: list[Span] = []
    for first, token_end, _ in found:
        last = token_end
        while is_within(line, last):
            last += 1
        if runs and first <= runs[-1][1] + line.startswith(" ", runs[-1][1]):
            runs[-1] = runs[-1][0], max(runs[-1][1], last)
        else:
            runs.append((first, last))
    return runs
