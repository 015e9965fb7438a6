"""Searching sessions: hits in their context, grouped by session; what failed and what fixed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crewmem.context import Context
from crewmem.documents import Document
from crewmem.search.hit import FoundHit
from crewmem.search.relevance import label_relevance
from crewmem.search.snippet import MARK_END, MARK_START, make_snippet
from crewmem.search.sources import Source
from crewmem.search.turns import rank_turns
from crewmem.security import Scanner
from crewmem.sessions.index import get_program
from crewmem.sessions.source import SessionSource, escape_like, match_path
from crewmem.sessions.turns import ASSISTANT, CALL, RESULT, TOOL, USER
from crewmem.storage.sqlite import Database
from crewmem.text.wording import cut_at_word

CONTEXT_TURNS = 1
"""Turns before and after a hit that are shown."""

EXPLANATION_REACH = 40
"""Lines before a call in which the words are looked for that explain it."""

BRIEF_LENGTH = 200


@dataclass(slots=True)
class Brief:
    """A turn beside a hit.

    Attributes:
        ref: ``s_…:line``.
        exit_status: Of a command; None when unknown.
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
    """A turn that was found.

    Attributes:
        file: The log; *turn* is its line there.
        before: Turns before it, the nearest last.
        explained_by: What was last said before a call.
        fixed_by: Of a failing command, the next call of the same command that succeeded.
    """

    session: str
    turn: int
    program: str
    project: str
    tool: str
    file: str
    before: list[Brief] = field(default_factory=list)
    after: list[Brief] = field(default_factory=list)
    explained_by: Brief | None = None
    fixed_by: Brief | None = None
    exit_status: int | None = None

    @property
    def cosine(self) -> None:
        """Turns are found by words: they have no cosine."""


@dataclass(slots=True)
class SessionSearch:
    """The answer.

    Attributes:
        hits: Best first; people see them grouped by session.
        sessions: Ids of their sessions, the best first.
    """

    mode: str
    hits: list[SessionHit]
    sessions: list[str]

    @property
    def has_relevant(self) -> bool:
        """Whether there is a sure or unsure hit."""
        return any(hit.label != "weak" for hit in self.hits)


class SessionFinder:
    """Finds turns in the index."""

    def __init__(self, context: Context, source: SessionSource) -> None:
        self.context, self.source = context, source

    def find(
        self,
        query: str,
        *,
        limit: int = 10,
        mode: str = "hybrid",
        include_all: bool = False,
        explain: bool = False,
        min_relevance: float | None = None,
        filters: dict[str, Any] | None = None,
    ) -> SessionSearch:
        """Return what answers *query*; without words, the newest turns that pass the filters."""
        bound = {name: value for name, value in (filters or {}).items() if value}
        db = self.source.db
        if db is None:
            return SessionSearch("sparse", [], [])
        if query.strip():
            mode = "sparse"
            hits = self._rank(query, bound, limit, include_all, explain, min_relevance)
        else:
            hits = self._list(db, bound, limit)
            mode = "filter"
        hits = hits[:limit]
        for hit in hits:
            self._add_context(db, hit, bound)
        order = list(dict.fromkeys(hit.session for hit in hits))
        return SessionSearch(mode, hits, order)

    def _rank(
        self,
        text: str,
        filters: dict[str, Any],
        limit: int,
        include_all: bool,
        explain: bool,
        min_relevance: float | None,
    ) -> list[SessionHit]:
        """Return the turns that answer a query, best first."""
        settings = self.context.settings
        pull = float(settings["recall.min_relevance"]) if min_relevance is None else min_relevance
        push = max(pull, float(settings["hooks.min_relevance"]))
        source = Source("sessions", self.source, filters=filters)
        hits: list[SessionHit] = []
        for turn in rank_turns(source, text, limit=limit, least=0.0 if include_all else pull):
            relevance, why = turn.relevance, turn.why
            if explain:
                why["explain"] = turn.explain()
            label = label_relevance(relevance, pull, push)
            snippet = make_snippet(turn.document.text, turn.terms)
            hits.append(
                _make_hit(
                    self.context.scanner, turn.document, snippet, turn.score, why, relevance, label
                )
            )
        return hits

    def _list(self, db: Database, filters: dict[str, Any], limit: int) -> list[SessionHit]:
        """Return the newest turns that pass the filters: calls where files or commands count."""
        condition = self.source.make_filter(**filters)
        only = ""
        if any(filters.get(name) for name in ("file", "command", "failed")):
            only = " and turns.flags & 8 = 8"
            if filters.get("file"):
                # What changed the file first: reading it is not an answer to what was done to it.
                only += (
                    " order by (select is_change from touched where touched.turn = turns.key"
                    " order by name = :file_name desc, is_change desc limit 1) desc,"
                )
        order = only if "order by" in only else f"{only} order by"
        rows = db.all(
            "select turns.key from turns join sessions on sessions.key = turns.session"
            f" where {condition.sql}{order} turns.at desc, turns.key desc limit :limit",
            {
                **condition.params,
                "limit": limit,
                **(match_path(filters["file"]) if filters.get("file") else {}),
            },
        )
        documents = {each.key: each for each in self.source.documents([key for (key,) in rows])}
        hits = []
        for (key,) in rows:
            if (each := documents.get(key)) is None:
                continue
            text = cut_at_word(" ".join(each.text.split()), BRIEF_LENGTH)
            hits.append(_make_hit(self.context.scanner, each, text, 0.0, {}, 1.0, "sure"))
        return hits

    def _add_context(self, db: Database, hit: SessionHit, filters: dict[str, Any]) -> None:
        """Add the turns around a hit, what explains a call, and what fixed a failure."""
        row = db.one(
            "select turns.key, turns.session, turns.line, turns.part, turns.flags from turns"
            " join sessions on sessions.key = turns.session"
            " where sessions.id = ? and turns.line = ? and turns.role = ?"
            " order by turns.tool = ? desc, turns.part limit 1",
            (hit.session, hit.turn, hit.kind, hit.tool),
        )
        if row is None:
            return
        key, session, line, part, flags = row
        hit.before = self._read_around(db, hit.session, session, line, part, before=True)
        hit.after = self._read_around(db, hit.session, session, line, part, before=False)
        if not flags & (CALL | RESULT):
            return
        call = db.one(
            "select turn, command, failed, exit_status from calls where turn = ? or result = ?",
            (key, key),
        )
        if call is None:
            return
        turn, command, failed, hit.exit_status = call
        hit.explained_by = self._find_explanation(db, hit.session, session, turn)
        if failed and command:
            hit.fixed_by = self._find_fix(db, hit.session, session, turn, command)
        if filters.get("failed") and hit.kind == TOOL and command:
            output = db.value(
                "select text from turns where key = (select result from calls where turn = ?)",
                (turn,),
            )
            if output and not hit.why:
                tail = " ".join(output[-BRIEF_LENGTH:].split())
                hit.snippet = self.context.scanner.make_safe(
                    f"{hit.snippet} → {tail}", file=hit.file
                ).text

    def _read_around(
        self, db: Database, identifier: str, session: int, line: int, part: int, *, before: bool
    ) -> list[Brief]:
        sign, order = ("<", "desc") if before else (">", "asc")
        rows = db.all(
            "select line, at, role, tool, text from turns where session = ?"
            f" and (line, part) {sign} (?, ?) and text <> ''"
            f" order by line {order}, part {order} limit ?",
            (session, line, part, CONTEXT_TURNS),
        )
        found = [make_brief(self.context.scanner, identifier, *row) for row in rows]
        return found[::-1] if before else found

    def _find_explanation(
        self, db: Database, identifier: str, session: int, turn: int
    ) -> Brief | None:
        """Return what was last said before a call: it says why."""
        row = db.one(
            "select line, at, role, tool, text from turns where session = :session"
            " and role in (:user, :assistant) and text <> '' and flags & 1 = 0 and key < :turn"
            " and line >= (select line from turns where key = :turn) - :reach"
            " order by line desc, part desc limit 1",
            {
                "session": session,
                "user": USER,
                "assistant": ASSISTANT,
                "turn": turn,
                "reach": EXPLANATION_REACH,
            },
        )
        return None if row is None else make_brief(self.context.scanner, identifier, *row)

    def _find_fix(
        self, db: Database, identifier: str, session: int, turn: int, command: str
    ) -> Brief | None:
        """Return the next call of the same command that succeeded."""
        program = get_program(command)
        if not program:
            return None
        wanted = shape_command(command)
        rows = db.execute(
            "select turns.line, turns.at, turns.role, turns.tool, calls.command, calls.exit_status"
            " from turns join calls on calls.turn = turns.key"
            " where turns.session = ? and turns.key > ? and calls.failed = 0"
            " and calls.command like ? escape '\\' order by turns.line, turns.part limit 50",
            (session, turn, f"%{escape_like(program)}%"),
        )
        for line, at, role, tool, text, status in rows:
            if shape_command(text) == wanted:
                brief = make_brief(self.context.scanner, identifier, line, at, role, tool, text)
                brief.exit_status, brief.failed = status, False
                return brief
        return None


def shape_command(command: str) -> tuple[str, ...]:
    """Return what two runs of the same command have in common: program and subcommand.

    >>> shape_command("cd /srv && npm run test -- --watch=false") == shape_command("npm run test")
    True
    """
    program = get_program(command)
    words = command[command.find(program) + len(program) :].split() if program else []
    named = [word for word in words if not word.startswith("-") and "/" not in word]
    runners = {
        "npm",
        "npx",
        "pnpm",
        "yarn",
        "uv",
        "poetry",
        "cargo",
        "go",
        "python",
        "python3",
        "make",
        "docker",
        "git",
        "bun",
        "mise",
        "dotnet",
        "gradle",
        "mvn",
    }
    count = 2 if program in ("npm", "pnpm", "yarn", "uv", "poetry") else 1
    return (program, *named[:count]) if program in runners else (program,)


def group_hits(hits: Sequence[SessionHit]) -> list[SessionHit]:
    """Order hits by session, that of the best hit first."""
    order: dict[str, int] = {}
    for hit in hits:
        order.setdefault(hit.session, len(order))
    return sorted(hits, key=lambda hit: order[hit.session])


def _make_hit(
    scanner: Scanner,
    document: Document,
    snippet: str,
    score: float,
    why: dict[str, Any],
    relevance: float,
    label: str,
) -> SessionHit:
    extra = document.extra
    return SessionHit(
        ref=document.ref,
        store="sessions",
        scope=document.scope,
        owner=document.owner,
        title=document.title,
        snippet=_make_safe(scanner, document, snippet),
        score=score,
        at=document.at,
        why=why,
        relevance=relevance,
        label=label,
        origin=document.origin,
        kind=document.kind,
        session=extra["session"],
        turn=extra["turn"],
        program=extra["program"],
        project=extra["project"],
        tool=extra["tool"],
        file=extra["file"],
    )


def _make_safe(scanner: Scanner, document: Document, snippet: str) -> str:
    """Return a snippet without attacks; the marks of matches stay where there are none."""
    plain = snippet.replace(MARK_START, "").replace(MARK_END, "")
    extra = document.extra
    safe = scanner.make_safe(plain, file=extra["file"], first_line=extra["turn"]).text
    return snippet if safe == plain else safe


def make_brief(
    scanner: Scanner, session: str, line: int, at: str, role: str, tool: str, text: str
) -> Brief:
    """Return a turn on one line, safe to show."""
    short = cut_at_word(" ".join(text.split()), BRIEF_LENGTH)
    safe = scanner.make_safe(short, first_line=line).text
    return Brief(f"{session}:{line}", at, role, tool, safe)
