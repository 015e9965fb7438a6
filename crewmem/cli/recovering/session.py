"""The last that a person said in the session that lost its context."""

from __future__ import annotations

import os
from contextlib import closing

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.recalling.asking import Subject
    from crewmem.transcripts.source import Source

NUMBER = 5
"""Messages that are given back."""


LOOKED_AT = 4_000
"""Characters of a message that are looked at for secrets, before it is cut."""


def last_messages(whose: Subject, session: str, path: str = "") -> list[str]:
    """Return the last that a person said, oldest first, secrets redacted.

    Args:
        whose: The agent.
        session: The session; "" for the newest of the agent's.
        path: Its log, as a hook names it; "" for what is known of it.
    """
    from crewmem.cli.scanner import scanner
    from crewmem.cli.transcripts.means import redactor
    from crewmem.cli.transcripts.opening import open_at_start
    from crewmem.transcripts.last import last_said

    found = _hinted(whose, path) if path else _known(whose, session)
    if found is None:
        return []
    source, name = found
    try:
        with closing(open_at_start(source, name)) as stream:
            said = last_said(
                stream, source.size, None, number=NUMBER, is_rows=bool(name)
            )
    except CrewmemError as error:
        whose.app.out.warn(str(error))
        return []
    redact = redactor(scanner(whose.app))
    return [redact(each[:LOOKED_AT]) for each in said]


def _hinted(whose: Subject, path: str) -> tuple[Source, str] | None:
    """Return the log at *path*, if it lies where logs do."""
    from crewmem.cli.transcripts.roots import Where, found

    real = os.path.realpath(path)
    for each in found(whose.app, Where()).sources:
        if each.file == real:
            return each, ""
    whose.app.out.warn(f"{path} is no transcript of a program that is known")
    return None


def _known(whose: Subject, session: str) -> tuple[Source, str] | None:
    """Return the log of *session*, as logs were read for the agent."""
    from crewmem.cli.transcripts.standing import database
    from crewmem.transcripts import cursor_store

    app, agent = whose.app, whose.agent or ""
    db = database(app)
    if db is None:
        return None
    if session:
        cursors = cursor_store.of_session(db, app.workspace, agent, session)
    else:
        cursors = cursor_store.every(db, app.workspace, agent)
        cursors = [each for each in cursors if each.turn_at]
        cursors.sort(key=lambda each: str(each.turn_at), reverse=True)
    for each in cursors:
        if source := _source(each.path):
            return source, each.session
    return None


def _source(path: str) -> Source | None:
    from crewmem.transcripts.source import PACKED, Source

    for name in (path, f"{path}{PACKED}"):
        try:
            stat = os.lstat(name)
        except OSError:
            continue
        folder, _, file = name.rpartition("/")
        return Source(
            folder,
            file,
            "",
            "",
            stat.st_size,
            stat.st_mtime_ns,
            stat.st_dev,
            stat.st_ino,
        )
    return None
