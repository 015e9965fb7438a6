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

    Ends = list[tuple[int, int]]
    """How long words are, and what each costs."""

    Met = Callable[[str, int], Ends]
    """What tells which words begin at a letter."""

RUN = lazy(r"(?<![\w+/\\$%&=<'@-])[A-Za-z'][A-Za-z']{15,1200}(?![\w+/\\=(-])")
"""Letters in a row, in no address and no path, and which nobody calls as a function;
longer ones are no sentence."""

SUFFIX = lazy(r"\.[a-z]{1,5}\b")
"""What is behind the name of a file."""

NAMED = lazy(
    r"\b(?:class|component|constant|enum|error|event|exception|field|function|hook"
    r"|identifier|interface|macro|method|module|struct|test|trait|type|variable) $"
)
"""What is before the name of a thing in code, which is no sentence."""

BEFORE = 14
"""Characters in which that stands."""

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

HEAD, MANY = 3, 3_000
"""Letters by which words are in an index, and those of runs for which it is made: it
takes as long as to cut so many without it."""

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
    text: str, long: str, saying: Callable[[list[str]], set[int]]
) -> Iterator[tuple[Text, int, int]]:
    """Yield parts of *text* with the runs in them cut that say something so.

    With each, where it begins and ends. *long* has the long words of the text, one a
    line; *saying* tells which of the runs that were cut say something.
    """
    runs = {match[0] for match in _runs(long)}
    met = _indexed if sum(map(len, runs)) > MANY else _looked_up
    cuts = [(run, places) for run in runs if (places := cut(run, met))]
    said = saying([_spaced(*each) for each in cuts]) if cuts else ()
    known = dict(map(cuts.__getitem__, said))
    if not known:
        return
    there = [
        (match.start(), match.end(), [*known[match[0]], *_end(text, match)])
        for match in _runs(text)
        if match[0] in known and not _is_name(text, match)
    ]
    for start, end, places in _grouped(text, there):
        spaces = ((place - start, place - start, " ") for place in places)
        yield replaced(text[start:end], spaces), start, end


def _runs(text: str) -> Iterator[re.Match[str]]:
    """Yield the runs in *text* that are no names of files."""
    for match in RUN.finditer(text):
        if not SUFFIX.match(text, match.end()):
            yield match


def _is_name(text: str, run: re.Match[str]) -> bool:
    """Tell whether *run* has capitals in it and is called a class or the like."""
    start = run.start()
    before = text[max(start - BEFORE, 0) : start].lower()
    return run[0][1:].lower() != run[0][1:] and NAMED.search(before) is not None


def _end(text: str, run: re.Match[str]) -> Iterator[int]:
    """Yield where the next sentence begins if it follows *run* without a space."""
    mark, letter = text[run.end() : run.end() + 1], text[run.end() + 1 : run.end() + 2]
    if mark and mark in ".!?,;:" and letter.isalpha():
        yield len(run[0]) + 1


def cut(run: str, met: Met | None = None) -> list[int]:
    """Return where the words of *run* begin, but the first; none where it has no three."""
    humps = [hump.span() for hump in HUMP.finditer(run)]
    if len(humps) > 1 and len(run) < SHORT_HUMP * len(humps):
        humps = [(0, len(run))]
    begins: list[int] = []
    left = int(STRANGE * len(run))
    for start, end in humps:
        begins.append(start)
        if len(humps) == 1 or end - start >= LONG_HUMP:
            inner, unknown = _words(run[start:end].lower(), left, met or _looked_up)
            left -= unknown
            if left < 0 and len(humps) == 1:
                return []
            begins += [start + place for place in inner if place]
    return begins[1:] if len(begins) >= FEWEST else []


def _words(letters: str, left: int, met: Met) -> tuple[list[int], int]:
    """Return where words begin that *letters* are cut into, and how many are of none.

    The cheapest way to each letter is kept, and nothing goes on from one to which there
    is none with *left* unknown letters at most. Endings may reach beyond the last one.
    """
    size = len(letters)
    most, room = UNKNOWN * (size + 1) * 2, size + 1 + ENDING
    costs, unknown, origin = [most] * room, [0] * room, [0] * room
    costs[0] = 0
    for at in range(size):
        here, strange = costs[at], unknown[at]
        if here == most or strange > left:
            continue
        for length, cost in met(letters, at):
            end, cost_there = at + length, here + cost
            if cost_there < costs[end]:
                costs[end], origin[end], unknown[end] = cost_there, at, strange
        if here + UNKNOWN < costs[at + 1]:
            costs[at + 1], origin[at + 1] = here + UNKNOWN, at
            unknown[at + 1] = strange + 1
    if costs[size] == most:
        return [], size
    return _begins(origin[: size + 1], unknown), unknown[size]


def _looked_up(letters: str, at: int) -> Ends:
    """Return how long the words are that begin *at* a letter: each length is tried."""
    known, common = lexicon(), _common()
    whole, stems = known.whole, known.stems.classes
    found: Ends = []
    for size in range(1, min(LONGEST, len(letters) - at) + 1):
        word = letters[at : at + size]
        if word in whole or word in common:
            found += _ends(size)
        if word in stems:
            found += _ends(size, ENDING)
    return found


def _indexed(letters: str, at: int) -> Ends:
    """Return the same, by an index of all words."""
    index = _index()
    found: Ends = []
    for size in range(1, HEAD + 1):
        for word, ends in index.get(letters[at : at + size], ()):
            if letters.startswith(word, at):
                found += ends
    return found


@cache
def _index() -> dict[str, list[tuple[str, Ends]]]:
    """Return words by their first letters, each with what `_ends` says of it."""
    known = lexicon()
    index: dict[str, list[tuple[str, Ends]]] = {}
    whole = known.whole.keys() | _common()
    for words, ending in ((whole, 0), (known.stems.classes, ENDING)):
        for word in words:
            if len(word) <= LONGEST:
                each = word, _ends(len(word), ending)
                index.setdefault(word[:HEAD], []).append(each)
    return index


@cache
def _ends(size: int, ending: int = 0) -> Ends:
    """Return the lengths of a known word of *size*, with up to so many letters more."""
    cost = COSTS[min(size, len(COSTS) - 1)]
    return [(size + more, cost + more * ENDED) for more in range(ending + 1)]


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
