"""The block for the start of a session: the most important lines of all tiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem.context import Context
from crewmem.errors import CrewmemError
from crewmem.facts.citations import check_citations
from crewmem.facts.fact import Fact
from crewmem.facts.filters import FactFilters
from crewmem.files.chunking import EVIDENCE
from crewmem.files.tiers import OWN_TIERS
from crewmem.ids import shorten
from crewmem.origins import may_push
from crewmem.prompt.budget import Budget
from crewmem.prompt.recall import (
    RecallBlock,
    RecalledItem,
    ShownItems,
    make_recall_block,
    render_new,
)
from crewmem.prompt.recall_log import GivenStore
from crewmem.prompt.sanitize import sanitize_line
from crewmem.registry.membership import is_same_project
from crewmem.security.findings import REMOVED, Finding
from crewmem.security.safe_text import make_safe
from crewmem.security.verdicts import EnclosingFile
from crewmem.text.markdown import Block, is_delimiter_row, passages
from crewmem.text.wording import cut_at_word
from crewmem.times import format_age

if TYPE_CHECKING:
    from crewmem.facts.reading import FactReader
    from crewmem.files.reading import FileInfo, MemoryReader
    from crewmem.home import Home

KINDS = ("correction", "decision", "preference", "lesson", "workflow", "action_item", "fact")
"""Kinds of facts, the most useful first."""

GUIDING = 4
"""Number of these kinds, from the first, that say how to work."""

MAX_FACTS = 200
"""Number of newest facts to choose from; as many newest important facts are added."""

IMPORTANT = 4
"""Minimum importance of facts that can be chosen however many newer facts there are."""

MAX_LINE = 220
"""Maximum characters of a line."""

LEADING_TIERS = ("brief", "agent", "crew")
"""Tiers of which the block includes every statement."""

INDEXED_TIERS = ("topic", "workspace", "learned", "lessons")
"""Tiers of which the block lists the files, each with a statement that shows its content."""

MAX_FILES = 16
"""Number of newest files of the indexed tiers that are read; no more would fit."""

HEAD_LENGTH = 2_000
"""First characters of such a file that are searched for a statement, to save time."""

STATEMENTS = frozenset({"paragraph", "list_item", "quote", "table_row"})
"""Kinds of passages that are statements by themselves."""

LIST_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")


def recall_start(
    home: Home,
    *,
    budget: str = "1800b",
    session: str = "",
    project: Path | None = None,
    include_restricted: bool = False,
) -> RecallBlock:
    """Return the block for the start of a session.

    It has pinned lines, the most important facts, statements from the files of the agent and the
    crew, and files worth reading, each with a statement. The sources alternate, so that a long one
    leaves space for the others. External texts are left out unless an operator pinned them, and so
    are facts that sessions in another project taught. Suspicious passages are left out, too. An
    agent whose memory is switched off gets nothing.

    Args:
        session: Session of the agent program; items that it already got are left out.
        project: Directory of the session, in which the paths in texts are checked; None if it is
            unknown.
        include_restricted: Whether to include restricted facts that the actor may see.
    """
    context, memory, size = home.context, home.memory_reader, Budget.parse(budget)
    access = context.access
    if context.has_db and not access.is_operator:
        slug = access.actor.name
        if not home.registry.get_agent(slug).memory:
            context.warn(
                "memory-off",
                f"memory is switched off for {slug}",
                context.command("agent set", slug, "--memory", "on"),
            )
            return make_recall_block("", [], [], mode="start")
    pins = [pin for info in _list_pushable(memory, ["pins"]) for pin in _list_pins(memory, info)]
    facts: list[RecalledItem] = []
    if context.has_db:
        facts = _list_facts(
            context, home.fact_reader, project, include_restricted=include_restricted
        )
    own = [pin for pin in pins if pin.is_own]
    shared = [pin for pin in pins if not pin.is_own]
    items = _alternate([(1, own), (1, shared), (2, facts), (1, _list_lines(context, memory))])
    # A text is shown once, even if a shared copy or a line of a file repeats it.
    items = list({item.text: item for item in reversed(items)}.values())[::-1]
    given = GivenStore(context, session)
    known = given.find_given(item.version for item in items)
    fresh = [item for item in items if item.ref not in known]
    checked = _check(fresh, project)
    block, shown = render_new(context, given, checked, size, total=len(fresh), lay_out=_lay_out)
    start = make_recall_block(block, shown, fresh, mode="start")
    if start.hidden and not block:
        context.warn("budget-too-small", f"no item fits into {size.amount}{size.unit}")
    return start


def _list_facts(
    context: Context, facts: FactReader, project: Path | None, *, include_restricted: bool
) -> list[RecalledItem]:
    """Return the facts that may be pushed, the most important first."""
    choices = [FactFilters(), FactFilters(min_importance=IMPORTANT)]
    if project is not None:
        choices.append(FactFilters(project=str(project)))
    listed: list[Fact] = []
    for filters in choices:
        filters["include_restricted"] = include_restricted
        listed += facts.list(limit=MAX_FACTS, **filters).facts
    others = {
        name
        for name in {fact.project for fact in listed if fact.pin == "none"}
        if name and project is not None and _is_other_project(name, project)
    }
    by_id = {fact.id: fact for fact in listed if fact.pin != "none" or fact.project not in others}
    ranked = rank_facts(by_id.values())
    instructions = {fact.content for fact in ranked if fact.may_instruct}
    findings = context.verdicts.scan(instructions, own_tier=True)
    findings |= context.verdicts.scan({fact.content for fact in ranked} - instructions)
    items = (_make_fact_item(context, fact, findings[fact.content]) for fact in ranked)
    return [item for item in items if item is not None]


def _is_other_project(name: str, here: Path) -> bool:
    """Return whether *name* is another project on this host; one that was moved is none."""
    there = Path(name)
    return there.is_absolute() and there.is_dir() and not is_same_project(there, here)


def rank_facts(facts: Iterable[Fact]) -> list[Fact]:
    """Return *facts* in the order in which they are chosen: pinned first, then by importance.

    Of equal importance the guiding kinds take turns, and in each kind the notes and sessions that
    the facts were learned from do, the newest first. Otherwise the decisions of one meeting leave
    no space for lessons and preferences.
    """
    groups: dict[tuple[bool, int], dict[int, list[Fact]]] = {}
    for fact in facts:
        group = groups.setdefault((fact.pin == "none", -fact.importance), {})
        kind = KINDS.index(fact.kind) if fact.kind in KINDS else len(KINDS)
        group.setdefault(kind, []).append(fact)
    ranked: list[Fact] = []
    for _, by_kind in sorted(groups.items()):
        kinds = [_take_turns(by_kind[kind]) for kind in sorted(by_kind) if kind < GUIDING]
        ranked += (fact for turn in zip_longest(*kinds) for fact in turn if fact is not None)
        for kind in sorted(by_kind):
            if kind >= GUIDING:
                ranked += _take_turns(by_kind[kind])
    return ranked


def _take_turns(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts newest first, the surest of each source, then the next of each."""
    by_source: dict[str, list[Fact]] = {}
    newest = sorted(
        facts,
        key=lambda each: (each.stated_at, each.confidence),
        reverse=True,
    )
    for fact in newest:
        evidence = fact.listed("evidence")
        source = evidence[0].rpartition(":")[0] if evidence else fact.session
        by_source.setdefault(source or fact.id, []).append(fact)
    turns = zip_longest(*by_source.values())
    return [fact for turn in turns for fact in turn if fact is not None]


def _make_fact_item(
    context: Context, fact: Fact, findings: Sequence[Finding]
) -> RecalledItem | None:
    pinned_by = "" if fact.pin == "none" else str(fact.metadata.get("pinned_by", ""))
    if fact.scope == "session" or not may_push(fact.origin, pinned_by=pinned_by):
        return None
    safe = make_safe(fact.content, findings, push=True)
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
        at=fact.stated_at,
    )


def _list_pushable(memory: MemoryReader, tiers: Sequence[str]) -> list[FileInfo]:
    """Return the files of *tiers* that may be pushed."""
    origins = memory.find_origins(memory.targets(tiers=tiers))
    files = memory.list_files(tiers=tiers)
    return [info for info in files if may_push(origins[info.file])]


def _list_pins(memory: MemoryReader, info: FileInfo) -> list[RecalledItem]:
    text = memory.read(info.file)
    pins: list[tuple[int, str]] = []
    is_open = False
    for number, line in enumerate(text.text.split("\n"), start=text.first_line):
        stripped = line.strip()
        if stripped.startswith(("-", "*")):
            pins.append((number, stripped.lstrip("-* ")))
            is_open = True
        elif is_open and stripped and line[0].isspace():  # a continuation of the pin
            pins[-1] = (pins[-1][0], f"{pins[-1][1]} {stripped}")
        else:
            is_open = False
    return [_make_file_item(info, f"{info.file}:{number}", pin) for number, pin in pins]


def _list_lines(context: Context, memory: MemoryReader) -> list[RecalledItem]:
    """Return lines of the files, alternately of the agent's, the crew's and the indexed tiers."""
    leading = _list_pushable(memory, LEADING_TIERS)
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
    indexed = sorted(_list_pushable(memory, INDEXED_TIERS), key=lambda info: info.at, reverse=True)
    files = []
    bad = context.verdicts.find_bad_names(info.file for info in indexed)
    indexed = [info for info in indexed if info.file not in bad]
    for info in indexed[:MAX_FILES]:
        if statements := _list_statements(context, memory, info, HEAD_LENGTH):
            index = -1 if info.tier == "lessons" else 0  # new lessons are appended
            files.append(replace(statements[index], ref=info.file))
    for info in indexed[MAX_FILES:]:
        name = info.file.rpartition("/")[2].removesuffix(".md")
        files.append(_make_file_item(info, info.file, name.replace("-", " ")))
    return _alternate([(2, own), (1, shared), (1, files)])


def _list_statements(
    context: Context, memory: MemoryReader, info: FileInfo, length: int | None = None
) -> list[RecalledItem]:
    """Return the statements of a file, without headings, code and attacks.

    Args:
        length: Number of characters to read, from the start, or for lessons from the end.
    """
    try:
        text = memory.read(info.file)
    except CrewmemError:
        return []
    part = text.text[:length]
    if length and info.tier == "lessons":
        part = text.text[-length:]
    statements = [
        (block.first_line + text.first_line - 1, LIST_MARK.sub("", block.text.strip()))
        for block in passages(part)
        if block.kind in STATEMENTS and not _is_table_head(block)
    ]
    enclosing_file = EnclosingFile(
        sha256(text.text.encode("utf-8", "surrogatepass")).digest(), lambda: text.text
    )
    findings = context.verdicts.scan(
        {statement for _, statement in statements},
        own_tier=info.tier in OWN_TIERS,
        enclosing_files={statement: enclosing_file for _, statement in statements},
    )
    return [
        _make_file_item(info, f"{info.file}:{line}", EVIDENCE.sub("", statement))
        for line, statement in statements
        if sanitize_line(statement)
        and REMOVED not in statement
        and not make_safe(statement, findings[statement], push=True).removed
    ]


def _is_table_head(block: Block) -> bool:
    """Return whether a row of a table names its columns: a delimiter row follows."""
    lines = block.source.lines
    return (
        block.kind == "table_row"
        and block.last_line < len(lines)
        and is_delimiter_row(lines[block.last_line])
    )


def _alternate(sources: Sequence[tuple[int, Sequence[RecalledItem]]]) -> list[RecalledItem]:
    """Merge lists by taking the given number of items from each in turn."""
    merged: list[RecalledItem] = []
    queues = [(count, list(items)) for count, items in sources]
    while any(items for _, items in queues):
        for count, items in queues:
            merged += items[:count]
            del items[:count]
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
    """Yield items with their missing paths, lazily, because only shown items need the check."""
    for item in items:
        item.gone = tuple(check_citations(item.text, project))
        yield item


def _lay_out(context: Context, shown: ShownItems) -> list[str]:
    """Return the lines of the block, grouped by kind, and the command to see more."""
    lines = sorted(
        (_make_line(context, item, text) for item, text in shown), key=lambda line: line[0]
    )
    return [*(line for _, line in lines), f"More: {context.command('recall', 'QUESTION')}"]


def _make_line(context: Context, item: RecalledItem, text: str) -> tuple[int, str]:
    """Return the position of an item's group in the block, and the item's line."""
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
