"""Stored text that looks like the structure of a prompt, made harmless. Pure.

A block is opened and closed by markers, a section by a label line. What a file holds
of these, in whatever case, with look-alike letters or with characters that are not
seen, is shown as ``(defused: …)``: nothing is hidden, and nothing opens or closes.
"""

from __future__ import annotations

import re

from crewmem.threats.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.threats.normalise import Text

NAMES = (
    "AGENT MEMORY",
    "CREW SHARED MEMORY",
    "WORKSPACE MEMORY",
    "MEMORY GAP",
    "PERSONA",
    "OPERATOR MODEL",
    "PEER CONTEXT",
    "MEMORY INSTRUCTIONS",
    "MEMORY NUDGE",
)
"""What stands in markers."""

MARKERS = {
    f"{end}{name}".replace(" ", "").lower(): f"{end}{name}"
    for name in NAMES
    for end in ("", "END ")
}
"""Each as its letters alone, and as it is shown where it was defused."""

LONGEST = max(map(len, MARKERS))
"""Letters of the longest."""

WRAPPER = "recalled-memory"
"""The tag around recalled memory."""

OPEN, CLOSE = (
    "\\[\u27e6\u3010\u3014\u301a\u2772\u2045\u300c\u300e",
    "\\]\u27e7\u3011\u3015\u301b\u2773\u2046\u300d\u300f",
)
"""Brackets, and those that are taken for them, in the form that rules read."""

BRACKETED = lazy(f"[{OPEN}]([^{OPEN}{CLOSE}]{{5,400}})([{CLOSE}]?)")
"""What could be a marker; so long, because a marker may be padded."""

ASCII_BRACKETED = lazy(r"\[([^\[\]]{5,400})(\]?)")
"""The same for text that is ASCII, as most is; it compiles in a fifth of the time."""

LINES = 8
"""Lines over which a marker may be spread."""

ALIKE = str.maketrans("01345", "oieas")
"""Digits that are taken for letters."""

SPELLED = r"\\x[0-9a-f]{2}"
"""A control that was spelled out."""

NOT_WORDS = r"[^\w\n]"

PHRASES = {
    "recalled": r"[<\u2039\u2329\u3008\u27e8]\W{0,9}recalled[\W_]{0,9}memory",
    "blocked": rf"[{OPEN}]\W{{0,9}}blocked\W{{1,9}}possible"
    r"\W{1,9}prompt\W{1,9}injection",
    "truncated": rf"\.\.{NOT_WORDS}{{0,9}}truncated{NOT_WORDS}{{0,9}};",
    "recovery": rf"[{OPEN}]\W{{0,9}}(?:end\W{{1,9}})?memory\W{{1,9}}recovery",
}
"""What else crewmem says by itself, by a word of it."""

SAID = {
    "recalled": f"(defused: {WRAPPER})",
    "blocked": "(defused: BLOCKED: possible prompt injection",
    "truncated": "(defused: truncated;",
    "recovery": "(defused: MEMORY RECOVERY)",
}
"""How each is shown where it was defused."""

SUSPECT = lazy(
    f"[{OPEN}<\u2039\u2329\u3008\u27e8\u2025\u2026\ufe19\ufe47\ufe64\uff1c\uff3b]|\\.\\."
)
"""What a marker begins with, in all its forms; most texts hold none."""

ASCII_SUSPECT = ("[", "<", "..")
"""The forms of it that are ASCII."""

RULED = lazy(
    r"(?:[^\w\n]|_)*?[-\u2010-\u2015\u2212\u2500\u2501\u2e3a\u2e3b\u30fc\uff70\ufe31\ufe32\ufe58\ufe63\uff0d]"
)
"""How a label line begins, in all its forms."""

DASHES = "-─━⸺⸻ー"
"""In the form that rules read, where most dashes are one."""

RULE = f"{DASHES} \t"
"""What the dashes around a label are made of: some stand apart."""

LONG_DASHES = frozenset("⸺⸻")
"""Each as long as several."""

JUNK = " \t#>*_~|`.,:;!\"'"
"""What may stand around a label line and leaves it one to the eye."""

CONTROLS = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if chr(code) not in "\t\n"
}
"""Characters that act on a terminal, and how they are spelled."""


CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]")


def defused(text: str) -> str:
    """Return *text* without a marker or label line of its own; lines stay lines."""
    if _is_suspect(text):
        text = _unmarked(text)
    return "\n".join(map(_line, text.split("\n")))


def plain(text: str) -> str:
    """Return *text* in lines that end as ours do, none empty at the end."""
    lines = "\n".join(text.splitlines()).rstrip("\n")
    return lines.translate(CONTROLS) if CONTROL.search(lines) else lines


def name(text: str) -> str:
    """Return *text*, a file's name, as a label can hold it."""
    shown = defused(plain(text).replace("\n", " "))
    return re.sub(r"-{2,}", "-", shown) if "--" in shown else shown


def _is_suspect(text: str) -> bool:
    """Tell whether there is anything in *text* that a marker begins with."""
    if text.isascii():
        return any(map(text.__contains__, ASCII_SUSPECT))
    return SUSPECT.search(text) is not None


def _unmarked(text: str) -> str:
    """Return *text* with its markers defused."""
    read = _read(text)
    parts: list[str] = []
    done = 0
    for begin, end, said in sorted(_found(read.folded)):
        first, last = read.span(begin, end)
        if first >= done:
            parts += text[done:first], said, "\n" * text.count("\n", first, last)
            done = last
    return "".join([*parts, text[done:]]) if parts else text


def _found(folded: str) -> Iterator[tuple[int, int, str]]:
    """Yield where in *folded* markers are, and what is to stand there."""
    bracketed = ASCII_BRACKETED if folded.isascii() else BRACKETED
    for each in bracketed.finditer(folded):
        is_whole = bool(each[2]) or each.end() == len(folded)
        if found := _marker(each[1], is_whole=is_whole):
            marker, size = found
            end = each.end() if size == len(each[1]) else each.start(1) + size
            yield each.start(), end, f"(defused: {marker})"
    for word, phrase in PHRASES.items():
        if word in folded:
            for each in re.finditer(phrase, folded):
                yield *each.span(), SAID[word]


def _marker(inside: str, *, is_whole: bool) -> tuple[str, int] | None:
    """Return the marker that *inside* a bracket is, and how much of it that takes.

    It may be spread over lines, and need not be closed where a line ends. The last
    line counts if it *is whole*.
    """
    size, letters = 0, ""
    lines = inside.split("\n")
    for number, line in enumerate(lines[:LINES], 1):
        seen = re.sub(SPELLED, "", line)
        letters += "".join(filter(str.isalnum, seen)).translate(ALIKE)
        size += len(line)
        if letters in MARKERS and (is_whole or number < len(lines)):
            return MARKERS[letters], size
        if len(letters) > LONGEST:
            break
        size += len("\n")
    return None


def _read(text: str) -> Text:
    """Return *text* in the form that rules read."""
    from crewmem.threats.normalise import normal

    return normal(text)


def _line(line: str) -> str:
    """Return *line* if it is no label line; else what it says, defused."""
    if line.isascii() and line.rstrip(JUNK)[-1:] != "-":
        return line
    if not RULED.match(line):
        return line
    read = _read(line)
    bare = read.folded.strip(JUNK)
    inner = bare.strip(RULE)
    first = len(bare) - len(bare.lstrip(RULE))
    last = len(bare) - len(bare.rstrip(RULE))
    if not (_is_rule(bare[:first]) and _is_rule(bare[len(bare) - last :])):
        return line
    said = inner.strip(JUNK)
    if not any(each.isalnum() for each in said):
        return line
    at = read.folded.index(said, len(read.folded) - len(read.folded.lstrip(JUNK)))
    start, end = read.span(at, at + len(said))
    return f"(defused: {line[start:end]})"


def _is_rule(dashes: str) -> bool:
    return sum(2 if each in LONG_DASHES else each in DASHES for each in dashes) > 1
