"""The block that is laid before an agent that has just lost its context. Pure.

Stored text is untrusted here as anywhere: each stands on one line, in which it opens
and closes nothing, and what is poison is not there but a notice.
"""

from __future__ import annotations

from crewmem.prompt.recalled_text import one_line, poison_in
from crewmem.prompt.render import PREAMBLE
from crewmem.prompt.shorten import shortened
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest, notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from crewmem.prompt.render import Limit
    from crewmem.threats.rule import Scan

OPENING = "[MEMORY RECOVERY — context restored after compaction]"
CLOSING = "[END MEMORY RECOVERY]"

WHO, DECISIONS, WORK, FACTS, LESSONS, YESTERDAY, SAID = (
    "who",
    "decisions",
    "work",
    "facts",
    "lessons",
    "yesterday",
    "said",
)

GROUPS = {
    DECISIONS: "**Decisions**",
    WORK: "**Active Work**",
    FACTS: "**Key Facts**",
    LESSONS: "**Lessons**",
}
"""What today's context is made of, in its order."""

FIRST = (SAID, DECISIONS, WORK, LESSONS, WHO, FACTS, YESTERDAY)
"""In which order room is given: what was being done comes before who one is."""

GROUP_OF = {
    "decision": DECISIONS,
    "action_item": WORK,
    "workflow": WORK,
    "lesson": LESSONS,
    "correction": LESSONS,
    "error": LESSONS,
}
"""Where a memory stands, by its kind; others are facts."""


class Item(NamedTuple):
    """Something that is given back.

    Attributes:
        ref: Names it; "" for what has no name.
        kind: What kind of thing it is; "" for none.
        text: What it says.
        about: What else to say of it, as its age; "" for nothing.
    """

    ref: str
    kind: str
    text: str
    about: str = ""


class Recovered(NamedTuple):
    """A block, and what it was made of.

    Attributes:
        text: With a newline at its end; "" where there is nothing to give back.
        placed: Of what is in it, by section: the refs.
        blocked: Refs of what is poison: only a notice is in it.
        hidden: How much had no room.
    """

    text: str
    placed: Mapping[str, list[str]]
    blocked: list[str]
    hidden: int


class _Line(NamedTuple):
    at: int
    ref: str
    text: str
    is_blocked: bool


def recovered(
    agent: str,
    today: date,
    sections: Mapping[str, Sequence[Item]],
    limit: Limit,
    *,
    scan: Scan,
) -> Recovered:
    """Return the block of what *limit* has room for, of *sections*, best first each.

    Empty sections are left out; nothing but who one is, is nothing.
    """
    block = _Block(one_line(agent), today)
    placed: dict[str, list[_Line]] = {name: [] for name in FIRST}
    hidden = 0
    is_worth = any(sections.get(name) for name in FIRST if name != WHO)
    for name in FIRST if is_worth else ():
        for at, item in enumerate(sections.get(name, ())):
            line = _line(at, item, scan)
            if limit.fits(block.of({**placed, name: [*placed[name], line]})):
                placed[name].append(line)
                continue
            hidden += 1
            if any(placed.values()):
                continue
            if short := _shortened(block, placed, name, line, limit, scan):
                placed[name].append(short)
                hidden -= 1
    every = [each for some in placed.values() for each in some]
    is_said = any(placed[name] for name in FIRST if name != WHO)
    return Recovered(
        text=block.of(placed) if is_said else "",
        placed={
            name: [each.ref for each in some if each.ref and not each.is_blocked]
            for name, some in placed.items()
            if some
        }
        if is_said
        else {},
        blocked=[each.ref for each in every if each.is_blocked],
        hidden=hidden,
    )


class _Block:
    """Makes the block of some lines."""

    def __init__(self, agent: str, today: date) -> None:
        self._agent, self._today = agent, today

    def of(self, placed: Mapping[str, Sequence[_Line]]) -> str:
        parts = [OPENING, PREAMBLE, f"## Memory Recovery — {self._agent}"]
        if placed[WHO]:
            parts += ["### Who You Are", *_texts(placed[WHO])]
        if any(placed[name] for name in GROUPS):
            parts.append(f"### Today's Context ({self._today.isoformat()})")
            for name, heading in GROUPS.items():
                if placed[name]:
                    parts += [heading, *_texts(placed[name])]
        if placed[YESTERDAY]:
            parts += ["### Yesterday's Highlights", *_texts(placed[YESTERDAY])]
        if placed[SAID]:
            parts += ["### Last messages", *_texts(placed[SAID])]
        return "\n".join([*parts, CLOSING, ""])


def _texts(lines: Sequence[_Line]) -> list[str]:
    return [each.text for each in sorted(lines, key=lambda each: each.at)]


def _line(at: int, item: Item, scan: Scan) -> _Line:
    """Return the line of *item*; a notice instead of what must not be read."""
    named, classed = poison_in(item.ref, scan), poison_in(item.kind, scan)
    ref = "" if named else one_line(item.ref)
    kind = "" if classed else one_line(item.kind)
    if finding := named or classed or gravest(scan(item.text)):
        text = f"- {notice(ref or kind or 'a message', finding)}"
        return _Line(at, item.ref, text, is_blocked=True)
    head = " ".join(filter(None, (ref, f"[{kind}]" if kind else "")))
    about = f" ({one_line(item.about)})" if item.about else ""
    said = one_line(item.text)
    text = f"- {head} {said}{about}" if head else f"- {said}{about}"
    return _Line(at, item.ref, text, is_blocked=False)


def _shortened(
    block: _Block,
    placed: Mapping[str, Sequence[_Line]],
    name: str,
    line: _Line,
    limit: Limit,
    scan: Scan,
) -> _Line | None:
    """Return *line* cut at a word so that it fits, if that is of use."""

    def fits(text: str) -> bool:
        short = line._replace(text=text)
        return limit.fits(block.of({**placed, name: [*placed[name], short]}))

    text = "" if line.is_blocked else shortened(line.text, fits, scan)
    return line._replace(text=text) if text else None
