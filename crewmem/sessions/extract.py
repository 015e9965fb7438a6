"""Extraction of facts from sessions.

A fact has the origin class of its turn, whoever runs the extraction; what an agent repeats from a
tool's output is external. A statement is extracted once, even if its fact was purged or rejected
since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.facts.fact import Fact
from crewmem.review.contradictions import Contradiction, add_contradiction
from crewmem.search.entities import find_entities
from crewmem.sessions.index import LogRow, SessionIndex, SpokenTurn, read_speech
from crewmem.sessions.model import (
    ask_model,
    delete_retry,
    is_worth_asking,
    list_due,
    schedule_retry,
    split_windows,
)
from crewmem.sessions.reading_report import LearnedFact
from crewmem.sessions.speech import PATTERNS
from crewmem.sessions.takeaways import Takeaway, find_takeaways, hash_statement
from crewmem.sessions.turns import USER
from crewmem.storage.sqlite import transaction
from crewmem.text.repetition import SimilarTexts
from crewmem.text.similarity import SAME_STATEMENT
from crewmem.text.statements import Statement

if TYPE_CHECKING:
    from crewmem.home import Home

MAX_COMPARED = 500
"""Maximum facts of an owner, the newest, that a statement is compared with."""

IMPORTANT_KINDS = ("decision", "correction", "preference", "lesson")
"""Kinds that have importance 4 if a person says them. An agent's plain fact has 2, all others 3."""

CONTEXT_TURNS = 12
"""Number of earlier turns that are read again: new turns may answer or retract them."""

MIN_BATCH = 500
"""Minimum turns per transaction. A batch ends before a person's turn. A killed run repeats at most
one."""

MAX_ENTITIES = 8


class SessionInfo(NamedTuple):
    """The session of a log."""

    id: str
    agent: str | None
    crew: str | None
    project: str


class Extractor:
    """Extracts facts from indexed logs."""

    def __init__(
        self,
        index: SessionIndex,
        home: Home,
        *,
        is_dry: bool = False,
    ) -> None:
        """Extract from *index*.

        Args:
            home: The home as the system actor, so that a fact has the origin of its turn and not of
                the caller. Its language model, if any, replaces the classifier.
            is_dry: Whether to store nothing and call no model.
        """
        self.index, self.context, self.is_dry = index, home.context, is_dry
        self.facts, self.review = home.facts, home.review_items
        self.llm = None if is_dry else home.llm

    def extract(self, log: LogRow) -> list[LearnedFact]:
        """Extract new facts from a log. The facts of a batch and the cursor are one transaction."""
        session = self._get_session(log)
        if session is None:
            return []
        line = 0
        # All of a document is read: its messages may have changed.
        if not log.is_document:
            cursor = "select line from extraction_cursors where log_id = ?"
            line = self.context.db.value(cursor, (log.id,)) or 0
        earlier = (
            read_speech(self.index.db, log.key, until=line, last=CONTEXT_TURNS) if line else []
        )
        batches = _split_batches(read_speech(self.index.db, log.key, line))
        seen = SimilarTexts(SAME_STATEMENT)
        learned: list[LearnedFact] = []
        for number, batch in enumerate(batches, 1):
            if self.llm:
                takeaways = self._ask_model(batch, log, session)
            else:
                takeaways = find_takeaways(batch, earlier, seen)
            earlier = [*earlier, *batch][-CONTEXT_TURNS:]
            if self.is_dry:
                new = (each for each in takeaways if self._is_new(each, session))
                learned += [self._describe(each, log, session) for each in new]
                continue
            with transaction(self.context.db):
                learned += self._learn_all(takeaways, log, session)
                if number == len(batches):
                    self._move_cursor(log, log.line)
                elif not log.is_document:
                    self._move_cursor(log, batch[-1].line)
        return learned

    def _ask_model(
        self, turns: list[SpokenTurn], log: LogRow, session: SessionInfo
    ) -> list[Takeaway]:
        """Ask the language model. If a call fails, use the classifier and schedule a retry."""
        found: list[Takeaway] = []
        for window in split_windows(turns):
            if not is_worth_asking(window):
                continue
            try:
                found += self._ask_window(window)
            except CrewmemError as error:
                self.context.warn("llm-failed", error.message, error.hint)
                found += find_takeaways(window)
                schedule_retry(self.context, log.id, session.id, window, error.message)
        return found

    def _ask_window(self, window: list[SpokenTurn]) -> list[Takeaway]:
        assert self.llm is not None
        return [
            Takeaway(
                statement=Statement(quoted.quote),
                turn=quoted.turn,
                kind=quoted.kind,
                probability=0.9,
                hash=hash_statement(quoted.quote, quoted.turn.role),
                is_for_all=PATTERNS["for_all"].search(quoted.quote) is not None,
                content=quoted.content,
            )
            for quoted in ask_model(self.llm, window)
        ]

    def retry(self) -> list[LearnedFact]:
        """Ask the language model again about the windows that are due."""
        learned: list[LearnedFact] = []
        if self.is_dry or self.llm is None:
            return learned
        logs = {row.id: row for row in self.index.list_logs()}
        for due in list_due(self.context):
            log = logs.get(due.log_id)
            session = self._get_session(log) if log is not None else None
            if log is None or session is None:
                delete_retry(self.context, due)
                continue
            turns = read_speech(self.index.db, log.key, due.first_line - 1)
            window = [turn for turn in turns if turn.line <= due.last_line]
            try:
                takeaways = self._ask_window(window) if window else []
            except CrewmemError as error:
                schedule_retry(self.context, log.id, session.id, window, error.message)
                continue
            with transaction(self.context.db):
                learned += self._learn_all(takeaways, log, session)
                delete_retry(self.context, due)
        return learned

    def skip(self, log: LogRow) -> None:
        """Move the cursor to the end of a log without extracting anything."""
        with transaction(self.context.db):
            self._move_cursor(log, log.line)

    def _get_session(self, log: LogRow) -> SessionInfo | None:
        row = self.index.db.one(
            "select id, agent_id, crew_id, project from sessions where key = ?",
            (log.session,),
        )
        return None if row is None else SessionInfo(*row)

    def _is_new(self, takeaway: Takeaway, session: SessionInfo) -> bool:
        """Return whether a statement was never extracted from its session."""
        known = self.context.db.one(
            "select 1 from fact_evidence where workspace_id = ? and statement = ?"
            " and session_id = ?",
            (self.context.workspace, takeaway.hash, session.id),
        )
        return known is None

    def _describe(self, takeaway: Takeaway, log: LogRow, session: SessionInfo) -> LearnedFact:
        turn = takeaway.turn
        is_person = turn.role == USER
        importance = 4 if is_person and takeaway.kind in IMPORTANT_KINDS else 3
        if not is_person and takeaway.kind == "fact":
            importance = 2
        origin = "operator" if is_person else "agent"
        if not is_person and log.session is not None:
            if self.index.repeats_tool_output(log.session, takeaway.statement.text):
                origin = "external"
        return LearnedFact(
            text=takeaway.text,
            kind=takeaway.kind,
            evidence=[
                {
                    "file": log.path,
                    "line": turn.line,
                    "session": session.id,
                    "message_id": turn.message_id,
                    "at": turn.at,
                    "role": turn.role,
                    "quote": takeaway.statement.text,
                }
            ],
            origin=origin,
            importance=importance,
            confidence=round((0.9 if is_person else 0.75) * min(takeaway.probability, 0.98), 2),
            entities=[each.name for each in find_entities(takeaway.text)][:MAX_ENTITIES],
            scope="agent" if session.agent else "workspace",
        )

    def _learn_all(
        self, takeaways: Iterable[Takeaway], log: LogRow, session: SessionInfo
    ) -> list[LearnedFact]:
        """Store new takeaways, within the open transaction."""
        stored = [
            self._learn(each, log, session) for each in takeaways if self._is_new(each, session)
        ]
        return [each for each in stored if each is not None]

    def _learn(self, takeaway: Takeaway, log: LogRow, session: SessionInfo) -> LearnedFact | None:
        """Store a takeaway as a fact with its evidence."""
        learned = self._describe(takeaway, log, session)
        earlier = self._find_contradicted(takeaway, learned, session)
        is_corrected = earlier is not None and _may_supersede(takeaway, learned, earlier)
        topic = earlier.topic_key if earlier is not None and is_corrected else None
        try:
            added = self.facts.add(
                learned.text,
                kind=learned.kind,
                title=takeaway.title,
                importance=learned.importance,
                confidence=learned.confidence,
                origin=learned.origin,
                entities=learned.entities,
                occurred_at=takeaway.turn.at or None,
                session=session.id,
                project=session.project if 0 < len(session.project) <= 200 else None,
                metadata={"learned_from": "session"},
                topic_key=topic,
                scope=learned.scope,
                agent=session.agent,
                spans=learned.evidence,
            )
        except CrewmemError as error:
            if error.code != "quarantined":
                where = f"{log.path}:{takeaway.turn.line}"
                self.context.warn("fact-refused", f"{where}: {error.message}")
                return None
            learned.id, learned.action = str(error.details.get("id", "")), "quarantined"
            self._store_evidence(learned.id, takeaway, log, session)
            return learned
        fact = added.fact
        learned.id, learned.action = added.id, added.action
        self._store_evidence(added.id, takeaway, log, session)
        if added.action == "unchanged" and learned.evidence[0] not in fact.spans:
            spans = [*fact.spans, *learned.evidence]
            self.facts.table.update(fact, {"source_spans": spans}, reason="repeated in a session")
        if earlier is not None and topic is None and earlier.id != added.id:
            if is_corrected:
                self.facts.supersede(earlier.id, by=added.id, reason="corrected in a session")
                learned.action = "superseded"
            else:
                item = self._add_contradiction(earlier, fact, learned, session)
                learned.review.append(item)
        if takeaway.is_for_all and session.agent and session.crew and added.action == "created":
            item = self.review.add(
                "fact",
                fact.title,
                payload={"to": f"crew:{session.crew}"},
                crew=session.crew,
                agent=session.agent,
                fact_id=fact.id,
                key=f"scope {fact.id}",
            )
            learned.review.append(item)
        return learned

    def _find_contradicted(
        self, takeaway: Takeaway, learned: LearnedFact, session: SessionInfo
    ) -> Fact | None:
        """Return the earlier fact that a statement retracts or contradicts."""
        by_ids = self.facts.table.by_ids
        if takeaway.replaces:
            query = "select fact_id from fact_evidence where session_id = ? and statement = ?"
            rows = self.context.db.execute(query, (session.id, takeaway.replaces))
            return next((fact for (each,) in rows for fact in by_ids([each]).values()), None)
        latest = self.facts.list_texts(scope=learned.scope, agent=session.agent, limit=MAX_COMPARED)
        for fact_id, text, project in latest:
            if _may_share_project(project or "", session.project) and takeaway.contradicts(text):
                return by_ids([fact_id])[fact_id]
        return None

    def _add_contradiction(
        self, earlier: Fact, fact: Fact, learned: LearnedFact, session: SessionInfo
    ) -> str:
        """Put two facts that contradict each other into review; return the id of the item."""
        a, b = (
            {"text": each.content, "title": each.title, "fact": each.id, "evidence": list(evidence)}
            for each, evidence in ((earlier, earlier.spans), (fact, learned.evidence))
        )
        contradiction = Contradiction(a, b, session.crew or "", session.agent or "")
        return add_contradiction(self.review, contradiction)

    def _store_evidence(
        self, fact_id: str, takeaway: Takeaway, log: LogRow, session: SessionInfo
    ) -> None:
        self.context.db.execute(
            "insert or ignore into fact_evidence (fact_id, session_id, log_id, line, part,"
            " statement, workspace_id) values (?, ?, ?, ?, ?, ?, ?)",
            (
                fact_id,
                session.id,
                log.id,
                takeaway.turn.line,
                takeaway.turn.part,
                takeaway.hash,
                self.context.workspace,
            ),
        )

    def _move_cursor(self, log: LogRow, line: int) -> None:
        self.context.db.execute(
            "insert into extraction_cursors (log_id, workspace_id, line, fingerprint, updated_at)"
            " values (?, ?, ?, ?, ?) on conflict (log_id) do update set line = excluded.line,"
            " fingerprint = excluded.fingerprint, updated_at = excluded.updated_at",
            (log.id, self.context.workspace, line, log.fingerprint, self.context.now_text),
        )


def _may_supersede(takeaway: Takeaway, learned: LearnedFact, earlier: Fact) -> bool:
    """Return whether a statement may supersede an earlier fact that it contradicts.

    Its wording must say so, it must be later, and its speaker must be a person or of the same
    origin as the earlier fact.
    """
    if takeaway.replaces:
        return True
    has_authority = learned.origin == "operator" or earlier.origin == learned.origin
    is_later = not earlier.occurred_at or earlier.occurred_at <= (takeaway.turn.at or "~")
    return has_authority and is_later and takeaway.may_supersede


def _split_batches(turns: Sequence[SpokenTurn]) -> list[list[SpokenTurn]]:
    """Split the turns of a log into batches. There is at least one, which may be empty."""
    batches: list[list[SpokenTurn]] = [[]]
    for turn in turns:
        last = batches[-1]
        if len(last) >= MIN_BATCH and turn.role == USER and turn.line > last[-1].line:
            batches.append([])
        batches[-1].append(turn)
    return batches


def _may_share_project(a: str, b: str) -> bool:
    """Return whether one of two directories contains the other, or one is unknown."""
    return not a or not b or f"{a}/".startswith(f"{b}/") or f"{b}/".startswith(f"{a}/")
