"""How two texts differ, by lines, as hunks of a unified diff. Pure.

Lines that both share at the beginning and at the end are set aside; between them the
shortest script of changes is looked for (Myers, 1986), which is fast where texts are
alike. Where they are not, what is between is told as taken out and put in.
"""

from __future__ import annotations

from io import BytesIO

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CONTEXT = 3
"""Lines that are shown around a change, as everywhere."""

MOST_EDITS = 1_000
"""Changes up to which the shortest script is looked for: it takes half a second."""

KEPT, TAKEN, PUT = " ", "-", "+"
"""What a line of a hunk begins with."""

UNFINISHED = "\\ No newline at end of file"
"""What stands behind a last line that has no end, as in every unified diff."""


class Hunk(NamedTuple):
    """A place where two texts differ.

    Attributes:
        first_a: Its first line in the one text, counted from 1; with no lines there,
            the line after which it is.
        lines_a: How many lines of the one text it covers.
        first_b: As *first_a*, of the other text.
        lines_b: How many lines of the other text it covers.
        lines: Its lines, each behind a space, a minus or a plus sign, without ends.
    """

    first_a: int
    lines_a: int
    first_b: int
    lines_b: int
    lines: tuple[str, ...]

    @property
    def header(self) -> str:
        """The line that a unified diff has above it."""
        a = _range(self.first_a, self.lines_a)
        return f"@@ -{a} +{_range(self.first_b, self.lines_b)} @@"


def diff(a: bytes, b: bytes, *, context: int = CONTEXT) -> list[Hunk]:
    r"""Return the hunks that make *b* of *a*, in order; none where they are equal.

    Bytes that are not UTF-8 are spelled out, as ``\xff``; where only the last line's
    end differs, that is said behind the line.
    """
    edits = [*_edits(_lines(a), _lines(b))]
    return [*_hunks(edits, context)]


def _range(first: int, lines: int) -> str:
    return f"{first}" if lines == 1 else f"{first},{lines}"


def _lines(content: bytes) -> list[bytes]:
    """Return the lines of *content* with their ends."""
    return BytesIO(content).readlines()


def _edits(a: Sequence[bytes], b: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield every line of both, with what becomes of it."""
    head = _shared(a, b)
    tail = _shared(a[head:][::-1], b[head:][::-1])
    end_a, end_b = len(a) - tail, len(b) - tail
    yield from ((KEPT, line) for line in a[:head])
    yield from _script(a[head:end_a], b[head:end_b])
    yield from ((KEPT, line) for line in a[end_a:])


def _shared(a: Sequence[bytes], b: Sequence[bytes]) -> int:
    """Count the lines that both begin with."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((n for n, (one, two) in pairs if one != two), min(len(a), len(b)))


def _script(a: Sequence[bytes], b: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    trace = _trace(a, b)
    if trace is None:
        yield from ((TAKEN, line) for line in a)
        yield from ((PUT, line) for line in b)
        return
    yield from reversed([*_backwards(a, b, trace)])


def _trace(a: Sequence[bytes], b: Sequence[bytes]) -> list[dict[int, int]] | None:
    """Return how far each diagonal leads, by the number of edits; None for too many.

    On diagonal k, which has k more lines of *a* behind it than of *b*, it is the line
    of *a* that is reached.
    """
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(a) + len(b), MOST_EDITS) + 1):
        trace.append(dict(furthest))
        for k in range(-edits, edits + 1, 2):
            x = _step(furthest, k, edits)
            while x < len(a) and 0 <= x - k < len(b) and a[x] == b[x - k]:
                x += 1
            furthest[k] = x
            if x >= len(a) and x - k >= len(b):
                return trace
    return None


def _step(furthest: dict[int, int], k: int, edits: int) -> int:
    """Return where one more edit leads on diagonal *k*, before lines that are alike."""
    if _is_down(furthest, k, edits):
        return furthest[k + 1]
    return furthest[k - 1] + 1


def _backwards(
    a: Sequence[bytes], b: Sequence[bytes], trace: Sequence[dict[int, int]]
) -> Iterator[tuple[str, bytes]]:
    """Yield the script of *trace* from its end to its beginning."""
    x, y = len(a), len(b)
    for edits in range(len(trace) - 1, -1, -1):
        furthest, k = trace[edits], x - y
        start = _step(furthest, k, edits) if edits else 0
        while x > start and y > start - k:
            x, y = x - 1, y - 1
            yield KEPT, a[x]
        if not edits:
            return
        if _is_down(furthest, k, edits):
            y -= 1
            yield PUT, b[y]
        else:
            x -= 1
            yield TAKEN, a[x]


def _is_down(furthest: dict[int, int], k: int, edits: int) -> bool:
    """Tell whether diagonal *k* is reached by putting a line in."""
    return k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])


def _hunks(edits: Sequence[tuple[str, bytes]], context: int) -> Iterator[Hunk]:
    """Yield the hunks of *edits*; those whose context meets are one."""
    changed = [at for at, (sign, _) in enumerate(edits) if sign != KEPT]
    at_a = at_b = done = 0
    for first, last in _groups(changed, context):
        start, stop = max(first - context, done), min(last + context + 1, len(edits))
        at_a += sum(sign != PUT for sign, _ in edits[done:start])
        at_b += sum(sign != TAKEN for sign, _ in edits[done:start])
        some = edits[start:stop]
        lines_a = sum(sign != PUT for sign, _ in some)
        lines_b = sum(sign != TAKEN for sign, _ in some)
        yield Hunk(
            at_a + bool(lines_a),
            lines_a,
            at_b + bool(lines_b),
            lines_b,
            tuple(text for sign, line in some for text in _told(sign, line)),
        )
        at_a, at_b, done = at_a + lines_a, at_b + lines_b, stop


def _groups(changed: Sequence[int], context: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of changes that are near each other."""
    first = last = -1
    for at in changed:
        if first >= 0 and at - last > 2 * context + 1:
            yield first, last
            first = at
        first, last = (at if first < 0 else first), at
    if first >= 0:
        yield first, last


def _told(sign: str, line: bytes) -> Iterator[str]:
    yield sign + line.removesuffix(b"\n").decode("utf-8", "backslashreplace")
    if not line.endswith(b"\n"):
        yield UNFINISHED
