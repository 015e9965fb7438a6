"""What consolidation would keep: an observation or a rule, and who said it where.

Pure. `gather` makes items of notes, entries and lessons; `plan` says where each goes;
a proposal carries them as JSON until a person has decided.
"""

from __future__ import annotations

from crewmem.digests import sha256
from crewmem.ids import DIGITS, ID_DIGITS
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.consolidation.sighting import Sighting

OBSERVATION = "observation"
"""A line that several days or several sources say."""

RULE = "rule"
"""What to do when, drawn by a model from what happened."""


class Evidence(NamedTuple):
    """One place that says it.

    Attributes:
        ref: Of a line, ``agent:harbor/mira/daily/2026-04-14.md:12``: the file as
            search prints it, and the line. Of an entry, its id.
        source: ``daily``, ``journal`` or ``lesson``.
        kind: The heading above the line, or the entry's type.
        sha256: Of the text that was read: of the line, or of the entry's summary and
            payload. What no longer has it is no evidence any more.
        day: Of the operator's calendar: ``2026-04-14``.
        agent: Its slug; empty for the crew's own.
        quote: What it says, word for word.
    """

    ref: str
    source: str
    kind: str
    sha256: str
    day: str
    agent: str
    quote: str


class Score(NamedTuple):
    """How much speaks for an item: six signals, each in [0, 1], and their sum."""

    relevance: float
    frequency: float
    diversity: float
    recency: float
    consolidation: float
    richness: float
    total: float


class Item(NamedTuple):
    """One thing to be kept.

    Attributes:
        id: `item_id` of it: a rerun makes the same item.
        kind: `OBSERVATION` or `RULE`.
        crew: Slug.
        agent: Slug of the agent whose it is; empty for the crew's.
        title: Of a rule, its one line; of an observation, empty.
        text: Of an observation, the line; of a rule, what to do, in prose.
        confidence: In [0, 1].
        score: What it was let through by.
        evidence: Where it is said; at least two places.
        contradicts: What says otherwise: refs, or texts. Such an item is never
            applied without a person.
    """

    id: str
    kind: str
    crew: str
    agent: str
    title: str
    text: str
    confidence: float
    score: Score
    evidence: tuple[Evidence, ...]
    contradicts: tuple[str, ...] = ()

    @property
    def days(self) -> tuple[str, ...]:
        """The days on which it was said, each once, oldest first."""
        return (*sorted({each.day for each in self.evidence}),)


class Dropped(NamedTuple):
    """What was not made an item, and why.

    Attributes:
        text: What it says; empty for what may not be shown.
        reason: Why it was left out.
        evidence: Where it is said: the ids of entries, and file:line.
    """

    text: str
    reason: str
    evidence: tuple[str, ...] = ()


def item_id(workspace: str, crew: str, agent: str, kind: str, text: str) -> str:
    """Return the id of what *text* says, which must be normalised.

    It is made of what is said and by whom, so a rerun makes the same one.
    """
    whole = f"{workspace}\0{crew}\0{agent}\0{kind}\0{text}"
    number = int(sha256(whole.encode("utf-8", "surrogatepass"))[:16], 16)
    digits = (DIGITS[number >> 5 * place & 31] for place in range(ID_DIGITS))
    return f"c_{''.join(digits)}"


class Settled(NamedTuple):
    """A daily note of which nothing waits any more: it may be archived when it is old.

    Attributes:
        ref: As search prints it: ``agent:harbor/mira/daily/2026-03-14.md``.
        sha256: Of the file as it was read, whole; one that has other bytes by now
            stays where it is.
        day: ``2026-03-14``.
    """

    ref: str
    sha256: str
    day: str


class Gathered(NamedTuple):
    """What was read of a crew, and what was made of it. Nothing is written yet.

    Attributes:
        items: What is to be kept, the best first; those that contradict something
            among them.
        waiting: How many observations have not recurred yet, or fell short.
        dropped: What was left out, and why.
        notices: What a person should know: what was poison, could not be read.
        read: How many notes, entries and lessons were new.
        settled: Daily notes of which nothing waits.
        seen: What was learned before, and was seen again.
        marks: How far was read, and the candidates; for `keep` alone.
    """

    items: tuple[Item, ...] = ()
    waiting: int = 0
    dropped: tuple[Dropped, ...] = ()
    notices: tuple[str, ...] = ()
    read: int = 0
    settled: tuple[Settled, ...] = ()
    seen: tuple[Sighting, ...] = ()
    marks: object = None


class Outcome(NamedTuple):
    """What became of items, by their ids.

    Attributes:
        applied: They stand in memory, or a recorded plan brings them there.
        proposed: They wait for a person.
        rejected: They are never to be asked about again.
        waiting: There was no room, or they contradict something: they stay open.
    """

    applied: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
