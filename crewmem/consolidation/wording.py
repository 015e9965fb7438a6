"""How what was learned stands in a file: in a line, or as a rule. Pure.

The text is anybody's. It stays in its line, opens no comment and no heading, and has
an end.
"""

from __future__ import annotations

import re

from crewmem.consolidation.item import RULE
from crewmem.consolidation.seen import seen_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.consolidation.item import Evidence, Item

LINE_MOST = 300
"""Most characters of an observation: AGENT.md has 4,000 bytes for all of them."""

TITLE_MOST = 120
"""Most characters of a rule's title."""

PROSE_MOST = 2_000
"""Most characters of what a rule says to do: 64,000 bytes hold a day's rules."""

SOURCES_MOST = 12
"""Sources of a rule that its file names; its entry has all of them."""

JOINERS = "\u200c\u200d"
"""Invisible, and needed to write Persian, and emoji."""

LEARNED = "# Learned on {}\n"
"""How a file of a day's rules begins."""

ENTRY = re.compile(r"(?m)^\*\*Entry:\*\* (j_[0-9a-hjkmnp-tv-z]{12})[ \t\r]*$")
"""What leads from a rule to its entry."""


def entry_id(item: Item) -> str:
    """Return the id of the entry of *item*: one of the other can be told."""
    return f"j_{item.id.partition('_')[2]}"


def one_line(text: str, most: int) -> str:
    """Return *text* in one line of at most *most* characters that opens nothing."""
    said = " ".join(text.split())
    said = "".join(each for each in said if each.isprintable() or each in JOINERS)
    said = said.replace("<!--", "<! --").replace("-->", "-- >")
    if len(said) <= most:
        return said
    cut = said[: most - 1]
    head = cut.rpartition(" ")[0]
    return f"{head if len(head) > most // 2 else cut}…"


def line_of(item: Item) -> str:
    """Return the line of an observation, with when it was seen, and its entry."""
    said = one_line(item.text, LINE_MOST)
    return f"- {said} ({seen(item)}; {entry_id(item)})"


def seen(item: Item) -> str:
    """Say by whom, of a crew's, and on which days *item* was seen."""
    agents = () if item.agent else {each.agent for each in item.evidence if each.agent}
    return str(seen_on(item.days, agents))


def without_seen(said: str) -> str:
    """Return a line of ours, *said*, without when it was seen, and its entry."""
    head, opened, tail = said.rpartition(" (seen ")
    return head if opened and tail.endswith(")") else said


def rule_of(item: Item) -> str:
    """Return a rule as its file has it: heading, sources, confidence, what to do."""
    named = [named_source(each) for each in item.evidence]
    more = len(named) - SOURCES_MOST
    sources = ", ".join(named[:SOURCES_MOST]) + (
        f" and {more} more" if more > 0 else ""
    )
    return "\n".join(
        (
            f"## Rule: {one_line(item.title, TITLE_MOST)}",
            f"**Source:** {sources}",
            f"**Confidence:** {item.confidence:.2f}",
            f"**Entry:** {entry_id(item)}",
            "",
            _prose(item.text),
        )
    )


def named_source(evidence: Evidence) -> str:
    """Name *evidence* as a reader can follow it: an entry with what it is."""
    ref = one_line(evidence.ref, TITLE_MOST)
    if evidence.source == "journal":
        return f"{one_line(evidence.kind, TITLE_MOST)} {ref}"
    return ref


def _prose(text: str) -> str:
    """Return *text* in paragraphs, none of which is a heading or opens a fence."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    said = [one_line(each, PROSE_MOST) for each in paragraphs if each.strip()]
    whole = "\n\n".join(_plain(each) for each in said)
    return whole if len(whole) <= PROSE_MOST else f"{whole[: PROSE_MOST - 1].rstrip()}…"


def _plain(line: str) -> str:
    """Return *line* so that markdown takes it for prose."""
    return re.sub(
        r"^(#+|\*\*(?:Source|Confidence|Entry):|```|~~~|---|===)", r"\\\1", line
    )


def learned_by(content: bytes) -> frozenset[str]:
    """Return the entries that the rules of a file lead to."""
    return frozenset(ENTRY.findall(content.decode("utf-8", "replace")))


def with_rules(content: bytes, rules: Sequence[Item], day: str) -> bytes:
    """Return *content*, of the file of *day*, with *rules* below that it lacks."""
    known = learned_by(content)
    new = [rule_of(each) for each in rules if entry_id(each) not in known]
    if not new:
        return content
    from crewmem.files.change import line_end

    ending = line_end(content) if content else "\n"
    text = "".join(f"\n{each}\n" for each in new)
    text = text.removeprefix("\n") if not content else text
    head = content or LEARNED.format(day).encode() + b"\n"
    if not head.endswith((b"\n", b"\r")):
        text = f"\n{text}"
    return head + text.replace("\n", ending).encode("utf-8", "replace")


def shown(item: Item) -> str:
    """Return what *item* says, in a line: of a rule, its title."""
    return one_line(item.title or item.text, LINE_MOST)


def addition(item: Item) -> str:
    """Return what *item* would add to its file."""
    return rule_of(item) if item.kind == RULE else line_of(item)
