"""The block for the start of a session: the most important lines of all tiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.context import Context
from crewmem.errors import CrewmemError
from crewmem.facts.citations import check_citations
from crewmem.facts.fact import Fact, stored_time
from crewmem.facts.filters import FactFilters
from crewmem.files.tiers import OWN_TIERS
from crewmem.ids import shorten
from crewmem.origins import may_push
from crewmem.prompt.budget import Budget
from crewmem.prompt.recall import (
    Recalled,
    RecalledItem,
    Shown,
    make_recalled,
    render_block,
)
from crewmem.prompt.recall_log import GivenStore
from crewmem.prompt.sanitize import sanitize_line
from crewmem.security.findings import Finding
from crewmem.security.records import REMOVED
from crewmem.security.safe_text import make_safe
from crewmem.security.verdicts import EnclosingFile
from crewmem.text.markdown import passages
from crewmem.text.wording import cut_at_word
from crewmem.times import format_age

if TYPE_CHECKING:
    from crewmem.facts.store import Facts
    from crewmem.files.memory import Memory
    from crewmem.files.reading import FileInfo
    from crewmem.home import Home

KINDS = ("correction", "decision", "preference", "lesson", "workflow", "action_item", "fact")
"""Kinds of facts, the most useful first."""

MAX_FACTS = 200
"""Facts to choose from: that many newest, and that many newest important ones."""

IMPORTANT = 4
"""Minimum importance of facts that stay eligible however many are newer."""

MAX_LINE = 220
"""Maximum characters of a line."""

LEADING_TIERS = ("brief", "agent", "crew")
"""Tiers of which the block includes every statement."""

INDEXED_TIERS = ("topic", "workspace", "learned", "lessons")
"""Tiers of which the block lists the files, each with a statement that shows its content."""

MAX_FILES = 16
"""Files of the indexed tiers that are read, the newest; no more would fit."""

HEAD_LENGTH = 2_000
"""Leading characters of such a file that are searched for a statement, to save time."""

STATEMENTS = frozenset({"paragraph", "list_item", "quote", "table_row"})
"""Kinds of passages that make a statement by themselves."""

LIST_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")

OF_FACTS_ALONE = ("kinds", "min_importance", "as_of")
"""Filters that do not apply to files; with them, the block holds only facts."""


def recall_start(
    home: Home,
    *,
    budget: str = "1800b",
    session: str = "",
    limit: int | None = None,
    project: Path | None = None,
    filters: FactFilters | None = None,
) -> Recalled:
    """Return the block for the start of a session.

    It holds pinned lines, the most important facts, statements of the agent's and the crew's own
    files, and files worth reading, each with a statement. These sources take turns, so that a long
    one leaves room for the others. External texts are left out unless an operator pinned them;
    suspicious passages are left out, too. An agent whose memory is switched off gets nothing.

    Args:
        session: Session of the agent program; what it already got is left out.
        limit: Maximum number of items; by default as many as fit.
        project: Directory in which named paths are looked up.
        filters: Filters of the facts; for files only the time of their last change counts.
    """
    context, memory, size = home.context, home.memory, Budget.parse(budget)
    access = context.access
    if context.has_db and not access.is_operator:
        slug = access.actor.name
        if not home.registry.get_agent(slug).memory:
            context.warn(
                "memory-off",
                f"memory is switched off for {slug}",
                context.command("agent set", slug, "--memory", "on"),
            )
            return make_recalled("", [], [], mode="start")
    wanted: FactFilters = filters or {}
    pins: list[RecalledItem] = []
    lines: list[RecalledItem] = []
    if not any(wanted.get(name) for name in OF_FACTS_ALONE):
        since, until = (
            stored_time(time) or "" for time in (wanted.get("since"), wanted.get("until"))
        )
        for info in _list_leading(memory, ["pins"]):
            pins += _list_pins(memory, info)
        pins, lines = (
            [item for item in items if since <= item.at and (not until or item.at <= until)]
            for items in (pins, _list_lines(context, memory))
        )
    elif wanted.get("as_of"):
        context.warn(
            "files-left-out", "memory files are left out: older texts of them are not searched"
        )
    found = _list_facts(context, home.facts, wanted) if context.has_db else []
    own = [pin for pin in pins if pin.is_own]
    shared = [pin for pin in pins if not pin.is_own]
    items = _take_turns([(1, own), (1, shared), (2, found), (1, lines)])
    # A fact is shown once, although a shared copy or a line of a file may repeat it.
    items = list({item.text: item for item in reversed(items)}.values())[::-1]
    given = GivenStore(context, session)
    known = given.find_given((item.ref, item.text) for item in items)
    fresh = [item for item in items if item.ref not in known]
    chosen = _check(fresh[:limit], project)
    block, shown = render_block(context, chosen, size, total=len(fresh), lay_out=_lay_out)
    if fresh and not shown:
        context.warn("budget-too-small", f"no item fits into {size.amount}{size.unit}")
    given.add([(item.ref, item.text) for item in shown])
    return make_recalled(block, shown, fresh, mode="start")


def _list_facts(context: Context, facts: Facts, filters: FactFilters) -> list[RecalledItem]:
    """Return the facts that may lead, the most important first."""
    important: FactFilters = {**filters}
    important["min_importance"] = max(IMPORTANT, filters.get("min_importance") or 0)
    pages = (facts.list(limit=MAX_FACTS, **each).facts for each in (filters, important))
    found = {fact.id: fact for page in pages for fact in page}
    ranked = sorted(found.values(), key=rank_fact)
    told = {fact.content for fact in ranked if fact.may_instruct}
    findings = context.verdicts.scan(told, own_tier=True)
    findings |= context.verdicts.scan({fact.content for fact in ranked} - told)
    items = (_make_fact_item(context, fact, findings[fact.content]) for fact in ranked)
    return [item for item in items if item is not None]


def rank_fact(fact: Fact) -> tuple[Any, ...]:
    """Return the key by which facts are sorted: pinned, important, useful kinds, newest."""
    kind = KINDS.index(fact.kind) if fact.kind in KINDS else len(KINDS)
    newest = tuple(-ord(character) for character in fact.occurred_at or fact.created_at)
    return (fact.pin == "none", -fact.importance, kind, newest)


def _make_fact_item(context: Context, fact: Fact, found: Sequence[Finding]) -> RecalledItem | None:
    pinned_by = "" if fact.pin == "none" else str(fact.metadata.get("pinned_by", ""))
    if fact.scope == "session" or not may_push(fact.origin, pinned_by=pinned_by):
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
    )


def _list_leading(memory: Memory, tiers: Sequence[str]) -> list[FileInfo]:
    """Return the files of *tiers* that may lead."""
    origins = memory.find_origins(memory.targets(tiers=tiers))
    files = memory.list_files(tiers=tiers)
    return [info for info in files if may_push(origins[info.file])]


def _list_pins(memory: Memory, info: FileInfo) -> list[RecalledItem]:
    text = memory.read(info.file)
    pins: list[tuple[int, str]] = []
    is_open = False
    for number, line in enumerate(text.text.splitlines(), start=text.first_line):
        stripped = line.strip()
        if stripped.startswith(("-", "*")):
            pins.append((number, stripped.lstrip("-* ")))
            is_open = True
        elif is_open and stripped and line[0].isspace():  # the pin continues
            pins[-1] = (pins[-1][0], f"{pins[-1][1]} {stripped}")
        else:
            is_open = False
    return [_make_file_item(info, f"{info.file}:{number}", pin) for number, pin in pins]


def _list_lines(context: Context, memory: Memory) -> list[RecalledItem]:
    """Return lines of the files in the order of display: own, the crew's, and the rest."""
    leading = _list_leading(memory, LEADING_TIERS)
    leading.sort(key=lambda info: LEADING_TIERS.index(info.tier))
    own, shared = (
        [
            item
            for info in leading
            if (info.tier == "crew") == is_shared
            for item in _list_statements(context, memory, info)
        ]
        for is_shared in (False, True)
    )
    indexed = sorted(_list_leading(memory, INDEXED_TIERS), key=lambda info: info.at, reverse=True)
    files = []
    bad = context.verdicts.find_bad_names(info.file for info in indexed)
    indexed = [info for info in indexed if info.file not in bad]
    for info in indexed[:MAX_FILES]:
        if statements := _list_statements(context, memory, info, HEAD_LENGTH):
            at = -1 if info.tier == "lessons" else 0  # new lessons are appended
            files.append(replace(statements[at], ref=info.file))
    for info in indexed[MAX_FILES:]:
        name = info.file.rpartition("/")[2].removesuffix(".md")
        files.append(_make_file_item(info, info.file, name.replace("-", " ")))
    return _take_turns([(2, own), (1, shared), (1, files)])


def _list_statements(
    context: Context, memory: Memory, info: FileInfo, length: int | None = None
) -> list[RecalledItem]:
    """Return the statements of a file, without headings, code and attacks.

    Args:
        length: Characters to look at: the first ones, of lessons the last ones.
    """
    try:
        text = memory.read(info.file)
    except CrewmemError:
        return []
    part = text.text[:length]
    if length and info.tier == "lessons":
        part = text.text[-length:]
    found = [
        (block.first_line + text.first_line - 1, LIST_MARK.sub("", block.text.strip()))
        for block in passages(part)
        if block.kind in STATEMENTS
    ]
    enclosing_file = EnclosingFile(
        sha256(text.text.encode("utf-8", "surrogatepass")).digest(), lambda: text.text
    )
    findings = context.verdicts.scan(
        {said for _, said in found},
        own_tier=info.tier in OWN_TIERS,
        enclosing_files={said: enclosing_file for _, said in found},
    )
    return [
        _make_file_item(info, f"{info.file}:{number}", said)
        for number, said in found
        if sanitize_line(said)
        and REMOVED not in said
        and not make_safe(said, findings[said], push=True).removed
    ]


def _take_turns(sources: Sequence[tuple[int, Sequence[RecalledItem]]]) -> list[RecalledItem]:
    """Merge lists in turns, taking a given number of each, until all are used up."""
    merged: list[RecalledItem] = []
    rests = [(share, list(items)) for share, items in sources]
    while any(items for _, items in rests):
        for share, items in rests:
            merged += items[:share]
            del items[:share]
    return merged


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
    )


def _check(items: Iterable[RecalledItem], project: Path | None) -> Iterator[RecalledItem]:
    """Yield items with their missing paths; lazily, because only shown items need the check."""
    for item in items:
        item.gone = tuple(check_citations(item.text, project))
        yield item


def _lay_out(context: Context, shown: Shown) -> list[str]:
    """Return the lines of the block, grouped by kind, and how to see more."""
    lines = sorted(
        (_make_line(context, item, text) for item, text in shown), key=lambda line: line[0]
    )
    return [*(line for _, line in lines), f"More: {context.command('recall', 'QUESTION')}"]


def _make_line(context: Context, item: RecalledItem, text: str) -> tuple[int, str]:
    """Return the number of an item's group, and its line."""
    notes = [f"possibly stale: no {sanitize_line(item.gone[0])}"] if item.gone else []
    if item.store == "facts":
        notes.insert(0, format_age(item.at, context.now))
        ref = shorten(item.ref, ())
        return 1, f"- {ref} [{item.kind}, {item.origin}] {text} ({', '.join(notes)})"
    note = f" ({notes[0]})" if notes else ""
    if item.kind == "pins":
        return 0, f"- [pinned] {text}{note}"
    if item.kind in LEADING_TIERS:
        name = item.ref.rpartition(":")[0].rpartition("/")[2]
        return 2 + LEADING_TIERS.index(item.kind), f"- [{sanitize_line(name)}] {text}{note}"
    return 9, f"- {sanitize_line(item.ref)} [{item.kind}] {text}{note}"
