"""Sources for search: the turns of sessions, and each session as one text for names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from crewmem.access import Access, Filter
from crewmem.context import Context
from crewmem.documents import Document, vector_key
from crewmem.errors import DamagedError
from crewmem.protocols import SearchStore, VectorSource
from crewmem.sessions.turns import (
    ASSISTANT,
    CALL,
    IN_PROJECT,
    RESULT,
    SIDECHAIN,
    SUMMARY,
    SYNTHETIC,
    TITLE_LENGTH,
    USER,
)
from crewmem.storage.fulltext import FullText
from crewmem.storage.sqlite import Database
from crewmem.text.wording import cut_at_word

JOIN = "turns on turns.key = hits.key join sessions on sessions.key = turns.session"

MAX_COUNTED = 20_000
"""Maximum turns that are counted to weight words by rarity, for an agent; more change little."""

NAMES_LENGTH = 8_000
"""Characters at the start of a session that are searched for names."""

STAMP = "sessions.id || ' ' || turns || ' ' || last_at"
"""SQL expression that changes whenever a session grows."""


CONDITIONS = {
    "since": "turns.at >= :since",
    "until": "turns.at <= :until",
    "kinds": "turns.role in (select value from json_each(:kinds))",
    "agent": "sessions.agent_id = :agent",
    "session": "(sessions.id = :session or sessions.native_id = :session)",
    "project": IN_PROJECT,
    "tool": "lower(turns.tool) = lower(:tool)",
    "file": "turns.key in (select turn from touched where name = :file_name"
    " and substr('/' || lower(path), -length(:file_end)) = lower(:file_end))",
    "command": "(select ' ' || lower(command) from calls where calls.turn = turns.key"
    " or calls.result = turns.key) glob lower(:pattern)",
    "failed": "exists (select 1 from calls where failed = 1"
    " and (calls.turn = turns.key or calls.result = turns.key))",
}
"""Conditions for turns by filter; ``failed`` also finds the results of calls that failed."""


class SessionSource(SearchStore):
    """The turns that the actor may read.

    Turns are not embedded: an agent makes thousands a day, mostly output, and the conclusions are
    in facts, which are embedded.
    """

    def __init__(
        self,
        context: Context,
        open_index: Callable[[], Database | None],
        discard: Callable[[DamagedError], bool],
    ) -> None:
        self._context = context
        self._open_index, self._discard = open_index, discard
        self._full_text: FullText | None = None

    @property
    def db(self) -> Database | None:
        """The index; None if nothing was indexed yet."""
        return self._open_index()

    def _texts(self, db: Database) -> FullText:
        if self._full_text is None or self._full_text.db is not db:
            self._full_text = FullText(db, "turn_text")
        return self._full_text

    def match(self, expression: str, limit: int, **filters: Any) -> list[tuple[int, float]]:
        db = self.db
        if db is None:
            return []
        condition = self.make_filter(**filters)
        narrow = any(filters.get(name) for name in ("session", "file", "command", "failed", "tool"))
        share = 0.05 if narrow or not self._context.access.is_operator else 1.0
        return self._texts(db).match(
            expression, join=JOIN, condition=condition, limit=limit, share=share
        )

    def newest(self, limit: int, *, of_day: bool = False, **filters: Any) -> list[int]:
        """Return the newest messages of a day; nothing without *of_day*, as turns are too many."""
        db = self.db
        if db is None or not of_day:
            return []
        condition = self.make_filter(**filters)
        return db.column(
            "select turns.key from turns join sessions on sessions.key = turns.session"
            f" where {condition.sql} and turns.role in ('user', 'assistant') and turns.text <> ''"
            f" and turns.flags & {SYNTHETIC | SUMMARY | CALL | RESULT} = 0"
            " order by turns.at desc, turns.key desc limit :limit",
            {**condition.params, "limit": limit},
        )

    def frequencies(self, terms: Collection[str], **filters: Any) -> Mapping[str, int]:
        db = self.db
        if db is None or not terms:
            return {}
        if self._context.access.is_operator:
            return self._texts(db).frequencies(terms)
        return self._texts(db).frequencies(
            terms, join=JOIN, condition=self.make_filter(**filters), share=0.05
        )

    def complete(self, beginning: str, limit: int) -> Sequence[str]:
        return self._texts(self.db).complete(beginning, limit) if self.db is not None else ()

    def count(self, **filters: Any) -> int:
        """Return the number of turns; for an agent at most MAX_COUNTED."""
        db = self.db
        if db is None:
            return 0
        if self._context.access.is_operator:
            return self._texts(db).count()
        condition = self.make_filter()
        counted: int = db.value(
            "select count(*) from (select 1 from sessions"
            f" join turns on turns.session = sessions.key where {condition.sql} limit :limit)",
            {**condition.params, "limit": MAX_COUNTED},
        )
        return counted

    def discard_damaged(self, error: DamagedError) -> bool:
        """Delete the index if *error* says that it is damaged; `sessions sync` rebuilds it.

        Returns:
            Whether it was deleted.
        """
        self._full_text = None
        return self._discard(error)

    def documents(self, keys: Sequence[int]) -> list[Document]:
        db = self.db
        if db is None or not keys:
            return []
        access = self._context.access.sessions()
        rows = db.execute(
            "select turns.key, turns.line, part, at, role, text, tool, flags, sessions.id,"
            " agent_id, crew_id, sessions.program, project, logs.path,"
            " exists (select 1 from touched where turn = turns.key and is_change)"
            " from turns join sessions on sessions.key = turns.session"
            " join logs on logs.key = turns.log"
            f" where turns.key in (select value from json_each(:keys)) and {access.sql}",
            {"keys": keys, **access.params},
        )
        found = []
        for key, line, part, at, role, text, tool, flags, session, agent, crew, *rest in rows:
            program, project, path, is_change = rest
            origin = "external" if flags & RESULT else "agent"
            if role == USER and not flags & (SYNTHETIC | SIDECHAIN | SUMMARY):
                origin = "operator"
            first = " ".join(text[: 4 * TITLE_LENGTH].split())
            found.append(
                Document(
                    store="sessions",
                    key=key,
                    ref=f"{session}:{line}",
                    title=cut_at_word(f"{tool}: {first}" if tool else first, TITLE_LENGTH),
                    text=text,
                    at=at,
                    scope="agent" if agent else "workspace",
                    owner=(f"{crew}/{agent}" if crew else agent) if agent else "",
                    kind=role,
                    origin=origin,
                    extra={
                        "session": session,
                        "turn": line,
                        "part": part,
                        "program": program,
                        "project": project,
                        "tool": tool,
                        "file": path,
                        "voice": _find_voice(role, flags, is_change),
                    },
                )
            )
        return found

    def make_filter(self, **filters: Any) -> Filter:
        """Return the SQL condition for turns.

        Args:
            filters: The names in CONDITIONS; also ``as_of``, ``project``, ``file`` (a path, or the
                end of one, that a call read or changed) and ``command`` (words of a command; the
                last may be incomplete). Filters of other stores are ignored.
        """
        access = self._context.access.sessions()
        wanted = {name: value for name, value in filters.items() if value}
        if ends := [wanted[name] for name in ("until", "as_of") if name in wanted]:
            wanted["until"] = min(ends)
        conditions = [access.sql, *(CONDITIONS[name] for name in wanted if name in CONDITIONS)]
        params: dict[str, Any] = {**access.params, **wanted}
        if project := wanted.get("project"):
            params["below"] = project.rstrip("/") + "/"
        if file := wanted.get("file"):
            params["file_name"] = file.rpartition("/")[2].lower()
            params["file_end"] = "/" + file.removeprefix("./").lstrip("/")
        if command := wanted.get("command"):
            params["pattern"] = match_command(command)
        return Filter(" and ".join(conditions), params)


def match_command(text: str) -> str:
    """Return the GLOB pattern of commands that contain *text* at the start of a word.

    >>> match_command("go test"), match_command("--all")
    ('*[^a-z0-9_]go test*', '*--all*')
    """
    literal = re.sub(r"[\[*?]", r"[\g<0>]", text)
    word_start = "[^a-z0-9_]" if text[:1].isalnum() else ""
    return f"*{word_start}{literal}*"


def _find_voice(role: str, flags: int, is_change: int) -> str:
    """Return who speaks in a turn, which weighs its words; see `search.turns`."""
    if flags & (SYNTHETIC | SUMMARY):
        return "program"
    if flags & CALL:
        return "change" if is_change else "call"
    return {USER: "person", ASSISTANT: "agent"}.get(role, "output")


class SessionNames(VectorSource):
    """The sessions that an actor may read, each as one text of its messages.

    Args:
        db: The index of sessions.
    """

    def __init__(self, db: Database, access: Access) -> None:
        self._db = db
        self._readable = access.sessions()

    def vector_state(self) -> str:
        row = self._db.one(
            "select count(*), coalesce(sum(turns), 0), coalesce(max(last_at), '') from sessions"
            f" where {self._readable.sql}",
            self._readable.params,
        )
        return json.dumps(list(row or ()))

    def visible_vector_keys(
        self, *, crew: str | None = None, agent: str | None = None, **_: Any
    ) -> Mapping[int, int]:
        """Return the row of each session by a key that changes whenever the session grows."""
        rows = self._db.execute(
            f"select {STAMP}, key from sessions where {self._readable.sql}"
            " and (:crew is null or crew_id = :crew) and (:agent is null or agent_id = :agent)",
            {**self._readable.params, "crew": crew, "agent": agent},
        )
        return {vector_key(stamp): row for stamp, row in rows}

    def texts_of_vectors(self, vector_keys: Collection[int]) -> Iterable[tuple[int, str]]:
        """Yield (key, title and messages) of those of *vector_keys* that are current."""
        known = self.visible_vector_keys()
        for key in vector_keys:
            if key in known:
                yield key, "\n".join(self._read(known[key]))

    def sample_texts(self, limit: int) -> Sequence[str]:
        """Return nothing: turns are not embedded."""
        return []

    def documents(self, keys: Sequence[int]) -> list[Document]:
        found = []
        for key, ref, at, agent, program in self._db.execute(
            "select key, id, last_at, coalesce(agent_id, ''), program from sessions"
            f" where {self._readable.sql} and key in (select value from json_each(:keys))",
            {**self._readable.params, "keys": keys},
        ):
            title, *messages = self._read(key)
            found.append(
                Document(
                    store="sessions",
                    key=key,
                    ref=ref,
                    title=title,
                    text="\n".join(messages),
                    at=at,
                    scope="agent",
                    owner=agent,
                    kind=program,
                    origin="agent",
                )
            )
        return found

    def _read(self, session: int) -> Iterator[str]:
        """Yield the title of a session and its messages, up to `NAMES_LENGTH` characters."""
        yield str(self._db.value("select title from sessions where key = ?", (session,)))
        remaining = NAMES_LENGTH
        for (text,) in self._db.execute(
            "select text from turns where session = ? and role in ('user', 'assistant')"
            f" and flags & {SYNTHETIC | CALL | RESULT} = 0 order by line, part",
            (session,),
        ):
            yield text[:remaining]
            remaining -= len(text)
            if remaining <= 0:
                break
