"""Six signals of how much something is worth keeping, and their sum. Pure.

Each is in [0, 1], and each is really supplied: the predecessor's gate could never open,
since two of its signals were never filled in and a third was a constant.
"""

from __future__ import annotations

import re
from math import log

from crewmem.consolidation import tongues
from crewmem.consolidation.item import Score
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.consolidation.normal import Form

RELEVANCE, FREQUENCY, DIVERSITY, RECENCY, CONSOLIDATION, RICHNESS = (
    0.30,
    0.24,
    0.15,
    0.15,
    0.10,
    0.06,
)
"""What each signal counts; together 1."""

GATE, RELEVANT = 0.36, 0.4
"""What is kept has at least this score, and at least this relevance: what a diary says
every day is frequent, and still nothing to keep. Measured on lines that were judged by
hand, said on two days (tests/consolidation/test_gate.py): all of what a crew would want
to know in a month passes, and nothing of what only passed."""

OFTEN = 30
"""Occurrences and recalls that are as often as can be."""

DIVERSE = 10
"""Days, further sources and questions that are as diverse as can be."""

HALF_LIFE = 14
"""Days after which what was last said counts half."""

CONSOLIDATED = 5
"""Other memories that keep the same, from which on it is known to be worth it."""

EVIDENCE, KINDS = 8, 4
"""Places, and kinds of places, from which on something is as rich as can be."""

DECISIVE = re.compile(
    r"\b(?:decid\w+|decisions?|agreed|agreements?|rules?|polic(?:y|ies)|always"
    r"|never|must|should|prefers?|preferred|because|caused?|causes|fixed by|lessons?"
    r"|learn(?:ed|t)|important|note to self|requires?|required|instead of|only|use"
    r"|avoid|don't|do not|cannot|can't|not|no longer|there (?:is|are) no|without|before"
    r"|after|unless|until|whenever|when|if|limit(?:s|ed)?|default|belongs?|lives?"
    r"|listens?|means|owns?|owner|contains?|expires?|takes?|fails?|breaks|drops?"
    r"|needs?|wants?|ha(?:s|ve) to|stops|waits? for|gives up|hands over|goes to|returns"
    rf"|runs on|answers|depends|keeps|asks for|{tongues.DECISIVE})\b"
)
"""Words of decisions, causes, habits and facts. Like those below it is looked for in
lower case: to ignore case takes four times as long."""

PINS = re.compile(
    r"(?i)^(?:\W*(?:pin(?:ned)?|important|remember|todo-keep)\b\W|!{1,3}\s)"
)
"""How somebody marks what is to be kept."""

CODE = re.compile(r"`[^`]+`|\b[\w.-]+/[\w./-]+|\b\w+[_.]\w+\b")
"""Code, paths and identifiers: what is specific."""

PASSING = re.compile(
    r"\b(?:today|tomorrow|yesterday|this (?:morning|afternoon|evening|week)|tonight"
    r"|stand-?up|lunch|coffee|weather|good morning|good night|signing off|took over"
    r"|(?:quiet|busy|long|slow) (?:night|day|morning|afternoon|shift|call|week)"
    r"|nothing (?:new|special|else|to report)|no (?:findings|result|news|surprises)"
    r"|as usual|routine|everything|all (?:green|good|fine|well|quiet|clear)|looks? fine"
    r"|end of (?:the )?day|caught up|work(?:ed|ing) on|continu(?:e|ed|ing) with"
    r"|will continue|still waiting|reading mail|a little|small (?:fix(?:es)?|things?)"
    rf"|started the|went well|pull requests|helped|{tongues.PASSING})\b"
)
"""Words of what passes: a diary has them every day."""

DID = """
added answered asked attended built called changed checked cleaned closed continued
counted debugged deployed did discussed drafted finished fixed found gave got had handed
handled helped installed investigated looked made merged met moved opened paired pinged
planned posted prepared put ran read rebuilt released removed renamed restarted reviewed
rotated saw sent shipped spent started synced talked tested told took tried updated
upgraded went worked wrote
"""

DIARY = re.compile(
    rf"^(?:(?:(?:i|we|just)\s+)?(?:{'|'.join(DID.split())})\b"
    rf"(?!\s(?:that|out|why|how)\b)|{tongues.DIARY})"
)
"""What somebody did, and is over. Who found that something is so says what is so."""

BASE, DECIDED, SPECIFIC, PASSES = 0.45, 0.25, 0.10, 0.25
"""Of relevance without a model: what any text has, what words of decisions add and
each thing that is specific (three at most), and what passing takes, of which nothing
specific counts. Being short takes nothing: "Redis cache is flaky" is short, and so is
all that is written without spaces."""


class Counted(NamedTuple):
    """What is known of an item, besides its text.

    Attributes:
        occurrences: Places that say it.
        recalls: Times that one of them was found by a recall or a search.
        days: On which it was said.
        sources: That say it: an agent's notes, its lessons, its entries.
        questions: Different ones that found it.
        age_days: Since it was last said.
        consolidated: Other memories that keep the same.
        kinds: Different headings and types of entries that it stands under.
    """

    occurrences: int
    recalls: int
    days: int
    sources: int
    questions: int
    age_days: int
    consolidated: int
    kinds: int


def score(relevance: float, counted: Counted) -> Score:
    """Return how much speaks for an item."""
    signals = [
        _within(relevance),
        _within(log(1 + counted.occurrences + counted.recalls) / log(1 + OFTEN)),
        _within(
            log(1 + counted.days + counted.sources - 1 + counted.questions)
            / log(1 + DIVERSE)
        ),
        _within(2.0 ** (-max(counted.age_days, 0) / HALF_LIFE)),
        _within(counted.consolidated / CONSOLIDATED),
        _within(
            0.3 * min(1.0, counted.occurrences / EVIDENCE)
            + 0.7 * min(1.0, counted.kinds / KINDS)
        ),
    ]
    weights = (RELEVANCE, FREQUENCY, DIVERSITY, RECENCY, CONSOLIDATION, RICHNESS)
    total = sum(
        weight * signal for weight, signal in zip(weights, signals, strict=True)
    )
    return Score._make([round(each, 4) for each in (*signals, total)])


def passes(found: Score) -> bool:
    """Tell whether what has the score *found* is worth keeping."""
    return found.total >= GATE and found.relevance >= RELEVANT


def relevance(text: str, form: Form, *, is_pinned: bool) -> float:
    """Return how much *text* reads like something to keep, in [0, 1]."""
    if is_pinned or PINS.match(text):
        return 1.0
    said = text.lower()
    found = BASE + DECIDED * bool(DECISIVE.search(said))
    if PASSING.search(said) or DIARY.match(said):
        return _within(found - PASSES)
    specific = len(form.values) + len(form.names) + len(CODE.findall(text))
    return _within(found + SPECIFIC * min(specific, 3))


def confidence(days: int, sources: int) -> float:
    """Return how sure it is what so many days and sources say, in [0, 1]."""
    doubts: float = 2.0 ** -(1 + 0.5 * (days - 1) + 0.5 * (sources - 1))
    return round(1 - doubts, 4)


def _within(number: float) -> float:
    return min(1.0, max(0.0, number))
