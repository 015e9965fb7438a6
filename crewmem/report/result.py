"""Pages of one search result, and of one session."""

from __future__ import annotations

import re
from dataclasses import dataclass

from crewmem.home import Home
from crewmem.report.page import Section, render_page
from crewmem.report.report import Meta, Report, make_meta
from crewmem.report.texts import Subject, Texts, make_blocks, make_command
from crewmem.search.search import Hit, SearchResult
from crewmem.search.snippet import MARK_END, MARK_START
from crewmem.sessions.store import ShownSession, ShownTurn

SHOW = {"facts": "fact show", "journal": "journal show", "sessions": "sessions show"}
"""Commands that show a hit, by store; those of memory files are read."""


@dataclass(slots=True)
class HitCard:
    """A hit as the page shows it.

    Attributes:
        parts: The excerpt in pieces, each with whether it matched.
        command: Shows the whole text.
    """

    ref: str
    store: str
    kind: str
    owner: str
    title: str
    parts: list[tuple[str, bool]]
    at: str
    relevance: float
    label: str
    command: str


@dataclass(slots=True)
class ResultData:
    """A search result."""

    query: str
    mode: str
    hits: list[HitCard]


@dataclass(slots=True)
class ResultPage:
    """What the page of a result shows."""

    meta: Meta
    result: ResultData


@dataclass(slots=True)
class TurnCard:
    """A turn as the page shows it.

    Attributes:
        blocks: Of what somebody said; None for calls and their output, which are *text*.
        note: That it was the program's or a sub-agent's.
    """

    line: int
    at: str
    role: str
    tool: str
    text: str
    blocks: list[list[object]] | None
    failed: bool
    marked: bool
    note: str


@dataclass(slots=True)
class SessionHead:
    """The session that a page shows."""

    id: str
    program: str
    agent: str
    project: str
    branch: str
    first: str
    last: str
    turns: int
    losses: int


@dataclass(slots=True)
class SessionData:
    """A session with turns of it; *more* are left out."""

    session: SessionHead
    turns: list[TurnCard]
    more: int


@dataclass(slots=True)
class SessionPage:
    """What the page of a session shows."""

    meta: Meta
    session: SessionData


def make_result_page(home: Home, query: str, result: SearchResult) -> Report:
    """Return the page of a search result."""
    subject = Subject(home)
    texts, meta = subject.texts, make_meta(subject)
    cards = [_make_hit(home, hit, texts) for hit in result.hits]
    page = ResultPage(meta, ResultData(texts.clean(query), result.mode, cards))
    subtitle = f"{meta.place} · {meta.workspace} · {meta.made_at}"
    title = f"Search: {texts.clean(query)}" if query else "Search"
    html = render_page(title, subtitle, [Section("result", "Hits")], page)
    return Report(html, {"hits": len(cards)}, meta.notes)


def _make_hit(home: Home, hit: Hit, texts: Texts) -> HitCard:
    command = make_command(home, SHOW.get(hit.store, "memory read"), hit.ref)
    title = texts.clean(hit.title)
    plain = hit.snippet.replace(MARK_START, "").replace(MARK_END, "")
    return HitCard(
        ref=hit.ref,
        store=hit.store,
        kind=hit.kind,
        owner=hit.owner,
        title="" if plain.startswith(title) else title,
        parts=split_marks(texts.cut(hit.snippet)),
        at=texts.local(hit.at),
        relevance=round(hit.relevance, 3),
        label=hit.label,
        command=command,
    )


def split_marks(snippet: str) -> list[tuple[str, bool]]:
    r"""Return an excerpt in pieces, each with whether it matched.

    >>> split_marks("the \x02deploy\x03 key")
    [('the ', False), ('deploy', True), (' key', False)]
    """
    parts = []
    marked = False
    for piece in re.split(f"([{MARK_START}{MARK_END}])", snippet):
        if piece in (MARK_START, MARK_END):
            marked = piece == MARK_START
        elif piece:
            parts.append((piece, marked))
    return parts


def make_session_page(home: Home, shown: ShownSession) -> Report:
    subject = Subject(home)
    texts, session = subject.texts, shown.session
    head = SessionHead(
        id=session.id,
        program=session.program,
        agent=session.agent or "",
        project=session.project,
        branch=session.branch,
        first=texts.local(session.first_at),
        last=texts.local(session.last_at),
        turns=session.turns,
        losses=session.losses,
    )
    turns = [_make_turn(turn, texts) for turn in shown.turns]
    meta = make_meta(subject)
    is_excerpt = any(turn.marked for turn in shown.turns)
    page = SessionPage(meta, SessionData(head, turns, 0 if is_excerpt else shown.more))
    title = texts.clean(session.title) or "Session"
    subtitle = f"{session.id} · {session.program} · {session.project or 'no project'}"
    html = render_page(title, subtitle, [Section("session", "Turns")], page)
    return Report(html, {"turns": len(turns)}, meta.notes)


def _make_turn(turn: ShownTurn, texts: Texts) -> TurnCard:
    text = texts.cut(turn.text)
    is_said = turn.role in ("user", "assistant") and not (turn.is_call or turn.is_result)
    notes = ["program"] * turn.synthetic + ["sub-agent"] * turn.sidechain
    return TurnCard(
        line=turn.line,
        at=texts.local(turn.at),
        role=turn.role,
        tool=turn.tool + (" →" if turn.is_result and turn.tool else ""),
        text="" if is_said else text,
        blocks=make_blocks(text) if is_said else None,
        failed=bool(turn.is_call and turn.failed),
        marked=turn.marked,
        note=", ".join(notes),
    )
