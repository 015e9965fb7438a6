"""Putting the prompt of an agent together: read, choose, fit, scan, and say so."""

from __future__ import annotations

from crewmem.prompt.block import Block, joined
from crewmem.prompt.days import gap_text
from crewmem.prompt.fill import NO_ROOM
from crewmem.prompt.gather import AHEAD, Wanted, gather
from crewmem.prompt.instructions import Standing, State, instructions
from crewmem.prompt.lay import lay
from crewmem.prompt.room import room, size
from crewmem.prompt.section import Fate
from crewmem.prompt.top import Top
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from datetime import date

    from crewmem.prompt.budget import Budget
    from crewmem.prompt.gather import Gathered, Subject
    from crewmem.prompt.lay import Memory
    from crewmem.prompt.notes import Notes
    from crewmem.prompt.section import Piece
    from crewmem.retrieval.words import Tokenize
    from crewmem.threats.rule import Scan

HALF = 50
"""Percent of a bound on all that what is on top of the budget may take at first."""


NO_TEXT = "nothing but headings"
"""Why a file is left out that is a form nobody has filled in."""


class Placed(NamedTuple):
    """What became of a file, or of a block of crewmem's own.

    Attributes:
        block: The block it belongs to.
        label: What it is called there.
        ref: Names the file; "" for what is of no file, or about a person.
        fate: placed, cut, blocked or left out.
        chars: Characters of it that are in the prompt, its label included.
        bytes: Bytes of these.
        size: Bytes of the file; 0 where there is none.
        why: Why it is blocked or left out, else "".
    """

    block: str
    label: str
    ref: str
    fate: Fate
    chars: int
    bytes: int
    size: int
    why: str


class Asked(NamedTuple):
    """How a prompt is to be.

    Attributes:
        today: The day, where the agent is.
        budget: Of the memory that shares it.
        most: Of everything; None: whatever it comes to.
        query: What sections are chosen by; "" for none.
        opener: The slug of who opened the session; "" if nobody is known.
        limit: Most bytes of a file that is read.
        caps: Most bytes of a file, by tier.
        commands: Those that instructions may name.
        nudge: A line to add; "" for none.
    """

    today: date
    budget: Budget
    most: Budget | None
    query: str
    opener: str
    limit: int
    caps: Mapping[str, int]
    commands: Collection[str]
    nudge: str = ""


class Assembled(NamedTuple):
    """A prompt, and how it came about.

    Attributes:
        text: Of all blocks, in their order.
        sections: What became of each file and block.
        gap: The last day with notes, where today's are missing.
        spent: What the memory that shares the budget takes of it, in its unit.
        troubles: What could not be read, and why.
    """

    text: str
    sections: tuple[Placed, ...]
    gap: date | None
    spent: int
    troubles: list[str]


def assemble(
    subject: Subject,
    asked: Asked,
    *,
    scan: Scan,
    tokenizer: Callable[[], Tokenize],
    standing: Callable[[Gathered], Standing],
) -> Assembled:
    """Put together the prompt of *subject*.

    Args:
        subject: Whose it is.
        asked: How it is to be.
        scan: Looks for what must not come before a model.
        tokenizer: Returns what cuts words; called only where there is a question.
        standing: Returns what instructions have to know.
    """
    shared, most = room(asked.budget), room(asked.most)
    found = gather(subject, _wanted(asked))
    memory = _chosen(found.memory, asked.query, tokenizer)
    fixed = {
        Block.GAP: _longest_gap(found.notes),
        Block.INSTRUCTIONS: instructions(standing(found), asked.commands),
        Block.NUDGE: f"[{Block.NUDGE}] {asked.nudge}\n" if asked.nudge else "",
    }
    top = Top(fixed, found.apart, asked.caps, scan)
    top.lay(most.share(HALF))
    left = most
    for text in top.texts.values():
        left = left.less(size(text))
    laid = lay(memory, shared.within(left), scan, alone=subject.is_alone)
    for text in laid.texts.values():
        left = left.less(size(text))
    top.lay(left)
    texts = {**laid.texts, **top.texts}
    if Block.GAP in texts:
        texts[Block.GAP] = _gap(found.notes, laid.pieces[Block.AGENT])
    rows = [
        *_placed({**laid.pieces, **top.pieces}),
        *_unread(found),
        *_ours(fixed, texts),
    ]
    return Assembled(
        text=joined(texts.get(block, "") for block in Block),
        sections=tuple(_in_order(rows)),
        gap=found.notes.gap.last if found.notes.gap else None,
        spent=asked.budget.spent("".join(laid.texts.values())),
        troubles=found.troubles,
    )


def switched_off(most: Budget | None) -> Assembled:
    """Return what an agent is told whose memory is off: only that, within *most*."""
    fixed = {Block.INSTRUCTIONS: instructions(Standing(own=State.OFF), ())}
    texts = {
        block: text for block, text in fixed.items() if room(most).holds(size(text))
    }
    return Assembled(
        text=joined(texts.values()),
        sections=tuple(_ours(fixed, texts)),
        gap=None,
        spent=0,
        troubles=[],
    )


def _wanted(asked: Asked) -> Wanted:
    shared = room(asked.budget)
    return Wanted(
        today=asked.today,
        limit=asked.limit,
        ahead=None if asked.query else AHEAD * shared.least,
        opener=asked.opener,
        caps=asked.caps,
    )


def _chosen(memory: Memory, query: str, tokenizer: Callable[[], Tokenize]) -> Memory:
    """Return *memory* in the order of its relevance to *query*, if there is one."""
    if not query:
        return memory
    from crewmem.prompt.choose import choose

    return memory._replace(sections=choose(memory.sections, query, tokenizer()))


def _longest_gap(notes: Notes) -> str:
    """Return the gap's block at its longest: what it says is known at the end."""
    if notes.gap is None:
        return ""
    return max((gap_text(notes.gap, below=each) for each in (True, False)), key=len)


def _gap(notes: Notes, pieces: list[Piece]) -> str:
    """Return the gap's block, which says whether the last notes are in the prompt."""
    if notes.gap is None:
        return ""
    below = any(piece.text and piece.section.label == notes.label for piece in pieces)
    return gap_text(notes.gap, below=below)


def _in_order(rows: Iterable[Placed]) -> list[Placed]:
    """Return *rows* in the order of the prompt."""
    order = [*Block]
    return sorted(rows, key=lambda row: order.index(Block(row.block)))


def _placed(pieces: Mapping[Block, list[Piece]]) -> Iterator[Placed]:
    for block in Block:
        for piece in pieces.get(block, ()):
            taken = size(piece.text)
            yield Placed(
                block=str(block),
                label=piece.section.label,
                ref=piece.section.ref,
                fate=piece.fate,
                chars=taken.chars,
                bytes=taken.bytes,
                size=piece.section.bytes,
                why=piece.why,
            )


def _unread(found: Gathered) -> Iterator[Placed]:
    unread = [(Block.CREW, each, NO_ROOM) for each in found.unread]
    bare = [(block, each, NO_TEXT) for block, each in found.bare]
    for block, each, why in [*unread, *bare]:
        yield Placed(
            str(block),
            each.label,
            each.ref,
            Fate.LEFT_OUT,
            chars=0,
            bytes=0,
            size=each.bytes,
            why=why,
        )


def _ours(fixed: Mapping[Block, str], texts: Mapping[Block, str]) -> Iterator[Placed]:
    for block, text in fixed.items():
        if text:
            taken = size(texts.get(block, ""))
            yield Placed(
                block=str(block),
                label=str(block),
                ref="",
                fate=Fate.PLACED if taken.chars else Fate.LEFT_OUT,
                chars=taken.chars,
                bytes=taken.bytes,
                size=0,
                why="" if taken.chars else NO_ROOM,
            )
