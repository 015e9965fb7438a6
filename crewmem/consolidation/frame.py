"""What two texts with much the same words say, by the places of their words. Pure.

A word score knows no places: to it "Alice owns the billing service" and "Bob owns the
billing service" are nearly one, and "A over B" is "B over A". So where each of two
texts has a word of its own at the same place, they say different things, or opposite
ones where only one can be so; and what stands on the two sides of "over" may not change
sides.
"""

from __future__ import annotations

from crewmem.consolidation.normal import (
    DAYS,
    DIFFERENT,
    FILLERS,
    NEGATIONS,
    OPPOSITE,
    OPPOSITES,
    SAME,
    STOP,
    TOKEN,
    compared,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crewmem.consolidation.normal import Form

SIDED = """
over than before after instead rather to from into onto by behind above below under on
"""

SIDES = frozenset(SIDED.split())
"""Words whose two sides are not alike: who is preferred, who comes first."""

BEFORE = ("before", "after")
"""Words that say the same with their sides changed."""

OWNING = frozenset({"own", "owns", "owner", "holds", "leads", "maintains"})
"""What one does of a thing: whoever else does it contradicts."""

CHOOSING = frozenset({"use", "uses", "prefer", "prefers", "choose", "pick"})
"""What is done with one thing out of several."""

ENDING = "for in on at of to from with by over than instead before after when"

PREPOSITIONS = frozenset(ENDING.split())
"""Words that end what is chosen."""

RUN_MOST = 2
"""Words of a name that stands where another one does."""


class Frames:
    """Compares texts by the places of their words; each text is parted once."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        self._stem = stem
        self._parted: dict[str, tuple[list[str], list[str]]] = {}

    def relation(self, one: Form, other: Form) -> str:
        """Return how two texts of much the same subject relate."""
        found = compared(one, other)
        if found == DIFFERENT or one.text == other.text:
            return found
        first, second = self._words(one.text), self._words(other.text)
        if first[1] == second[1]:
            return found
        if swapped := _swapped(first[1], second[1]):
            is_one = found == SAME and _is_exclusive(first, second, *swapped)
            return OPPOSITE if is_one else DIFFERENT
        if _sides_changed(first[0], second[0], self._content):
            return SAME if found == OPPOSITE else OPPOSITE
        return found

    def is_swap(self, one: str, other: str) -> bool:
        """Tell whether two texts are one but for a few words at one place."""
        first, second = self._words(one)[1], self._words(other)[1]
        start, end = _ends(first, second)
        more, less = first[start : len(first) - end], second[start : len(second) - end]
        return 0 < len(more) <= RUN_MOST and 0 < len(less) <= RUN_MOST

    def _words(self, text: str) -> tuple[list[str], list[str]]:
        """Return the words of *text*, and the stems of those that say something."""
        known = self._parted.get(text)
        if known is None:
            words = _words_of(text)
            content = [each for word in words if (each := self._content(word))]
            known = self._parted[text] = (words, content)
        return known

    def _content(self, word: str) -> str:
        """Return the stem of *word*; "" if it only holds others together."""
        if len(word) == 1 and word.isupper():
            return word
        if word in STOP or word in FILLERS or word in NEGATIONS or word in OPPOSITES:
            return ""
        return self._stem(word) or word


def _words_of(text: str) -> list[str]:
    """Return the words of *text* in their order; a capital by itself is a name."""
    found = TOKEN.findall(text.replace("\u2019", "'"))
    return [
        word
        if at and len(word) == 1 and word.isupper()
        else word.lower().removesuffix("'s")
        for at, word in enumerate(found)
    ]


def _swapped(
    one: Sequence[str], other: Sequence[str]
) -> tuple[set[str], set[str]] | None:
    """Return the words of each of two texts that stand at a place of the other's.

    That is between the same words of both, on one side at least.
    """
    own = {each for each in {*one} - {*other} if _is_word(each)}
    theirs = {each for each in {*other} - {*one} if _is_word(each)}
    if not own or not theirs:
        return None
    mine, its = _places(one, own), _places(other, theirs)
    befores = {before for _, before, _ in its}
    afters = {after for _, _, after in its}
    if any(before in befores or after in afters for _, before, after in mine):
        return own, theirs
    return None


def _is_word(said: str) -> bool:
    """Tell whether what is *said* is no number and no day: those are compared apart."""
    return said not in DAYS and not any(map(str.isdigit, said))


def _places(words: Sequence[str], own: set[str]) -> list[tuple[str, str, str]]:
    """Return each of a text's *own* words, with those beside it that others share."""
    shared = ["", *("" if each in own else each for each in words), ""]
    found = []
    for at, word in enumerate(words, 1):
        if word in own:
            before = next((s for s in reversed(shared[1:at]) if s), "^")
            after = next((s for s in shared[at + 1 :] if s), "$")
            found.append((word, before, after))
    return found


def _ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many words two texts begin with alike, and end with."""
    least = min(len(one), len(other))
    start = 0
    while start < least and one[start] == other[start]:
        start += 1
    end = 0
    while end < least - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


def _is_exclusive(
    first: tuple[list[str], list[str]],
    second: tuple[list[str], list[str]],
    own: set[str],
    theirs: set[str],
) -> bool:
    """Tell whether only one of two texts can be so, that differ at one place."""
    start, end = _ends(first[1], second[1])
    if (
        len(first[1]) - end - start > RUN_MOST
        or len(second[1]) - end - start > RUN_MOST
    ):
        return False
    if len(own) > RUN_MOST or len(theirs) > RUN_MOST:
        return False
    begin, finish = _ends(first[0], second[0])
    words = first[0]
    rest, before = words[len(words) - finish :], words[:begin]
    if rest[:1] and rest[0] in OWNING:
        return True
    if rest[:2] in (["is", "the"], ["are", "the"]):
        return True
    chosen = next(
        (at for at in range(begin - 1, -1, -1) if before[at] in CHOOSING), None
    )
    return chosen is not None and PREPOSITIONS.isdisjoint(before[chosen:])


def _sides_changed(
    one: Sequence[str], other: Sequence[str], content: Callable[[str], str]
) -> bool:
    """Tell whether words changed sides around a word that tells its sides apart."""
    cues = SIDES.intersection(one)
    for cue in sorted(cues):
        for theirs in BEFORE if cue in BEFORE else (cue,):
            if theirs in other and _changed(
                _sides(one, cue, content), _sides(other, theirs, content)
            ):
                return True
    return False


def _changed(one: tuple[set[str], set[str]], other: tuple[set[str], set[str]]) -> bool:
    left, right = one[0] - one[1], one[1] - one[0]
    their_left, their_right = other[0] - other[1], other[1] - other[0]
    return bool(left & their_right and right & their_left)


def _sides(
    words: Sequence[str], cue: str, content: Callable[[str], str]
) -> tuple[set[str], set[str]]:
    """Return what stands before *cue*, and what behind it."""
    at = [*words].index(cue)
    left, right = words[:at], words[at + 1 :]
    return {*filter(None, map(content, left))}, {*filter(None, map(content, right))}
