"""One line of a text that shows why it was found."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from crewmem.search.query import Term
from crewmem.text.markdown import OWN_COMMENT
from crewmem.text.tokens import is_unspaced, stems
from crewmem.text.wording import MARK_END, MARK_START

WIDTH = 240
"""Maximum characters of a snippet: three lines of a terminal."""

CUT = "\u2026"
LONG_WORD = 40
"""Minimum characters of a word that may be cut."""

MAX_TEXT = 20_000
"""Maximum characters of a text that are searched for the best window."""


class Match(NamedTuple):
    """The place of a term, in characters.

    Attributes:
        stem: Stem of the term.
    """

    start: int
    end: int
    stem: str


def make_snippet(text: str, terms: Sequence[Term]) -> str:
    """Return up to WIDTH characters of *text*, white space folded, matches marked.

    It shows the window with the most different terms, or else the text after its first heading.
    """
    line = " ".join(skip_heading(OWN_COMMENT.sub("", text[:MAX_TEXT])).split())
    matches = find_matches(line, terms)
    start, end = 0, len(line)
    if len(line) > WIDTH:
        start, end = _choose_window(line, matches, WIDTH - 2)
    shown = _mark(line, start, end, matches)
    return f"{CUT if start else ''}{shown}{CUT if end < len(line) else ''}"


def find_matches(text: str, terms: Sequence[Term]) -> list[Match]:
    """Return the places of *terms* in *text*, in order; each stem of a phrase is a match."""
    wanted = {stem for term in terms if term.weight for stem in term.stems if not term.prefix}
    beginnings = tuple(term.stems[-1] for term in terms if term.prefix and term.weight)
    if not wanted and not beginnings:
        return []
    # Stemming keeps the first letter, so most words need not be stemmed.
    letters = {stem[0] for stem in wanted} | {beginning[0] for beginning in beginnings}
    found: list[Match] = []
    for match in re.finditer(r"[^\W_]+", text):
        word = match[0]
        if word.isascii() and word[0].lower() not in letters:
            continue
        if is_unspaced(word):
            for stem in wanted:
                found += [
                    Match(match.start() + each.start(), match.start() + each.end(), stem)
                    for each in re.finditer(re.escape(stem), word)
                ]
            continue
        for stem in stems(word)[:1]:
            if stem in wanted or (beginnings and stem.startswith(beginnings)):
                found.append(Match(match.start(), match.end(), stem))
    return sorted(found)


def skip_heading(text: str) -> str:
    """Return *text* without the heading at its start; the whole text if nothing follows."""
    match = re.match(r"\s*(?:#{1,6}\s[^\n]*|[^\n]+\n[ \t]*(?:=+|-+)[ \t]*)\n", text)
    rest = text[match.end() :] if match else ""
    return rest if rest.strip() else text


def _choose_window(line: str, matches: Sequence[Match], room: int) -> tuple[int, int]:
    """Return start and end of the window with the most different terms.

    Args:
        room: Maximum characters of the window.
    """
    best = (0, 0)  # different terms, matches
    first, last = 0, 0  # start of the first match in the best window, and end of the last
    oldest = 0  # the window slides over the matches from this one to the current one
    for newest, match in enumerate(matches, start=1):
        while match.end - matches[oldest].start > room and oldest < newest - 1:
            oldest += 1
        inside = matches[oldest:newest]
        score = len({each.stem for each in inside}), len(inside)
        if score > best:
            best, first, last = score, inside[0].start, match.end
    # A third of the remaining space goes before the matches.
    start = max(0, first - max(0, room - (last - first)) // 3)
    end = min(len(line), start + room)
    start = max(0, min(start, end - room))
    if start:
        space = line.find(" ", start, start + LONG_WORD)
        start = space + 1 if 0 <= space < (first or start + LONG_WORD) else start
    if end < len(line):
        space = line.rfind(" ", max(end - LONG_WORD, last), end + 1)
        end = space if space > start else end
    return start, end


def _mark(line: str, start: int, end: int, matches: Sequence[Match]) -> str:
    pieces: list[str] = []
    at = start
    for match in matches:
        first, last = max(match.start, at), min(match.end, end)
        if first < last:
            pieces += [line[at:first], MARK_START, line[first:last], MARK_END]
            at = last
    return "".join([*pieces, line[at:end]]).replace(f"{MARK_END}{MARK_START}", "")
