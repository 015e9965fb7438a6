"""Search sessions: turns with their context, and the fix of a failed command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from crewmem.context import Context
from crewmem.errors import DamagedError, check_text
from crewmem.search.hit import FoundHit
from crewmem.search.request import SearchOptions
from crewmem.search.search import Hit, Search
from crewmem.security.scanner import Scanner
from crewmem.sessions.calls import get_program, shape_command
from crewmem.sessions.source import SessionSource
from crewmem.sessions.turns import CALL, SYNTHETIC, USER
from crewmem.storage.sqlite import Database
from crewmem.text.wording import cut_at_word, unmark

CONTEXT_TURNS = 1
"""Number of turns shown before and after a hit."""

EXPLANATION_REACH = 40
"""Maximum lines between a call and the message that explains it."""

BRIEF_LENGTH = 200


@dataclass(slots=True)
class TurnExcerpt:
    """A shortened turn beside a hit.

    Attributes:
        ref: ``s_…:line``.
        exit_status: Exit status of a command; None if unknown.
    """

    ref: str
    at: str
    role: str
    tool: str
    text: str
    exit_status: int | None = None
    failed: bool | None = None


@dataclass(slots=True)
class SessionHit(FoundHit):
    """A turn that matched.

    Attributes:
        turn: Line of the turn in *file*, the log.
        before: Turns before it, the nearest last.
        explained_by: Last message before a call.
        fixed_by: For a failed command, the next call of the same command that succeeded.
    """

    session: str
    turn: int
    program: str
    project: str
    tool: str
    file: str
    before: list[TurnExcerpt] = field(default_factory=list)
    after: list[TurnExcerpt] = field(default_factory=list)
    explained_by: TurnExcerpt | None = None
    fixed_by: TurnExcerpt | None = None
    exit_status: int | None = None

    @property
    def cosine(self) -> None:
        """Always None: turns have no embeddings."""


@dataclass(slots=True)
class SessionSearch:
    """The result of a search.

    Attributes:
        hits: Best first.
        sessions: Ids of their sessions, best first.
        has_weak: Whether weak hits were left out.
    """

    mode: str
    hits: list[SessionHit]
    sessions: list[str]
    has_weak: bool = False

    @property
    def has_relevant(self) -> bool:
        """Whether there is a sure or unsure hit."""
        return any(hit.label != "weak" for hit in self.hits)


class SessionFinder:
    """Finds turns in the index, with the turns around them."""

    def __init__(self, context: Context, source: SessionSource) -> None:
        self.context, self.source = context, source

    def find(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: Mapping[str, Any] | None = None,
        **options: Unpack[SearchOptions],
    ) -> SessionSearch:
        """Return the turns that match *query*; if it is blank, the newest that pass the filters.

        Args:
            options: Options of `Search.find`; the default mode is "sparse".
        """
        check_text("query", query)
        bound = {name: value for name, value in (filters or {}).items() if value}
        try:
            if self.source.db is None:
                return SessionSearch("sparse", [], [])
            return self._find(query, limit, bound, options)
        except DamagedError as error:
            if not self.source.discard_damaged(error):
                raise
            return SessionSearch("sparse", [], [])  # the index is empty now

    @property
    def _db(self) -> Database:
        db = self.source.db
        assert db is not None  # `find` checked it
        return db

    def _find(
        self, query: str, limit: int, filters: dict[str, Any], options: SearchOptions
    ) -> SessionSearch:
        if query.strip():
            search = Search(self.context, {"sessions": lambda: self.source})
            mode = "sparse"
            is_other = options.get("mode", mode) != mode
            if is_other and self.context.settings["embedder"] != "none":
                self.context.warn("sparse-only", "searched by words only: sessions have no vectors")
            options["mode"] = mode
            result = search.find(query, limit=limit, filters=filters, **options)
            found, has_weak = result.hits, result.has_weak
        else:
            mode, found, has_weak = "filter", self._list(filters, limit), False
        hits = [self._make_hit(each, filters) for each in found]
        return SessionSearch(mode, hits, list(dict.fromkeys(hit.session for hit in hits)), has_weak)

    def _list(self, filters: dict[str, Any], limit: int) -> list[Hit]:
        """Return the newest turns that pass the filters; only calls if one is about calls."""
        condition = self.source.make_filter(**filters)
        only, order = "", ""
        if any(filters.get(name) for name in ("file", "command", "failed")):
            only = f" and turns.flags & {CALL}"
        if filters.get("file"):
            # Changes of the file before reads: a read does not show what was done to it.
            order = (
                "(select is_change from touched where touched.turn = turns.key"
                " order by name = :file_name desc, is_change desc limit 1) desc,"
            )
        keys = self._db.column(
            "select turns.key from turns join sessions on sessions.key = turns.session"
            f" where {condition.sql}{only}"
            f" order by {order} turns.at desc, turns.key desc limit :limit",
            {**condition.params, "limit": limit},
        )
        documents = {each.key: each for each in self.source.documents(keys)}
        return [
            Hit.of(
                each,
                snippet=cut_at_word(" ".join(each.text.split()), BRIEF_LENGTH),
                score=0.0,
                why={},
                relevance=1.0,
                label="sure",
            )
            for key in keys
            if (each := documents.get(key)) is not None
        ]

    def _make_hit(self, found: Hit, filters: dict[str, Any]) -> SessionHit:
        """Return a hit with the turns around it, the reason of a call, and the fix of a failure."""
        extra, db = found.extra, self._db
        hit = SessionHit.from_hit(
            found,
            session=extra["session"],
            turn=extra["turn"],
            program=extra["program"],
            project=self.context.scanner.make_safe(extra["project"]).text,
            tool=extra["tool"],
            file=extra["file"],
        )
        hit.title = self.context.scanner.make_safe(hit.title, file=hit.session).text
        hit.snippet = self._make_safe(hit)
        place = {"line": hit.turn, "part": extra["part"]}
        hit.before = self._list_turns(
            hit.session,
            "(line, part) < (:line, :part) order by line desc, part desc",
            CONTEXT_TURNS,
            place,
        )[::-1]
        hit.after = self._list_turns(
            hit.session, "(line, part) > (:line, :part) order by line, part", CONTEXT_TURNS, place
        )
        call = db.one(
            "select turn, command, failed, exit_status, result from calls"
            " where turn = :key or result = :key",
            {"key": found.key},
        )
        if call is None:
            return hit
        turn, command, failed, hit.exit_status, result = call
        # The last message before a call usually gives the reason.
        reasons = self._list_turns(
            hit.session,
            f"role in ('user', 'assistant') and flags & {SYNTHETIC} = 0 and turns.key < :turn"
            " and line >= (select line from turns where key = :turn) - :reach"
            " order by line desc, part desc",
            1,
            {"turn": turn, "reach": EXPLANATION_REACH},
        )
        hit.explained_by = reasons[0] if reasons else None
        if failed and command:
            hit.fixed_by = self._find_fix(hit.session, turn, command)
        if filters.get("failed") and command and not hit.why:
            output = db.value("select text from turns where key = ?", (result,)) or ""
            if tail := " ".join(output[-BRIEF_LENGTH:].split()):
                hit.snippet = self.context.scanner.make_safe(
                    f"{hit.snippet} → {tail}", file=hit.session, first_line=hit.turn, mark=True
                ).text
        return hit

    def _make_safe(self, hit: SessionHit) -> str:
        """Return the snippet without attacks; without match marks if it had any."""
        plain = unmark(hit.snippet)
        is_person = hit.kind == USER
        safe = self.context.scanner.make_safe(
            plain, file=hit.session, first_line=hit.turn, own_tier=is_person, mark=True
        ).text
        return hit.snippet if safe == plain else safe

    def _list_turns(
        self, session: str, condition: str, limit: int, params: Mapping[str, Any]
    ) -> list[TurnExcerpt]:
        """Return turns with text of a session, by an SQL condition with its order."""
        rows = self._db.all(
            "select line, at, role, tool, text from turns"
            " join sessions on sessions.key = turns.session"
            f" where sessions.id = :session and text <> '' and {condition} limit :limit",
            {"session": session, "limit": limit, **params},
        )
        return [make_excerpt(self.context.scanner, session, *row) for row in rows]

    def _find_fix(self, session: str, turn: int, command: str) -> TurnExcerpt | None:
        """Return the next call of the same command that succeeded."""
        program = get_program(command)
        if not program:
            return None
        wanted = shape_command(command)
        rows = self._db.execute(
            "select line, at, role, turns.tool, command, exit_status from turns"
            " join calls on calls.turn = turns.key join sessions on sessions.key = turns.session"
            " where sessions.id = ? and turns.key > ? and failed = 0 and instr(command, ?)"
            " order by line, part limit 50",
            (session, turn, program),
        )
        for line, at, role, tool, text, status in rows:
            if any(shape_command(part) == wanted for part in re.split(r"&&|\|\||;", text)):
                excerpt = make_excerpt(self.context.scanner, session, line, at, role, tool, text)
                excerpt.exit_status, excerpt.failed = status, False
                return excerpt
        return None


def group_hits(hits: Sequence[SessionHit]) -> list[SessionHit]:
    """Sort hits by session; the session of the best hit comes first."""
    order: dict[str, int] = {}
    for hit in hits:
        order.setdefault(hit.session, len(order))
    return sorted(hits, key=lambda hit: order[hit.session])


def make_excerpt(
    scanner: Scanner, session: str, line: int, at: str, role: str, tool: str, text: str
) -> TurnExcerpt:
    """Return a turn on one line, shortened and safe to show."""
    short = cut_at_word(" ".join(text.split()), BRIEF_LENGTH)
    safe = scanner.make_safe(short, first_line=line, own_tier=role == USER, mark=True).text
    return TurnExcerpt(f"{session}:{line}", at, role, tool, safe)
