"""Sessions on the page: their first turns, and the turns around quotes in facts."""

from __future__ import annotations

import re
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.report.texts import PageSubject, Texts, make_blocks
from crewmem.sessions.store import ShownTurn

MAX_SESSIONS = 20
"""Maximum sessions with turns on the page of a home: quoted ones, then the newest."""

MAX_TURNS = 40
"""Maximum first turns of a session on the page of a home; as many around quotes are added."""

AROUND = 4
"""Turns before and after a quoted one."""

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
            if match := TURN.fullmatch(quote.place):
                cited.setdefault(match[1], set()).add(int(match[2]))
    for session in home.sessions.list(since=subject.selection.since, limit=MAX_SESSIONS).sessions:
        if subject.is_about(session.agent):
            cited.setdefault(session.id, set())
    shown = {}
    for id_, lines in list(cited.items())[:MAX_SESSIONS]:
        try:
            start = home.sessions.show(id_, limit=MAX_TURNS)
            turns = {(turn.line, index): turn for index, turn in enumerate(start.turns)}
            for line in sorted(lines - {line for line, _ in turns}):
                if len(turns) < 2 * MAX_TURNS:
                    near = home.sessions.show(id_, turn=line, around=AROUND).turns
                    turns |= {(turn.line, index): turn for index, turn in enumerate(near)}
        except CrewmemError:  # it was forgotten, or the actor may not read it
            continue
        shown[id_] = {
            "title": texts.clean(start.session.title),
            "agent": start.session.agent or "",
            "turns": [make_turn(turns[key], texts, MAX_TURN) for key in sorted(turns)],
            "all": start.session.turns,
        }
    return shown


def make_turn(turn: ShownTurn, texts: Texts, max_length: int | None = None) -> dict[str, Any]:
    """Return a turn for the page: speech as blocks, calls and their output as text."""
    is_cut = max_length is not None and len(turn.text) > max_length
    text = texts.cut(f"{turn.text[:max_length]}…" if is_cut else turn.text)
    is_speech = turn.role in ("user", "assistant") and not (turn.is_call or turn.is_result)
    notes = ["program"] * turn.synthetic + ["sub-agent"] * turn.sidechain
    return {
        "line": turn.line,
        "at": texts.local(turn.at),
        "role": turn.role,
        "tool": turn.tool + (" →" if turn.is_result and turn.tool else ""),
        "text": "" if is_speech else text,
        "blocks": make_blocks(text) if is_speech else None,
        "failed": bool(turn.is_call and turn.failed),
        "marked": turn.marked,
        "note": ", ".join(notes),
    }
