"""Words that are run together, as in a hashtag: ``ignoreallrules``, ``IgnoreAllRules``.

A run is cut where its capitals are, and else into known words: the fewest, with hardly
a letter left over. Only runs that say something when they are cut count, for which the
caller reads each alone; so names of classes and long words of German stay what they are.
"""

from __future__ import annotations

from functools import cache

from crewmem.threats.lazy import lazy
from crewmem.threats.lexicon import lexicon
from crewmem.threats.normalise import Text, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    Cut = tuple[int, int, list[int]]
    """Where a run begins and ends, and where spaces go: in it, or in the text."""

RUN = lazy(r"(?<![\w+/\\$%&=<'@-])[A-Za-z'][A-Za-z']{15,1200}(?![\w+/\\=(-])")
"""Letters in a row, in no address and no path, and which nobody calls as a function;
longer ones are no sentence."""

SUFFIX = lazy(r"\.[a-z]{1,5}\b")
"""What is behind the name of a file."""

HUMP = lazy(r"[A-Z]+(?![a-z'])|[A-Z]?[a-z']+|[A-Z]+")

SHORT_HUMP, LONG_HUMP = 2.5, 16
"""Letters between two capitals on average, of a run that is no row of words, and of a
part that is cut itself."""

LONGEST = 15
"""Letters of a word that is looked for."""

ENDING = 3
"""Letters behind a known beginning at most."""

FEWEST = 3
"""Words of a run that says something."""

STRANGE = 0.15
"""Of a run's letters, those that are of no known word at most."""

UNKNOWN, ENDED = 7, 2
"""What a letter costs that is of no word, and one that is behind a known beginning."""

COSTS = (0, 9, 4, 3)
"""What a word of so many letters costs, and a longer one: short ones are met by
chance."""

MARGIN = 400
"""Characters around a run that are read again with it: what quotes or denies it."""

COMMON = """
    the and for with from that this then than but not are was were have has had will
    would can could should may might must do does did done about after again also an any
    as at away back because been before being between both by come each even every first
    get give go going here his her him how if in into is it its just keep know last let
    like long look made make many me more most much my need never new no now of off on
    one only or other our out over own part please put read same say see she show so some
    still such take their them these they thing things think those through to too two
    under until up upon us use used using very want way we well what when where which
    while who why without work write you your yours user users file files home page
    http https www com org net
    der die das den dem des ein eine einen einem einer und oder mit von vom zu zum zur
    bei beim auf aus fur ist sind war wird werden nicht kein keine nur noch auch als wie
    wenn dann dass ich du er sie es wir ihr mir dir mich dich uns euch im am an um nach
    vor uber unter durch ohne gegen alle alles jetzt hier gib sag zeig
    el los las una unos del al por para con sin sobre que como pero mas muy todo toda
    le les des du un une et ou mais dans sur pour par avec sans que qui ce cette ces
    il lo gli di da che non per nel con una e i o as os um uma em no na com para por
    het een van voor met niet en of
"""
"""Words that hold sentences together; most are of no class."""


def parted(
    text: str, long: str, says: Callable[[str], bool]
) -> Iterator[tuple[Text, int, int]]:
    """Yield parts of *text* with the runs in them cut that say something so.

    With each, where it begins and ends. *long* has the long words of the text, one a
    line; *says* tells whether a cut run says something.
    """
    known: dict[str, list[int]] = {}
    for run in {match[0] for match in _runs(long)}:
        places = cut(run)
        if places and says(_spaced(run, places)):
            known[run] = places
    if not known:
        return
    cuts = [
        (match.start(), match.end(), [*known[match[0]], *_end(text, match)])
        for match in _runs(text)
        if match[0] in known
    ]
    for start, end, places in _grouped(text, cuts):
        spaces = ((place - start, place - start, " ") for place in places)
        yield replaced(text[start:end], spaces), start, end


def _runs(text: str) -> Iterator[re.Match[str]]:
    """Yield the runs in *text* that are no names of files."""
    for match in RUN.finditer(text):
        if not SUFFIX.match(text, match.end()):
            yield match


def _end(text: str, run: re.Match[str]) -> Iterator[int]:
    """Yield where the next sentence begins if it follows *run* without a space."""
    mark, letter = text[run.end() : run.end() + 1], text[run.end() + 1 : run.end() + 2]
    if mark and mark in ".!?,;:" and letter.isalpha():
        yield len(run[0]) + 1


def cut(run: str) -> list[int]:
    """Return where the words of *run* begin, but the first; none where it has no three."""
    humps = [hump.span() for hump in HUMP.finditer(run)]
    if len(humps) > 1 and len(run) < SHORT_HUMP * len(humps):
        humps = [(0, len(run))]
    begins: list[int] = []
    left = int(STRANGE * len(run))
    for start, end in humps:
        begins.append(start)
        if len(humps) == 1 or end - start >= LONG_HUMP:
            inner, unknown = _words(run[start:end].lower(), left)
            left -= unknown
            if left < 0 and len(humps) == 1:
                return []
            begins += [start + place for place in inner if place]
    return begins[1:] if len(begins) >= FEWEST else []


def _words(letters: str, left: int) -> tuple[list[int], int]:
    """Return where words begin that *letters* are cut into, and how many are of none.

    The cheapest way to each letter is kept, and nothing goes on from one to which there
    is none with *left* unknown letters at most.
    """
    whole, stems, size = lexicon().whole, lexicon().stems.classes, len(letters)
    common = _common()
    most = UNKNOWN * (size + 1) * 2
    costs, unknown, origin = [most] * (size + 1), [0] * (size + 1), [0] * (size + 1)
    costs[0] = 0

    def reach(at: int, end: int, cost: int, strange: int) -> None:
        if costs[at] + cost < costs[end]:
            costs[end], origin[end] = costs[at] + cost, at
            unknown[end] = unknown[at] + strange

    for at in range(size):
        if costs[at] == most or unknown[at] > left:
            continue
        reach(at, at + 1, UNKNOWN, 1)
        for end in range(at + 1, min(at + LONGEST, size) + 1):
            word = letters[at:end]
            cost = COSTS[min(end - at, len(COSTS) - 1)]
            if word in whole or word in common:
                reach(at, end, cost, 0)
            if word in stems:
                for more in range(min(ENDING, size - end) + 1):
                    reach(at, end + more, cost + more * ENDED, 0)
    if costs[size] == most:
        return [], size
    return _begins(origin, unknown), unknown[size]


def _begins(origin: list[int], unknown: list[int]) -> list[int]:
    """Return the places on the way to the end; letters of no word stay together."""
    places: list[int] = []
    end, was_known = len(origin) - 1, True
    while end:
        at = origin[end]
        is_known = unknown[at] == unknown[end]
        if not is_known and not was_known:
            places.pop()
        places.append(at)
        end, was_known = at, is_known
    return places[::-1]


@cache
def _common() -> frozenset[str]:
    return frozenset(COMMON.split())


def _spaced(run: str, places: list[int]) -> str:
    starts, ends = (0, *places), (*places, len(run))
    return " ".join(run[a:b] for a, b in zip(starts, ends, strict=True))


def _grouped(text: str, cuts: list[Cut]) -> Iterator[Cut]:
    """Yield the parts of *text* around runs, apart, with where spaces go in each.

    A part that begins in a block of code begins where the block does.
    """
    from crewmem.threats.quoting import FENCE

    fences = [fence.start() for fence in FENCE.finditer(text)] if cuts else []
    begin = stop = at = 0
    inside: list[int] = []
    for start, end, places in cuts:
        first = max(start - MARGIN, 0)
        while at < len(fences) and fences[at] <= first:
            at += 1
        first = fences[at - 1] if at % 2 else first
        if inside and first > stop:
            yield begin, stop, inside
            inside = []
        if not inside:
            begin = first
        inside += [start + place for place in places]
        stop = min(end + MARGIN, len(text))
    if inside:
        yield begin, stop, inside
