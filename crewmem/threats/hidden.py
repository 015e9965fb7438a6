"""Characters that are not seen: those that hide something, and those that belong.

Joiners are how Persian, Indic scripts and emoji are written, marks of direction
belong to text from right to left, a mark of byte order may open a file. Letters in
tags, overrides of direction and long runs of nothing have no such use.
"""

from __future__ import annotations

from crewmem.threats.lazy import lazy
from crewmem.threats.rule import HIGH, MEDIUM, OBFUSCATION, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

RULES = frozenset(
    {
        "tag-characters",
        "selector-run",
        "direction-override",
        "invisible-run",
        "invisible-characters",
        "mixed-alphabets",
    }
)
"""What is found is called one of these."""

UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
)
UNSEEN += "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
UNSEEN += "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"

RUN = lazy(f"[{UNSEEN}]+")

TAGS = lazy("[\U000e0001-\U000e007f]")

FLAG = lazy("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f")
"""A flag of a region, the one use that tags have."""

TURN = lazy("[\u202d\u202e]")

RIGHT_TO_LEFT = lazy("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

JOINED = lazy(
    "[\u0590-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\u200d\u2190-\u2bff\u3000-\u30ff"
    "\ufb1d-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001f000-\U0001faff\ufe0e\ufe0f#*0-9]"
)
"""What a joiner or a form of presentation has its place beside."""

BELONGS = lazy(
    "[\u200c\u200d\ufe0e\ufe0f\ufe00-\ufe0d\U000e0100-\U000e01ef\u180b-\u180f]+"
)

SELECTORS = lazy("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
"""One picks a form of a letter; in a row they are bytes."""

SELECTED = 4
"""So many of them."""

MANY = 6
"""Unseen characters in a row that can spell something."""

MOST = 20_000
"""Runs of them that are looked at one by one."""

OFTEN = 12
"""Places with unseen characters inside words that no copying leaves behind."""

INSIDE = lazy("[A-Za-z]$")

MIXED = lazy(r"[A-Za-z][Ѐ-ӿͰ-Ͽ԰-֏]|[Ѐ-ӿͰ-Ͽ԰-֏][A-Za-z]")

ALPHABETS = lazy("[\u0370-\u058f]")
"""Letters of other alphabets that look like Latin ones."""

SYMBOLS = frozenset("µμΩωΔδπΠλσΣαβγθφΦψΨξΞΘΓ")
"""Greek letters that stand beside Latin ones in formulas and units."""

NOTATION = lazy("(?:(?<=[A-Z])[εζηκτχ]|[εζηκτχ](?=[A-Z]))(?![a-z])")
"""A small Greek letter beside a capital, as in NF-κB; a word in disguise goes on small."""


def hidden(text: str) -> Iterator[Finding]:
    """Yield what is in *text* that is not seen, and what is not what it seems."""
    if text.isascii():
        return
    letters = "".join(sorted(set(text)))
    if RUN.search(letters):
        yield from _unseen(text)
    if ALPHABETS.search(letters):
        yield from _mixed(text)


def _unseen(text: str) -> Iterator[Finding]:
    """Yield what is not seen."""
    flags = {at for flag in FLAG.finditer(text) for at in range(*flag.span())}
    inside: list[tuple[int, int]] = []
    for count, run in enumerate(RUN.finditer(text)):
        if run.start() in flags:
            continue
        if count > MOST:  # nobody looks at one more
            break
        if found := _judged(text, run):
            yield found
        elif INSIDE.search(text[max(run.start() - 1, 0) : run.start()]) and _odd(
            run[0]
        ):
            inside.append(run.span())
    if inside:
        severity = HIGH if len(inside) >= OFTEN else MEDIUM
        rule = "invisible-characters"
        yield Finding(OBFUSCATION, rule, severity, inside[0][0], inside[-1][1])


def _odd(run: str) -> bool:
    """Tell whether *run* is more than a hyphen or a break that copying brought."""
    return run.strip("\u00ad\u2028\u2029\ufe0e\ufe0f\u200e\u200f") != ""


def _judged(text: str, run: re.Match[str]) -> Finding | None:
    start, end = run.span()
    if TAGS.search(run[0]):
        return Finding(OBFUSCATION, "tag-characters", HIGH, start, end)
    if end - start >= SELECTED and SELECTORS.search(run[0]):
        return Finding(OBFUSCATION, "selector-run", HIGH, start, end)
    near = text[max(start - 40, 0) : end + 40]
    if TURN.search(run[0]) and not RIGHT_TO_LEFT.search(near):
        return Finding(OBFUSCATION, "direction-override", HIGH, start, end)
    beside = text[max(start - 1, 0) : start] + text[end : end + 1]
    if BELONGS.fullmatch(run[0]) and JOINED.search(beside):
        return None
    if end - start >= MANY and not (start == 0 and set(run[0]) == {"\ufeff"}):
        return Finding(OBFUSCATION, "invisible-run", HIGH, start, end)
    return None


def _mixed(text: str) -> Iterator[Finding]:
    """Yield words that mix alphabets."""
    notation = {each.start() for each in NOTATION.finditer(text)}
    found = [
        each.span()
        for each in MIXED.finditer(text)
        if SYMBOLS.isdisjoint(each[0]) and notation.isdisjoint(range(*each.span()))
    ]
    if found:
        severity = HIGH if len(found) >= MANY else MEDIUM
        yield Finding(
            OBFUSCATION, "mixed-alphabets", severity, found[0][0], found[-1][1]
        )
