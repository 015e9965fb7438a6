"""OpenClaw's own count of how often a session lost context.

It counts in ``sessions.json``. Most losses stand in the log as well; what the count has
more than that was not written there, and is a loss all the same.
"""

from __future__ import annotations

import json

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.transcripts import LogDamagedError
from crewmem.transcripts import cursor_store, loss_store
from crewmem.transcripts.cursor import Cursor
from crewmem.transcripts.formats.content import instant, mapping, name, whole
from crewmem.transcripts.lose import lost
from crewmem.transcripts.turn import Loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from crewmem.memories.desk import Desk
    from crewmem.transcripts.source import Source

MOST = 16 << 20
"""Bytes of the file: one of a thousand sessions has half a megabyte."""

HOW = "compactionCount"

HARNESS = "openclaw"


def count(source: Source, agent: str, desk: Desk) -> int:
    """Keep losses that *source* counts and no log tells of; return how many.

    What was counted before it was first looked at is taken as known.

    Raises:
        LogDamagedError: If it is no such file.
    """
    db, workspace = desk.memories.db, desk.workspace
    cursor = cursor_store.find(db, workspace, source.name)
    if cursor and (cursor.size, cursor.mtime_ns) == (source.size, source.mtime_ns):
        return 0
    kept = {**cursor.state} if cursor else {}
    new = 0
    with desk.journal.transaction():
        for session, entry in _sessions(source):
            counted = whole(entry, HOW) or 0
            told = loss_store.count(db, workspace, agent, session)
            if session not in kept:
                kept[session] = counted - told
                continue
            for number in range(told, counted - kept[session]):
                at = instant(entry.get("updatedAt"))
                more = lost(
                    desk,
                    agent,
                    Loss(HOW),
                    harness=HARNESS,
                    session=session,
                    key=f"{HOW}{kept[session] + number + 1}",
                    at=at,
                )
                new += more[1]
            kept[session] = counted - loss_store.count(db, workspace, agent, session)
        cursor_store.keep(db, workspace, _cursor(source, agent, desk, kept))
    return new


def _sessions(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with disk.open_root(source.root) as root:
            found = json.loads(disk.read(root, source.path, limit=MOST))
    except (ValueError, RecursionError) as error:
        raise LogDamagedError(source.file, "it is no JSON") from error
    except CrewmemError as error:
        raise LogDamagedError(source.file, str(error)) from error
    for each in found.values() if isinstance(found, dict) else ():
        if isinstance(each, dict) and (session := name(each, "sessionId")):
            yield session, dict(mapping({"entry": each}, "entry"))


def _cursor(source: Source, agent: str, desk: Desk, kept: dict[str, int]) -> Cursor:
    return Cursor(
        path=source.name,
        session="",
        agent=agent,
        harness=HARNESS,
        device=source.device,
        inode=source.inode,
        head_bytes=0,
        head="",
        tail="",
        offset=0,
        line=0,
        state=kept,
        size=source.size,
        mtime_ns=source.mtime_ns,
        turns=0,
        skipped=0,
        skipped_lines=(),
        drops=0,
        turn_at=None,
        learned_at=None,
        read_at=desk.now,
    )
