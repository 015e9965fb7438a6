"""Whole texts of turns, read from their log or its kept copy: the index has them shortened."""

from __future__ import annotations

import json
from pathlib import Path

from crewmem.context import Context
from crewmem.errors import CrewmemError
from crewmem.security import redact
from crewmem.sessions.copies import Copies
from crewmem.sessions.formats import get_format
from crewmem.sessions.index import LogRow
from crewmem.sessions.logs import open_log, read_chunks
from crewmem.sessions.turns import SYSTEM, State


def read_texts(context: Context, log: LogRow, lines: set[int]) -> list[tuple[int, int, str]]:
    """Return (line, part, whole text) of turns, read from the log or its kept copy."""
    format_, state = get_format(log.program), State(**json.loads(log.state or "{}"))
    path = Path(log.path)
    if path.suffix == ".json" or log.inner or path.suffix == ".zst":
        return []
    try:
        file = (
            open_log(path) if log.status == "present" else Copies(context.home or path).open(log.id)
        )
    except CrewmemError:
        try:
            file = Copies(context.home or path).open(log.id)
        except CrewmemError:
            return []
    found: list[tuple[int, int, str]] = []
    with file:
        for chunk in read_chunks(file):
            for number, record, _ in chunk.parse():
                if record is not None and number in lines:
                    found += [
                        (number, turn.part, redact(turn.text))
                        for turn in format_.read_record(record, number, state)
                        if turn.role != SYSTEM
                    ]
            if chunk.last >= max(lines):
                break
    return found
