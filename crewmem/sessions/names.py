"""Sessions as texts in which names are looked for: what was said in each, as one text."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from crewmem.access import Access
from crewmem.documents import Document, vector_key
from crewmem.protocols import VectorSource
from crewmem.sessions.turns import CALL, RESULT, SYNTHETIC
from crewmem.storage.sqlite import Database

LONGEST = 8_000
"""Characters of a session that are looked through; what it is about is said early."""

STAMP = "sessions.id || ' ' || turns || ' ' || last_at"
"""Changes whenever a session grows."""


class SessionNames(VectorSource):
    """The sessions that an actor may read."""

    def __init__(self, db: Database, access: Access) -> None:
        """Read the index of sessions *db* as *access* allows."""
        self._db = db
        self._readable = access.sessions()

    def vector_state(self) -> str:
        """Return a text that changes whenever a session is added, grows or is removed."""
        row = self._db.one(
            "select count(*), coalesce(sum(turns), 0), coalesce(max(last_at), '') from sessions"
            f" where {self._readable.sql}",
            self._readable.params,
        )
        return json.dumps(list(row or ()))

    def visible_vector_keys(
        self, *, crew: str | None = None, agent: str | None = None, **_: Any
    ) -> Mapping[int, int]:
        """Return a key for each session as it is now, with its row."""
        rows = self._db.execute(
            f"select {STAMP}, key from sessions where {self._readable.sql}"
            " and (:crew is null or crew_id = :crew) and (:agent is null or agent_id = :agent)",
            {**self._readable.params, "crew": crew, "agent": agent},
        )
        return {vector_key(stamp): row for stamp, row in rows}

    def texts_of_vectors(self, vector_keys: Collection[int]) -> Iterable[tuple[int, str]]:
        """Yield (key, title and what was said) of some of these sessions."""
        known = self.visible_vector_keys()
        for key in vector_keys:
            if key in known:
                yield key, "\n".join(self._read(known[key]))

    def sample_texts(self, limit: int) -> Sequence[str]:
        """Return nothing: turns are not embedded."""
        return []

    def documents(self, keys: Sequence[int]) -> list[Document]:
        """Return sessions by their rows."""
        found = []
        for key, ref, at, agent, program in self._db.execute(
            "select key, id, last_at, coalesce(agent_id, ''), program from sessions"
            f" where {self._readable.sql} and key in (select value from json_each(:keys))",
            {**self._readable.params, "keys": json.dumps(list(keys))},
        ):
            title, *said = self._read(key)
            found.append(
                Document(
                    "sessions", key, ref, title, "\n".join(said), at,
                    scope="agent", owner=agent, kind=program, origin="agent",
                )
            )  # fmt: skip
        return found

    def _read(self, session: int) -> Iterator[str]:
        """Yield the title of a session, and what people and agents said, up to `LONGEST`."""
        yield str(self._db.value("select title from sessions where key = ?", (session,)))
        left = LONGEST
        for (text,) in self._db.execute(
            "select text from turns where session = ? and role in ('user', 'assistant')"
            f" and flags & {SYNTHETIC | CALL | RESULT} = 0 order by line, part",
            (session,),
        ):
            yield text[:left]
            left -= len(text)
            if left <= 0:
                break
