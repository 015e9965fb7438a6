"""Sessions for the page: their turns, and the turns around quotes of facts."""

from __future__ import annotations

import re
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.report.texts import PageSubject, Texts, make_blocks
from crewmem.sessions.store import ShownTurn

MAX_SESSIONS = 20
"""Maximum sessions with turns on the page of a home: quoted ones, then the newest."""

MAX_TURNS = 40
"""Maximum turns of a session on the page of a home; of a longer one, those around quotes."""

AROUND = 4

MAX_TURN = 2_000
"""Maximum characters of a turn on the page of a home."""

TURN = re.compile(r"(s_\w+):(\d+)")


def collect_sessions(
    subject: PageSubject, facts: list[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return turns of sessions by session id, limited in number and length."""
    home, texts = subject.home, subject.texts
    cited: dict[str, set[int]] = {}
    for card in facts:
        for quote in card["quotes"]:
            if place := TURN.fullmatch(quote.place):
                cited.setdefault(place[1], set()).add(int(place[2]))
    for session in home.sessions.list(since=subject.selection.since, limit=MAX_SESSIONS).sessions:
        if subject.is_about(session.agent):
            cited.setdefault(session.id, set())
    shown = {}
    for id_, lines in list(cited.items())[:MAX_SESSIONS]:
        try:
            found = home.sessions.show(id_, limit=MAX_TURNS)
            turns = {(each.line, at): each for at, each in enumerate(found.turns)}
            for line in sorted(lines - {line for line, _ in turns}):
                if len(turns) < 2 * MAX_TURNS:
                    near = home.sessions.show(id_, turn=line, around=AROUND).turns
                    turns |= {(each.line, at): each for at, each in enumerate(near)}
        except CrewmemError:  # it was forgotten, or the actor may not read it
            continue
        shown[id_] = {
            "title": texts.clean(found.session.title),
            "agent": found.session.agent or "",
            "turns": [make_turn(turns[key], texts, MAX_TURN) for key in sorted(turns)],
            "all": found.session.turns,
        }
    return shown


def make_turn(turn: ShownTurn, texts: Texts, longest: int | None = None) -> dict[str, Any]:
    """Return a turn: speech as blocks, calls and their output as text."""
    is_cut = longest is not None and len(turn.text) > longest
    text = texts.cut(f"{turn.text[:longest]}…" if is_cut else turn.text)
    is_said = turn.role in ("user", "assistant") and not (turn.is_call or turn.is_result)
    notes = ["program"] * turn.synthetic + ["sub-agent"] * turn.sidechain
    return {
        "line": turn.line,
        "at": texts.local(turn.at),
        "role": turn.role,
        "tool": turn.tool + (" →" if turn.is_result and turn.tool else ""),
        "text": "" if is_said else text,
        "blocks": make_blocks(text) if is_said else None,
        "failed": bool(turn.is_call and turn.failed),
        "marked": turn.marked,
        "note": ", ".join(notes),
    }
