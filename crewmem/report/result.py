"""The pages of a search result and of a session."""

from __future__ import annotations

import re
from typing import Any

from crewmem.home import Home
from crewmem.prompt.recall import SHOW_COMMANDS
from crewmem.report.page import PageSection, render_page
from crewmem.report.report import Report, make_meta
from crewmem.report.sessions import make_turn
from crewmem.report.texts import PageSubject, Texts
from crewmem.search.search import Hit, SearchResult
from crewmem.sessions.store import ShownSession
from crewmem.text.wording import MARK_END, MARK_START, unmark


def make_result_page(home: Home, query: str, result: SearchResult) -> Report:
    """Make the page of a search result."""
    subject = PageSubject(home)
    texts, meta = subject.texts, make_meta(subject)
    cards = [_make_hit(home, hit, texts) for hit in result.hits]
    shown = {"query": texts.clean(query), "mode": result.mode, "hits": cards}
    subtitle = f"{meta['place']} · {meta['workspace']} · {meta['made_at']}"
    title = f"Search: {texts.clean(query)}" if query else "Search"
    page = {"meta": meta, "result": shown}
    html = render_page(title, subtitle, [PageSection("result", "Hits")], page)
    return Report(html, {"hits": len(cards)}, subject.notes)


def _make_hit(home: Home, hit: Hit, texts: Texts) -> dict[str, Any]:
    command = home.context.command(SHOW_COMMANDS[hit.store], hit.ref)
    title = texts.clean(hit.title)
    plain = unmark(hit.snippet)
    return {
        "ref": hit.ref,
        "store": hit.store,
        "kind": hit.kind,
        "owner": hit.owner,
        "title": "" if plain.startswith(title) else title,
        "parts": split_marks(texts.cut(hit.snippet)),
        "at": texts.local(hit.at),
        "relevance": round(hit.relevance, 3),
        "label": hit.label,
        "command": command,
    }


def split_marks(snippet: str) -> list[tuple[str, bool]]:
    r"""Split a snippet into pieces, each with whether it is a match.

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
    subject = PageSubject(home)
    texts, session = subject.texts, shown.session
    head = {
        "id": session.id,
        "program": session.program,
        "agent": session.agent or "",
        "project": session.project,
        "branch": session.branch,
        "first": texts.local(session.first_at),
        "last": texts.local(session.last_at),
        "turns": session.turns,
        "losses": session.losses,
    }
    turns = [make_turn(turn, texts) for turn in shown.turns]
    is_excerpt = any(turn.marked for turn in shown.turns)
    data = {"session": head, "turns": turns, "more": 0 if is_excerpt else shown.more}
    title = texts.clean(session.title) or "Session"
    subtitle = f"{session.id} · {session.program} · {session.project or 'no project'}"
    page = {"meta": make_meta(subject), "session": data}
    html = render_page(title, subtitle, [PageSection("session", "Turns")], page)
    return Report(html, {"turns": len(turns)}, subject.notes)
