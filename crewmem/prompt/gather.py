"""What there is for a prompt: read from files of an agent, its crew, its workspace.

Each directory is walked once and read through its descriptor; nothing in it changes.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import date

from crewmem.files.caps import is_archive
from crewmem.files.tiers import Tier, tier_of
from crewmem.prompt.bare import bare
from crewmem.prompt.block import Block
from crewmem.prompt.defuse import plain
from crewmem.prompt.files import opened, section_of
from crewmem.prompt.instructions import Fill
from crewmem.prompt.lay import Memory
from crewmem.prompt.notes import Notes, notes_of
from crewmem.prompt.section import section
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.files.place import Place
    from crewmem.prompt.files import Tree
    from crewmem.prompt.section import Section

PERSONA = "PERSONA.md"

FLOORS = {"AGENT.md": 40}
"""Percent of a tier that other files leave to one."""

OUTCOMES_FLOOR = 15
"""Percent of the crew's share that other files leave to the last outcomes."""

AHEAD = 2
"""Times the budget that is read of topics: some of them may be blocked."""

NS = 1_000_000_000
DAY = 86_400
EPOCH = date(1970, 1, 1).toordinal()


class Subject(NamedTuple):
    """Whose prompt it is, and where what it reads lies.

    Attributes:
        agent: Its slug; "" where nobody knows it.
        crew: Of its crew; "" where nobody knows it.
        own: Its directory.
        shared: Its crew's; None where there is none.
        workspace: Its workspace's; None where there is none.
        is_lead: Whether it leads the crew.
        is_alone: Whether it is the only agent of the crew.
        is_off: Whether its memory is switched off.
        named: Whether the directories were named, rather than found.
    """

    agent: str
    crew: str
    own: Place
    shared: Place | None = None
    workspace: Place | None = None
    is_lead: bool = False
    is_alone: bool = False
    is_off: bool = False
    named: bool = False


class Wanted(NamedTuple):
    """What is asked of the files.

    Attributes:
        today: The day, where the agent is.
        limit: Most bytes of a file.
        ahead: Bytes of topics that are read at most; None: all of them.
        opener: The slug of who opened the session; "" if nobody is known.
        caps: Most bytes of a file, by tier.
    """

    today: date
    limit: int
    ahead: int | None
    opener: str
    caps: Mapping[str, int]


class Gathered(NamedTuple):
    """What there is.

    Attributes:
        memory: What shares the budget.
        apart: Blocks of one section that come on top.
        notes: The agent's.
        unread: Files that could have been shown, newest first, and were not read.
        bare: Files with nothing below their headings, with the block of each.
        fills: How full the agent's files are.
        bytes: What is in the agent's directory, and in the crew's.
        troubles: What could not be read, and why.
    """

    memory: Memory
    apart: dict[Block, Section]
    notes: Notes
    unread: list[Section]
    bare: list[tuple[Block, Section]]
    fills: tuple[Fill, ...]
    bytes: tuple[int, int]
    troubles: list[str]


def gather(subject: Subject, wanted: Wanted) -> Gathered:
    """Read what there is for the prompt of *subject*."""
    with ExitStack() as stack:

        def tree(place: Place) -> Tree:
            how = opened(place, wanted.limit, named=subject.named)
            return stack.enter_context(how)

        own = tree(subject.own)
        crew = tree(subject.shared) if subject.shared else None
        workspace = tree(subject.workspace) if subject.workspace else None
        notes = notes_of(own, wanted.today)
        shared, unread = _shared(crew, wanted, is_lead=subject.is_lead)
        sections = {
            Block.AGENT: [*_sections(own, _OWN), *notes.sections],
            Block.CREW: shared,
            Block.WORKSPACE: _pages(workspace),
        }
        return Gathered(
            memory=Memory(_pins(own, crew), sections),
            apart=_apart(own, crew, wanted),
            notes=notes,
            unread=unread,
            bare=[
                *bare(own, Block.AGENT),
                *bare(crew, Block.CREW),
                *bare(workspace, Block.WORKSPACE),
            ],
            fills=_fills(own, wanted),
            bytes=(_total(own), _total(crew)),
            troubles=[
                trouble
                for each in (own, crew, workspace)
                if each
                for trouble in each.troubles
            ],
        )


_OWN = {
    "BRIEF.md": "BRIEF.md (brief of the lead)",
    "AGENT.md": "AGENT.md (long-term memory)",
}

_CREW = {"CREW.md": "CREW.md (crew-wide knowledge)"}


def _sections(tree: Tree, labels: dict[str, str]) -> list[Section]:
    found = [
        section_of(tree, file, label_, floor=FLOORS.get(file, 0))
        for file, label_ in labels.items()
    ]
    return [each for each in found if each]


def _pins(own: Tree, crew: Tree | None) -> dict[Block, Section]:
    found = {
        Block.AGENT: section_of(own, "pins.md", "pins.md (pinned)"),
        Block.CREW: crew
        and section_of(crew, "pins.md", "pins.md (pinned for the crew)"),
    }
    return {block: each for block, each in found.items() if each}


def _shared(
    tree: Tree | None, wanted: Wanted, *, is_lead: bool
) -> tuple[list[Section], list[Section]]:
    """Return what a crew shares, and topics that were not read."""
    if tree is None:
        return [], []
    topics, unread = _topics(tree, wanted)
    notes = notes_of(tree, wanted.today, "Crew daily").sections
    notes += _outcomes(tree) if is_lead else []
    return [*_sections(tree, _CREW), *topics, *notes], unread


def _topics(tree: Tree, wanted: Wanted) -> tuple[list[Section], list[Section]]:
    """Return topics and learned rules, newest first, and those that were not read."""
    names = {Tier.TOPIC: "{} (crew topic)", Tier.LEARNED: "{} (learned rules)"}
    kinds = {file: tier_of(file) for file in tree.files}
    files = [file for file, tier in kinds.items() if tier in names]
    files.sort(key=lambda file: (-_age(tree, file, kinds[file]), file))
    found: list[Section] = []
    unread: list[Section] = []
    read = 0
    for file in files:
        if wanted.ahead is not None and read >= wanted.ahead:
            ref, size = tree.place.ref(file), tree.files[file].bytes
            unread.append(section(plain(file), "", ref=ref, bytes=size))
            continue
        if each := section_of(tree, file, names[kinds[file]], is_listed=True):
            found.append(each)
            read += each.bytes
    return found, unread


def _age(tree: Tree, file: str, tier: Tier) -> int:
    """Return when *file* was written: learned rules say so, topics were changed."""
    if tier is Tier.LEARNED:
        try:
            day = date.fromisoformat(file.rpartition("/")[2][:-3])
        except ValueError:
            pass
        else:
            return (day.toordinal() - EPOCH + 1) * DAY * NS
    return tree.files[file].changed


def _outcomes(tree: Tree) -> list[Section]:
    from crewmem.prompt.outcomes import LAST, outcomes  # for leads only

    file = "lessons.md"
    said = tree.text(file)
    found = outcomes(said.text) if said else []
    if not found:
        return []
    return [
        section(
            f"Crew outcomes (last {LAST})",
            "\n".join(map(str, found)),
            ref=tree.place.ref(file),
            bytes=tree.files[file].bytes,
            read=tree.command(file),
            first=0,
            keeps_end=True,
            floor=OUTCOMES_FLOOR,
        )
    ]


def _pages(tree: Tree | None) -> list[Section]:
    """Return the files of a workspace, by name."""
    if tree is None:
        return []
    files = [
        file for file in tree.files if tier_of(file, workspace=True) is Tier.WORKSPACE
    ]
    label_ = "{} (workspace)"
    found = (section_of(tree, each, label_, is_listed=True) for each in sorted(files))
    return [each for each in found if each]


def _apart(own: Tree, crew: Tree | None, wanted: Wanted) -> dict[Block, Section]:
    persona = section_of(own, PERSONA, f"{PERSONA} (the agent's own)")
    if persona is None and crew:
        persona = section_of(crew, PERSONA, f"{PERSONA} (the crew's)")
    found = {Block.PERSONA: persona}
    if wanted.opener:
        found[Block.OPERATOR] = _of_person(
            crew, f"users/{wanted.opener}.md", "Operator model"
        )
        found[Block.PEER] = _of_person(own, f"peers/{wanted.opener}.md", "Peer card")
    return {block: each for block, each in found.items() if each}


def _of_person(tree: Tree | None, file: str, title: str) -> Section | None:
    if tree is None:
        return None
    return section_of(tree, file, title, private=True)


def _fills(own: Tree, wanted: Wanted) -> tuple[Fill, ...]:
    tiers = {"AGENT.md": "agent", "pins.md": "pins"}
    return tuple(
        Fill(file, own.files[file].bytes, wanted.caps[tier])
        for file, tier in tiers.items()
        if file in own.files and wanted.caps.get(tier)
    )


def _total(tree: Tree | None) -> int:
    """Return the bytes that count for the directory's cap."""
    if tree is None:
        return 0
    held = tree.files.items()
    return sum(each.bytes for file, each in held if not is_archive(file))
