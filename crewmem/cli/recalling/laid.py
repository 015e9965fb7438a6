"""Laying before a model what was recalled, and telling what became of each result."""

from __future__ import annotations

from crewmem.errors import DataError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crewmem.cli.places import Chosen
    from crewmem.cli.recalling.asking import Answered, Asked, Subject
    from crewmem.prompt.render import Hint, Laid, Limit
    from crewmem.recall.index import Line
    from crewmem.recall.prime import Primed
    from crewmem.recall.recall import Hit

LINES_MOST = 200
"""Lines that the start of a session may have: no budget of it has room for more."""

COUNTED_MOST = 20_000
"""Memories that are counted, of how many are hidden: of more it is told as many."""

PLACED, SHORTENED, BLOCKED = "placed", "shortened", "blocked"
CUT, OUT, HELD = "no room", "left out", "held back"
"""What may become of a result: there was no room in the budget, there were better ones
enough, the gate held it back."""


class Fate(NamedTuple):
    """What became of a result.

    Attributes:
        ref: Names it.
        fate: placed, shortened, blocked, no room, left out or held back.
        chars: Characters of what it says; null for what was not laid out at all.
        score: Of its store: higher is better; null without a question.
        relevance: How likely it answers, in [0, 1]; null without a question.
        engram: Engram's composite, in [0, 1]; null of what is no memory.
        why: What else there is to say, as the rule by which it was blocked.
    """

    ref: str
    fate: str
    chars: int | None
    score: float | None
    relevance: float | None
    engram: float | None
    why: str


class Laying(NamedTuple):
    """A block with what it was made of.

    Attributes:
        mode: ``words``, ``hybrid``, or ``index`` for the start of a session.
        hits: What it was made of, in the order in which room was given.
        lines: The same for the start of a session; None for a question.
        fates: What became of each, and of what came near.
        held_back: How many results the gate held back.
    """

    mode: str
    hits: Sequence[Hit]
    lines: Sequence[Line] | None
    laid: Laid
    fates: Sequence[Fate]
    held_back: int

    @property
    def every(self) -> Sequence[Hit | Line]:
        """The hits, or the lines."""
        return self.hits if self.lines is None else self.lines

    def refs(self, places: Sequence[int], store: str = "") -> list[str]:
        """Return what is at *places* of all there is, by ref, of *store* alone."""
        some = (self.every[at] for at in places)
        return [each.ref for each in some if store in {"", each.store}]

    @property
    def delivered(self) -> list[str]:
        """The entries of the journal whose text is in the block."""
        return self.refs(self.laid.shown, "journal")

    @property
    def believed(self) -> list[str]:
        """The memories whose text is in the block."""
        return self.refs(self.laid.shown, "memories")


def nothing() -> Laying:
    """Return a block of nothing."""
    from crewmem.prompt.render import Laid

    return Laying("words", (), None, Laid("", [], None, [], 0, {}), (), 0)


def laid(whose: Subject, asked: Asked, came: Answered, limit: Limit) -> Laying:
    """Return the block of what *came* of a question.

    With whole passages if all of them fit; else with excerpts, if more do then.
    """
    from crewmem.cli.recalling.asking import hints
    from crewmem.cli.scanner import scanner
    from crewmem.prompt.render import recalled

    scan, found = scanner(whose.app), came.found
    best: tuple[Sequence[Hint], Laid] | None = None
    for whole in (True, False):
        given = hints(whose, asked, came, whole=whole)
        tried = recalled(given, limit, scan=scan, hidden=len(found.others))
        if best is None or _lines(tried) > _lines(best[1]):
            best = given, tried
        if _lines(tried) == len(given) and tried.shortened is None:
            break
    laid_out, block = best or ((), recalled((), limit, scan=scan))
    fates = [*_fates(found.hits, laid_out, block), *_others(came)]
    held = len(found.held_back) + found.hidden
    return Laying(found.mode, found.hits, None, block, fates, held)


def _lines(block: Laid) -> int:
    return len(block.shown) + len(block.blocked)


def _fates(
    hits: Sequence[Hit | Line], given: Sequence[Hint], block: Laid
) -> Iterator[Fate]:
    findings: Mapping[int, object] = block.findings
    for at, (hit, hint) in enumerate(zip(hits, given, strict=True)):
        fate, why = PLACED if at in block.shown else CUT, ""
        if at == block.shortened:
            fate = SHORTENED
        if at in findings:
            finding = block.findings[at]
            fate, why = BLOCKED, f"{finding.category}: {finding.rule}"
        yield _fate(hit, fate, len(hint.text), why)


def _others(came: Answered) -> Iterator[Fate]:
    found = came.found
    yield from (
        _fate(each, OUT, None, "there are better ones") for each in found.others
    )
    held = "it answers too little: --no-gate shows it"
    yield from (_fate(each, HELD, None, held) for each in found.held_back)


def _fate(hit: Hit | Line, fate: str, chars: int | None, why: str) -> Fate:
    score, relevance = getattr(hit, "score", None), getattr(hit, "relevance", None)
    engram = getattr(getattr(hit, "why", None), "engram", None)
    return Fate(hit.ref, fate, chars, score, relevance, engram, why)


# The start of a session


def primed(whose: Subject, chosen: Chosen, limit: Limit) -> Laying:
    """Return the block that a session starts with."""
    from crewmem.cli.recalling.asking import program
    from crewmem.cli.scanner import scanner
    from crewmem.prompt.recalled import of_line
    from crewmem.prompt.recalled_text import quoted
    from crewmem.prompt.render import recalled

    app = whose.app
    found, others = _index(whose, chosen)
    prefix = program(app)
    hints = [
        of_line(each, now=app.now, zone=app.zone, agent=whose.agent, program=prefix)
        for each in found.lines
    ]
    where = f" --path {quoted(chosen.path)}" if chosen.path else ""
    block = recalled(
        hints,
        limit,
        scan=scanner(app),
        hidden=found.hidden + others,
        more=f"{prefix} memory list{where}",
    )
    fates = [*_fates(found.lines, hints, block)]
    return Laying("index", (), found.lines, block, fates, 0)


def _index(whose: Subject, chosen: Chosen) -> tuple[Primed, int]:
    """Return the most important there is, and of how much more it was not read."""
    from crewmem.cli.places import places
    from crewmem.recall.prime import prime

    app = whose.app
    found_in, _ = places(app, chosen._replace(agent=None))
    ready: list[Line] = []
    others = 0
    for told in (_weightiest, _believed):
        try:
            lines, left = told(whose, chosen)
        except DataError as error:  # there are memory files all the same
            app.out.warn(str(error))
            continue
        ready, others = ready + lines, others + left
    found = prime(
        [each for each in found_in if whose.shows(each)],
        ready,
        most=LINES_MOST,
        now=app.now,
        zone=app.zone,
        agent=whose.agent,
    )
    for warning in found.warnings:
        app.out.warn(warning)
    return found, others


def _weightiest(whose: Subject, chosen: Chosen) -> tuple[list[Line], int]:
    """Return lines of the episodes that weigh most, and how many more there are."""
    from crewmem import times
    from crewmem.cli.places import root
    from crewmem.cli.remembered import stores_to_read
    from crewmem.episodes.words_store import Words
    from crewmem.recall.index import of_entry

    app = whose.app
    if whose.is_tree or root(app, chosen) != app.home:
        return [], 0
    if (stores := stores_to_read(app)) is None:
        return [], 0
    usual = None if app.actor.is_operator else "crew"
    reach = app.reach(chosen.scope or usual)
    owners = stores.episodes.owners(reach, crew=chosen.crew, without=whose.off)
    best = stores.episodes.weightiest(owners, LINES_MOST)
    words = Words(stores.journal.db, owners, times.to_text(app.now))
    lasting = words.among(best)
    weights = stores.episodes.importance(best)
    entries = stores.journal.by_seq([each for each in best if each in lasting])
    lines = [of_entry(entries[each], weights[each]) for each in best if each in entries]
    return lines, stores.episodes.count(owners) - len(lines)


def _believed(whose: Subject, chosen: Chosen) -> tuple[list[Line], int]:
    """Return lines of the memories that weigh most, and how many more there are."""
    from crewmem.cli.held import memories_to_read, view
    from crewmem.cli.places import root
    from crewmem.errors.memories import MemoryTablesMissingError
    from crewmem.memories.held import held
    from crewmem.memories.store import Filter
    from crewmem.recall.index import of_memory

    app = whose.app
    if whose.is_tree or root(app, chosen) != app.home:
        return [], 0
    try:
        memories = memories_to_read(app)
    except MemoryTablesMissingError:
        return [], 0
    if memories is None:
        return [], 0
    wanted = Filter(
        view(app),
        app.now,
        statuses=("active",),
        scope=None if chosen.scope == "all" else chosen.scope,
        crew=chosen.crew,
        without=tuple(sorted(whose.off)),
    )
    best = held(memories.db, memories.weightiest(wanted, LINES_MOST), app.now)
    lines = [
        of_memory(
            each, is_own=whose.agent is not None and each.memory.agent == whose.agent
        )
        for each in best
    ]
    return lines, max(0, memories.count(wanted, COUNTED_MOST) - len(lines))
