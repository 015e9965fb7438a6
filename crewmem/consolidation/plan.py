"""What would be changed: which item goes into which file, and what has no room. Pure.

An agent's observation goes to its AGENT.md, a crew's to CREW.md or, when that is full,
to a topic; a rule to the crew's learned rules of the day. What contradicts something
is nobody's to settle but a person's: it is set aside.
"""

from __future__ import annotations

from crewmem.consolidation.item import RULE
from crewmem.consolidation.section import LEARNED, added, without
from crewmem.consolidation.wording import addition, line_of, shown, with_rules
from crewmem.digests import sha256
from crewmem.errors.consolidation import SectionDamagedError
from crewmem.files.caps import SOFT, usage
from crewmem.files.tiers import Tier, tier_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from crewmem.consolidation.item import Item, Settled
    from crewmem.consolidation.sighting import Sighting

TOPIC = "topics/from-notes.md"
"""Where a crew's observations go when CREW.md is full."""

SHARED = frozenset({Tier.AGENT, Tier.CREW})
"""Tiers that others write as well. From `SOFT` per cent of their cap on every write
asks to tidy up: consolidation stops below, so that they do not start full."""


class File(NamedTuple):
    """A file that items may go to.

    Attributes:
        content: What it holds; None if it is not there.
        cap: Most bytes that it may have; None for any.
        trouble: Why it cannot be read, or written; "" if it can.
    """

    ref: str
    content: bytes | None
    cap: int | None
    trouble: str = ""

    @property
    def sha256(self) -> str:
        """The hash of what it holds; "" if it is not there."""
        return "" if self.content is None else sha256(self.content)

    @property
    def room(self) -> int | None:
        """How large it may become by consolidation."""
        if self.cap is None:
            return None
        is_shared = tier_of(file_of(self.ref)) in SHARED
        return self.cap * SOFT // 100 if is_shared else self.cap


class Against(NamedTuple):
    """A place that says otherwise.

    Attributes:
        ref: The file, and the line.
        text: What stands there; "" for what may not be shown.
        entry: Of a line that consolidation wrote into the file at hand, its entry:
            that line is replaced. "" for what is somebody's own.
    """

    ref: str
    text: str
    entry: str = ""

    @property
    def said(self) -> str:
        """The place, with what stands there."""
        return f"{self.ref} ({self.text})" if self.text else self.ref


class Placed(NamedTuple):
    """Something that is kept, and where.

    Attributes:
        item: What.
        ref: The file that it goes to.
        adds: What is added there, as text.
        against: What says otherwise, of what a person has to settle.
    """

    item: Item
    ref: str
    adds: str
    against: tuple[Against, ...] = ()

    @property
    def replaces(self) -> frozenset[str]:
        """The entries whose lines it takes the place of."""
        return frozenset(each.entry for each in self.against if each.entry)


class Waiting(NamedTuple):
    """Something that is worth keeping, and is not kept yet.

    Attributes:
        id: Of the item.
        text: What it says.
        why: What stands in the way.
    """

    id: str
    text: str
    why: str


class Edit(NamedTuple):
    """What becomes of a file.

    Attributes:
        ref: Its name, whatever directory is asked.
        before: What it holds; None if it is not there.
        after: What it will hold.
    """

    ref: str
    before: bytes | None
    after: bytes


class Plan(NamedTuple):
    """What would be changed of a crew.

    Attributes:
        placed: What is kept, numbered from 1 in this order.
        edits: The files, each once, in order.
        archives: Daily notes to be put away.
        waiting: What is not kept yet, and why.
        damaged: Files whose section is damaged, and how.
        contested: What contradicts something: a person settles it.
        seen: What was learned before, and was seen again.
    """

    placed: tuple[Placed, ...] = ()
    edits: tuple[Edit, ...] = ()
    archives: tuple[Settled, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    damaged: tuple[str, ...] = ()
    contested: tuple[Item, ...] = ()
    seen: tuple[Sighting, ...] = ()

    @property
    def does(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.placed or self.archives or self.seen)


def plan(
    items: Sequence[Item],
    files: Mapping[str, File],
    archives: Iterable[Settled],
    today: str,
) -> Plan:
    """Place *items*, the best first, in *files*, all of `targets` by their names."""
    now = dict(files)
    placed: list[Placed] = []
    waiting: list[Waiting] = []
    damaged: dict[str, None] = {}
    for item in items:
        if item.contradicts:
            continue
        why = ""
        for ref in targets(item, today):
            try:
                after, trouble = fitted(now[ref], [item])
            except SectionDamagedError as error:
                after, trouble = b"", f"{ref}: {error.reason}"
                damaged[trouble] = None
            if not trouble:
                now[ref] = now[ref]._replace(content=after)
                placed.append(Placed(item, ref, addition(item)))
                break
            why = why or trouble
        else:
            waiting.append(Waiting(item.id, shown(item), why))
    edits = (
        Edit(ref, files[ref].content, file.content or b"")
        for ref, file in now.items()
        if file.content != files[ref].content
    )
    return Plan(
        placed=tuple(placed),
        edits=tuple(sorted(edits)),
        archives=tuple(archives),
        waiting=tuple(waiting),
        damaged=tuple(damaged),
        contested=tuple(each for each in items if each.contradicts),
    )


def targets(item: Item, today: str) -> tuple[str, ...]:
    """Return the files that *item* may go to, the first that has room."""
    if item.kind == RULE:
        return (f"crew:{item.crew}/learned/{today}.md",)
    if item.agent:
        return (f"agent:{item.crew}/{item.agent}/AGENT.md",)
    return (f"crew:{item.crew}/CREW.md", f"crew:{item.crew}/{TOPIC}")


def every_target(items: Iterable[Item], today: str) -> list[str]:
    """Return all files that *items* may go to, each once."""
    return [*dict.fromkeys(ref for each in items for ref in targets(each, today))]


def file_of(ref: str) -> str:
    """Return the file of *ref*, below its directory."""
    scope, _, rest = ref.partition(":")
    parts = {"agent": 2, "crew": 1, "workspace": 0}[scope]
    return rest.split("/", parts)[parts]


def with_items(
    content: bytes, items: Sequence[Item], ref: str, gone: Collection[str] = ()
) -> bytes:
    """Return *content*, of the file *ref*, with what it lacks of *items*.

    They take the place of the lines that lead to the entries *gone*.

    Raises:
        SectionDamagedError: If its section is damaged.
    """
    rules = [each for each in items if each.kind == RULE]
    if rules:
        content = with_rules(content, rules, file_of(ref).rpartition("/")[2][:-3])
    lines = [line_of(each) for each in items if each.kind != RULE]
    if gone:
        content = without(content, LEARNED, gone)
    return added(content, LEARNED, lines) if lines else content


def fitted(file: File, items: Sequence[Item]) -> tuple[bytes, str]:
    """Return what *file* holds with *items*, and why it cannot, else "".

    Raises:
        SectionDamagedError: If its section is damaged.
    """
    if file.trouble:
        return b"", file.trouble
    before = file.content or b""
    after = with_items(before, items, file.ref)
    if after == before or file.room is None or len(after) <= file.room:
        return after, ""
    size = usage(len(before), file.cap or 0)
    return b"", f"there is no room in {file.ref}: it has {size}"


def owners(archives: Iterable[Settled]) -> Iterator[str]:
    """Yield whose notes *archives* are, each once: ``harbor/mira``, ``harbor``."""
    seen: dict[str, None] = {}
    for each in archives:
        _, _, rest = each.ref.partition(":")
        seen[rest.partition("/daily/")[0]] = None
    yield from seen
