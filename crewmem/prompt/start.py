"""The start of a session: the most important lines of all tiers, within a size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crewmem.context import Context
from crewmem.facts.fact import Fact
from crewmem.ids import shorten
from crewmem.origins import may_lead
from crewmem.prompt.budget import Budget
from crewmem.prompt.recall import (
    CLOSING_TAG,
    OPENING,
    Recalled,
    RecalledItem,
    make_recalled,
)
from crewmem.prompt.recall_log import GivenStore
from crewmem.prompt.sanitize import sanitize_line
from crewmem.security.findings import Finding
from crewmem.security.safe_text import make_safe
from crewmem.text.wording import cut_at_word
from crewmem.times import format_age

if TYPE_CHECKING:
    from crewmem.facts.store import Facts
    from crewmem.files.memory import Memory
    from crewmem.files.reading import FileInfo

KINDS = ("correction", "decision", "preference", "lesson", "workflow", "action_item", "fact")
"""Kinds of facts, the most useful first."""

MAX_FACTS = 200
"""Newest facts to choose from."""

MAX_LINE = 220
"""Most characters of a line."""

INDEXED_TIERS = ("topic", "workspace", "learned", "lessons")
"""Tiers of which the start names the files; the others are short and always known."""


def recall_start(
    context: Context,
    facts: Facts | None,
    memory: Memory,
    *,
    budget: Budget,
    session: str = "",
) -> Recalled:
    """Return the block for the start of a session.

    It holds pinned lines, the most important facts, and the names of files worth reading. What
    is external is left out unless an operator pinned it, and so are suspicious passages.
    """
    pins = _list_leading(memory, ["pins"])
    items = [item for info in pins for item in _list_pins(memory, info)]
    if facts is not None:
        page = facts.list(limit=MAX_FACTS)
        ranked = sorted(page.facts, key=rank_fact)
        findings = context.verdicts.scan({fact.content for fact in ranked})
        found = [
            item
            for fact in ranked
            if (item := _make_fact_item(context, fact, findings[fact.content]))
        ]
        texts = [item.text for item in found]  # a fact and its shared copy are one line
        items += [item for at, item in enumerate(found) if item.text not in texts[:at]]
    items += _list_names(memory)
    given = GivenStore(context, session)
    known = given.find_given((item.ref, item.text) for item in items)
    fresh = [item for item in items if item.ref not in known]
    block, shown = _render(context, fresh, budget)
    given.add([(item.ref, item.text) for item in shown])
    return make_recalled(block, shown, fresh, mode="start")


def rank_fact(fact: Fact) -> tuple[Any, ...]:
    """Return the key by which facts are sorted: pinned, important, useful kinds, newest."""
    kind = KINDS.index(fact.kind) if fact.kind in KINDS else len(KINDS)
    newest = tuple(-ord(character) for character in fact.occurred_at or fact.created_at)
    return (fact.pin == "none", -fact.importance, kind, newest)


def _make_fact_item(context: Context, fact: Fact, found: Sequence[Finding]) -> RecalledItem | None:
    pinned_by = "" if fact.pin == "none" else str(fact.metadata.get("pinned_by", ""))
    if fact.scope == "session" or not may_lead(fact.origin, pinned_by=pinned_by):
        return None
    safe = make_safe(fact.content, found, push=True)
    if safe.removed:
        return None
    access = context.access
    return RecalledItem(
        ref=fact.id,
        store="facts",
        kind=fact.kind,
        origin=fact.origin,
        owner=fact.agent or fact.crew or "",
        is_own=not access.is_operator and fact.agent == access.actor.name,
        text=cut_at_word(sanitize_line(safe.text), MAX_LINE),
        at=fact.occurred_at or fact.created_at,
        relevance=1.0,
        cosine=None,
        label="sure",
    )


def _list_leading(memory: Memory, tiers: Sequence[str]) -> list[FileInfo]:
    """Return the files of *tiers* that may lead."""
    origins = memory.find_origins(memory.targets(tiers=tiers))
    files = memory.list_files(tiers=tiers)
    return [info for info in files if may_lead(origins[info.file])]


def _list_pins(memory: Memory, info: FileInfo) -> list[RecalledItem]:
    text = memory.read(info.file)
    pins: list[tuple[int, str]] = []
    is_open = False
    for number, line in enumerate(text.text.splitlines(), start=text.first_line):
        stripped = line.strip()
        if stripped.startswith(("-", "*")):
            pins.append((number, stripped.lstrip("-* ")))
            is_open = True
        elif is_open and stripped and line[0].isspace():  # the pin goes on
            pins[-1] = (pins[-1][0], f"{pins[-1][1]} {stripped}")
        else:
            is_open = False
    return [_make_file_item(info, f"{info.file}:{number}", pin) for number, pin in pins]


def _list_names(memory: Memory) -> list[RecalledItem]:
    items = []
    for info in _list_leading(memory, INDEXED_TIERS):
        name = info.file.rpartition("/")[2].removesuffix(".md").rpartition(":")[2]
        if not memory.context.verdicts.has_attack(name):
            items.append(_make_file_item(info, info.file, name.replace("-", " ")))
    items.sort(key=lambda item: item.at, reverse=True)
    return items


def _make_file_item(info: FileInfo, ref: str, text: str) -> RecalledItem:
    return RecalledItem(
        ref=ref,
        store="memory",
        kind=info.tier,
        origin="agent",
        owner=info.owner,
        is_own=info.scope == "agent",
        text=cut_at_word(sanitize_line(text), MAX_LINE),
        at=info.at,
        relevance=1.0,
        cosine=None,
        label="sure",
    )


def _render(
    context: Context, items: Sequence[RecalledItem], budget: Budget
) -> tuple[str, list[RecalledItem]]:
    """Return the block of as many items as have room, and those."""
    lines: list[str] = []
    shown: list[RecalledItem] = []

    def assemble() -> str:
        hidden = len(items) - len(shown)
        head = f'<recalled-memory trust="untrusted" shown="{len(shown)}" hidden="{hidden}">'
        more = f"More: {context.command('recall', 'QUESTION')}"
        return "\n".join([head, OPENING, *lines, more, CLOSING_TAG])

    for item in items:
        if item.store == "facts":
            age = format_age(item.at, context.now)
            line = f"- {shorten(item.ref, ())} [{item.kind}, {item.origin}] {item.text} ({age})"
        elif item.kind == "pins":
            line = f"- [pinned] {item.text}"
        else:
            line = f"- {sanitize_line(item.ref)} [{item.kind}] {item.text}"
        lines.append(line)
        shown.append(item)
        if not budget.fits(assemble()):
            lines.pop()
            shown.pop()
            break
    return (assemble() if shown else ""), shown
