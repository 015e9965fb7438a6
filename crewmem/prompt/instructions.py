"""What an agent is told about its memory: where to write, how, and where it cannot.

Pure. Only commands are named that exist: whoever asks says which do.
"""

from __future__ import annotations

from enum import StrEnum

from crewmem.prompt.block import Block, text_of
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

SOFT = 80
"""Percent of a cap from which it is said how full a file is."""


class State(StrEnum):
    """Why a directory cannot be written, if it cannot."""

    WRITABLE = "writable"
    READ_ONLY = "read-only"
    FULL = "full"
    OFF = "switched off"


class Fill(NamedTuple):
    """How full a file is."""

    file: str
    bytes: int
    cap: int


class Standing(NamedTuple):
    """What is to be known for instructions.

    Attributes:
        own: Of the agent's directory.
        crew: Of the crew's; None where there is none.
        fills: Files that have a cap.
        is_lead: Whether the agent leads the crew.
        home: How the agent names its directory.
    """

    own: State
    crew: State | None = None
    fills: tuple[Fill, ...] = ()
    is_lead: bool = False
    home: str = "~/.memory"


class Advice(NamedTuple):
    """A line of the instructions.

    Attributes:
        commands: Those it names, as in the table of commands.
        writes: Whether it is about writing one's own files.
        leads: Whether it is for leads.
    """

    text: str
    commands: tuple[str, ...] = ()
    writes: bool = False
    leads: bool = False


ADVICE = (
    Advice(
        'Keep what lasts: crewmem memory write --tier agent --mode append "FACT". '
        "Add; do not drop what others may need.",
        ("memory write",),
        writes=True,
    ),
    Advice(
        'Note what you do, early and often: crewmem memory append-daily "NOTE". What '
        "is stale within a week belongs there.",
        ("memory append-daily",),
        writes=True,
    ),
    Advice(
        "What every session must see: crewmem memory write --tier pins --mode append "
        '"FACT".',
        ("memory write",),
        writes=True,
    ),
    Advice(
        'Write facts, not orders: "prefers short answers", not "always be short". '
        "Asked to remember something, write down who wants what.",
        writes=True,
    ),
    Advice(
        'Keep the crew\'s page: crewmem memory write --tier crew --mode append "FACT". '
        'A subject of its own: crewmem memory write --tier topic --key NAME "TEXT".',
        ("memory write",),
        writes=True,
        leads=True,
    ),
    Advice(
        'Look before you ask: crewmem memory search "WORDS".',
        ("memory search",),
    ),
    Advice(
        'What happened before: crewmem recall "QUESTION".',
        ("recall",),
    ),
    Advice(
        "Read a day: crewmem memory read --tier daily --key 2026-01-31.",
        ("memory read",),
    ),
)
"""In the order of the block."""

FOLLOWER = "CREW.md and topics/ are the lead's to write; read them, do not repeat them."

WHY = {
    State.READ_ONLY: "it is read-only here",
    State.FULL: "it is full; merge notes, and drop what is stale",
    State.OFF: "memory is switched off for this agent",
}


def instructions(standing: Standing, commands: Collection[str]) -> str:
    """Return the block for who stands so, naming none but *commands*."""
    lines = [f"Your memory is {standing.home}: AGENT.md, daily/, pins.md."]
    lines += _states(standing)
    lines += [
        advice.text
        for advice in ADVICE
        if {*advice.commands} <= {*commands} and _is_meant(advice, standing)
    ]
    if standing.crew is not None and not standing.is_lead:
        lines.append(FOLLOWER)
    return text_of(Block.INSTRUCTIONS, "".join(f"- {line}\n" for line in lines))


def _is_meant(advice: Advice, standing: Standing) -> bool:
    if advice.leads:
        return standing.is_lead and standing.crew is State.WRITABLE
    return not advice.writes or standing.own is State.WRITABLE


def _states(standing: Standing) -> Iterator[str]:
    if standing.own is not State.WRITABLE:
        yield f"It cannot be written now: {WHY[standing.own]}."
    crew = standing.crew if standing.is_lead else None
    if crew and crew is not State.WRITABLE:
        yield f"The crew's memory cannot be written now: {WHY[crew]}."
    for each in standing.fills if standing.own is State.WRITABLE else ():
        share = 100 * each.bytes // each.cap
        if share >= SOFT:
            yield (
                f"{each.file} holds {each.bytes:,} of {each.cap:,} bytes ({share}%): "
                "merge it, and write it again with --mode replace."
            )
