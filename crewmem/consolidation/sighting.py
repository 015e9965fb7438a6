"""What was seen again after it was learned: its line says so. Pure.

Of an observation the days become more, of a rule the sources. A line that a person made
another stays what it is; the journal has all of it.
"""

from __future__ import annotations

import re

from crewmem.consolidation.item import item_id
from crewmem.consolidation.piece import ENTRY
from crewmem.consolidation.plan import file_of
from crewmem.consolidation.section import LEARNED, entries_of, section, with_lines
from crewmem.consolidation.seen import read_seen, seen_again
from crewmem.consolidation.wording import SOURCES_MOST, named_source
from crewmem.errors.consolidation import SectionDamagedError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.consolidation.item import Evidence

SEEN = "seen"
"""What ids of sightings are made of, besides what was seen."""

CONSOLIDATED = "memory.consolidated"
"""The type of the entries that lines of ours lead to."""

SOURCE, RULE_ENTRY = "**Source:** ", "**Entry:** "

MORE = re.compile(r" and (\d{1,9}) more$")

OURS = re.compile(
    r"(?:agent:[^/]+/[^/]+/AGENT|crew:[^/]+/(?:CREW|topics/from-notes"
    r"|learned/\d{4}-\d\d-\d\d))\.md"
)
"""Files that lines of ours stand in."""

LEARNED_ON = re.compile(r"/learned/(\d{4}-\d\d-\d\d)\.md$")


class Line(NamedTuple):
    """What stands in a file since it was learned.

    Attributes:
        ref: The file.
        entry: Of the journal, that it leads to.
        last: The day on which it was last seen; of a rule, on which it was learned.
        agents: By whom it was seen, of a crew's.
        sources: Of a rule, the entries that it names; with what else the journal has
            of it, once that is known.
        counted: Of a rule, how many it only counts.
    """

    ref: str
    entry: str
    last: str
    agents: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    counted: int = 0

    @property
    def is_shared(self) -> bool:
        """Whether it is the crew's, and says by whom it was seen."""
        return self.ref.startswith("crew:")

    @property
    def is_rule(self) -> bool:
        """Whether it is the title of a rule."""
        return LEARNED_ON.search(self.ref) is not None

    def lacks(self, evidence: Evidence) -> bool:
        """Tell whether *evidence* is news to it."""
        if self.is_rule:
            return evidence.day >= self.last and evidence.ref not in self.sources
        if evidence.day != self.last:
            return evidence.day > self.last
        return self.is_shared and bool({evidence.agent} - self.agents - {""})


class Sighting(NamedTuple):
    """That something was seen again.

    Attributes:
        ref: The file that says it.
        entry: That its line leads to.
        text: What was seen, in a line.
        evidence: Where, and when.
        counted: Of a rule, how many sources it only counted before.
    """

    ref: str
    entry: str
    text: str
    evidence: tuple[Evidence, ...]
    counted: int = 0

    def and_more(self, other: Sighting) -> Sighting:
        """Return this, with the places of an *other* sighting of the same."""
        both = {
            (each.ref, each.sha256): each for each in (*self.evidence, *other.evidence)
        }
        order = sorted(both.values(), key=lambda each: (each.day, each.ref))
        return self._replace(evidence=tuple(order))

    @property
    def id(self) -> str:
        """The id of its entry: the same sighting has the same one."""
        said = "\0".join(f"{e.ref}\0{e.day}\0{e.sha256}" for e in self.evidence)
        made = item_id(self.entry, "", "", SEEN, said)
        return f"j_{made.partition('_')[2]}"

    @property
    def owner(self) -> tuple[str, str]:
        """The crew of the file, and the agent; "" for the crew's own."""
        return owner(self.ref)

    @property
    def days(self) -> tuple[str, ...]:
        """The days on which it was seen, each once, oldest first."""
        return (*sorted({each.day for each in self.evidence}),)

    @property
    def agents(self) -> tuple[str, ...]:
        """By whom, where the file is the crew's."""
        if self.owner[1]:
            return ()
        return (*sorted({each.agent for each in self.evidence if each.agent}),)


def is_ours(ref: str) -> bool:
    """Tell whether consolidation writes into the file *ref*."""
    return OURS.fullmatch(ref) is not None


def owner(ref: str) -> tuple[str, str]:
    """Return the crew of the file *ref*, and the agent; "" for the crew's own."""
    scope, _, rest = ref.partition(":")
    crew, *more = rest.split("/")
    return crew, more[0] if scope == "agent" else ""


def may_lead_to(ref: str, kind: str, crew: str | None, agent: str | None) -> bool:
    """Tell whether a line of the file *ref* may lead to an entry.

    An agent can write the id of any into its own file. Of *kind*, *crew* and *agent*
    are only those that consolidation adds with a line of such a file.
    """
    whose, own = owner(ref)
    expected = (None, own) if own else (whose, None)
    return kind == CONSOLIDATED and (crew or None, agent or None) == expected


def numbers_inside(ref: str, text: str) -> range:
    """Return the numbers of those lines of *text*, of the file *ref*, that may be ours.

    That is what the section has that consolidation writes; of rules, the whole file.
    """
    if not is_ours(ref):
        return range(0)
    if LEARNED_ON.search(ref):
        return range(1, text.count("\n") + 2)
    try:
        cut = section(text.encode("utf-8", "replace"), LEARNED)
    except SectionDamagedError:
        return range(0)
    if cut is None:
        return range(0)
    first = cut.head.count(b"\n") + 1
    return range(first, first + cut.body.count(b"\n"))


def line_in(ref: str, lines: Sequence[str], number: int) -> Line | None:
    """Return what of ours stands in one of *lines*, of the file *ref*; None: nothing.

    It is one of `numbers_inside`; of a rule it is the line of its title.
    """
    learned = LEARNED_ON.search(ref)
    if learned is None:
        found = read_seen(lines[number - 1])
        if found is None:
            return None
        seen, entry = found
        return Line(ref, entry, seen.last, frozenset(seen.agents))
    for at in range(number, min(number + 4, len(lines))):
        if lines[at].startswith(RULE_ENTRY):
            names = lines[at - 2].removeprefix(SOURCE)
            sources = frozenset(re.findall(r"j_[0-9a-z]{12}", names))
            entry = lines[at].removeprefix(RULE_ENTRY).strip()
            return Line(
                ref, entry, learned[1], sources=sources, counted=_counted(names)[1]
            )
    return None


def with_seen(content: bytes, ref: str, sightings: Sequence[Sighting]) -> bytes:
    """Return *content*, of the file *ref*, with *sightings* in the lines of theirs.

    Raises:
        SectionDamagedError: If its section is damaged.
    """
    by_entry = {each.entry: each for each in sightings}
    if file_of(ref).startswith("learned/"):
        return _with_sources(content, by_entry)

    def change(line: bytes) -> bytes:
        here = [by_entry[each] for each in entries_of(line) if each in by_entry]
        for each in here:
            try:
                said = line.decode("utf-8")
            except UnicodeDecodeError:
                return line
            bare = said.rstrip("\r\n")
            now = seen_again(bare, each.days, each.agents)
            line = f"{now}{said[len(bare) :]}".encode()
        return line

    return with_lines(content, LEARNED, change)


def _with_sources(content: bytes, by_entry: dict[str, Sighting]) -> bytes:
    """Return *content*, a day's rules, with the sources of those met again."""
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return content
    source = -1
    for at, line in enumerate(lines):
        said = line.rstrip("\r")
        if said.startswith(SOURCE):
            source = at
        elif said.startswith(RULE_ENTRY) and source >= 0:
            met = by_entry.get(said.removeprefix(RULE_ENTRY).strip())
            if met:
                lines[source] = _with_more(lines[source], met)
            source = -1
    return "\n".join(lines).encode()


def _with_more(line: str, met: Sighting) -> str:
    """Return a *line* of sources with those of a rule that was *met* again.

    A run that was killed does this once more: those it counted then are in the line.
    """
    said = line.rstrip("\r")
    new = [
        each for each in met.evidence if each.source == ENTRY and each.ref not in said
    ]
    head, over = _counted(said)
    room = 0 if over else max(SOURCES_MOST - head.count(", ") - 1, 0)
    head = ", ".join([head, *(named_source(each) for each in new[:room])])
    over = max(over, met.counted + len(new[room:]))
    more = f" and {over} more" if over else ""
    return f"{head}{more}{line[len(said) :]}"


def _counted(sources: str) -> tuple[str, int]:
    """Return the *sources* that a line names, and how many more it counts."""
    found = MORE.search(sources.rstrip("\r"))
    return (sources[: found.start()], int(found[1])) if found else (sources, 0)
