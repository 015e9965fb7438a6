"""Reading the logs of agent programs, and learning from them: `home.sessions.logs`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem.errors import DamagedError
from crewmem.security.secrets import redact
from crewmem.sessions.context_loss import record_loss
from crewmem.sessions.extract import Extractor
from crewmem.sessions.index import LogRow, SessionIndex
from crewmem.sessions.log_reader import LogReader
from crewmem.sessions.logs import FoundLog, Roots, list_roots, list_unindexed
from crewmem.sessions.reading_report import LearnedFact, ReadingReport
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import SESSIONS_SCHEMA, open_in_memory, transaction
from crewmem.text.wording import count

if TYPE_CHECKING:
    from crewmem.home import Home


class SessionLogs:
    """The logs that agent programs wrote."""

    def __init__(self, home: Home) -> None:
        self._home, self.context, self._sessions = home, home.context, home.sessions

    def sync(
        self,
        *,
        program: str = "auto",
        root: Path | None = None,
        session: str = "",
        agent: str | None = None,
        from_now: bool = False,
        extract: bool = True,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReadingReport:
        """Index new content of the logs, keep copies, and extract facts.

        Args:
            program: Program whose logs are read; ``auto`` for all.
            root: A directory or log to read instead of the programs' own locations.
            session: The only session to read: the program's id, or an id ``s_…`` or its prefix.
            agent: Owner of the sessions; None to determine it for each.
            from_now: Whether to skip the present content of new logs.
            extract: Whether to extract facts.
            dry_run: Whether to write nothing.
            progress: Called with the number of bytes examined so far, and 0 as the unknown total.

        Raises:
            UsageError: If the program is unknown.
            NotFoundError: If *session* begins with ``s_`` and does not exist.
        """
        if session.startswith("s_"):
            session = self._sessions.get(session).id
        roots = list_roots(Path.home(), self.context.environ, program, root)
        make_reader = partial(
            LogReader,
            self.context,
            agent=agent,
            from_now=from_now,
            session=session,
            progress=progress,
        )
        if dry_run:
            return self._plan_sync(make_reader, roots, extract=extract)
        with lock(self.context.lock_path("sessions")):
            try:
                return self._run_sync(make_reader, roots, extract=extract)
            except DamagedError as error:
                if not self._sessions.discard_damaged(error):
                    raise
                return self._run_sync(make_reader, roots, extract=extract)

    def _plan_sync(
        self, make_reader: Callable[..., LogReader], roots: Roots, *, extract: bool
    ) -> ReadingReport:
        """Return the report that a sync would give: new turns are read into memory."""
        index = SessionIndex(open_in_memory(SESSIONS_SCHEMA))
        if (known := self._sessions.open_index()) is not None:
            index.copy_logs(known)
        reader = make_reader(index, record_loss=lambda *loss: True, copies=None)
        reader.read_all(roots)
        if extract:
            learned = self._extract(index, reader.read_logs, is_dry=True)
            if known is not None:  # turns that were indexed before but not extracted from
                documents = {log.id for log in reader.read_logs if log.is_document}
                pending = SessionIndex(known).list_pending(self.context)
                pending = [log for log in pending if log.id not in documents]
                learned += self._extract(SessionIndex(known), pending, is_dry=True)
            reader.report.learned = learned
        return self._finish_report(reader.report)

    def _run_sync(
        self, make_reader: Callable[..., LogReader], roots: Roots, *, extract: bool
    ) -> ReadingReport:
        """Read logs, and kept copies that are missing from the index, and extract facts."""
        context, index = self.context, SessionIndex(self._sessions.open_for_writing())
        copies = self._sessions.copies
        reader = make_reader(
            index,
            record_loss=partial(record_loss, context.as_system("extract"), self._home.journal),
            copies=copies if context.settings["sessions.keep"] else None,
        )
        reader.read_all(roots)
        if not reader.session:
            reader.read_copies(copies)
        if reader.moved or reader.newly_skipped:
            with transaction(context.db):
                context.db.executemany(
                    "insert or ignore into forgotten values (?)", [(i,) for i in reader.moved]
                )
                context.db.executemany(
                    "insert or replace into skipped_logs values (?, ?, ?, ?)",
                    [(log.id, log.offset, log.line, log.mark) for log in reader.newly_skipped],
                )
        if reader.from_now or extract:
            logs = index.list_pending(context)
            reader.report.learned = self._extract(index, logs, skip=reader.from_now)
        return self._finish_report(reader.report)

    def list_unindexed(self) -> list[FoundLog]:
        """Return the logs with content that is not indexed."""
        context = self.context
        forgotten = set(context.db.column("select id from forgotten"))
        return list_unindexed(self._sessions.open_index(), forgotten, Path.home(), context.environ)

    def _finish_report(self, report: ReadingReport) -> ReadingReport:
        """Warn about skipped lines and files, and count the retry queue."""
        for problem in report.problems:
            where = f"{problem.file}:{problem.line}" if problem.line else problem.file
            self.context.warn("log-skipped", redact(f"{where} was skipped: {problem.reason}"))
        for kind, number in report.unknown.items():
            lines = count(number, "line")
            self.context.warn(
                "unknown-lines", redact(f"skipped {lines} of the unknown type '{kind}'")
            )
        report.waiting = self.context.db.value(
            "select count(*) from extraction_retries where workspace_id = ?",
            (self.context.workspace,),
        )
        return report

    def _extract(
        self,
        index: SessionIndex,
        logs: list[LogRow],
        *,
        is_dry: bool = False,
        skip: bool = False,
    ) -> list[LearnedFact]:
        """Extract facts from logs, and process the retry queue of the language model.

        The queue is of all sessions, so only operators and jobs process it.

        Args:
            is_dry: Whether to store nothing.
            skip: Whether to move the cursors to the end without extracting.
        """
        if not logs and self.context.settings["llm"] == "none":
            return []
        extractor = Extractor(index, self._home.as_system("extract"), is_dry=is_dry)
        if skip:
            for log in logs:
                extractor.skip(log)
            return []
        learned = [each for log in logs for each in extractor.extract(log)]
        return [*learned, *(extractor.retry() if self.context.access.is_operator else ())]
