"""Reading all logs on, for everybody whose they are: what the verb and the job do."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from functools import cached_property

from crewmem.cli.transcripts.extraction import Extraction, How
from crewmem.cli.transcripts.telling import bad_lines, tell_refused, ticking
from crewmem.errors import CrewmemError
from crewmem.errors.database import DatabaseBusyError
from crewmem.errors.transcripts import LogsUnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.app import App
    from crewmem.cli.transcripts.roots import Crews, Where
    from crewmem.transcripts.extract import Means
    from crewmem.transcripts.learn import Learned, Learner
    from crewmem.transcripts.letter import Letter
    from crewmem.transcripts.log import Log, Read
    from crewmem.transcripts.read import Stream
    from crewmem.transcripts.source import Refused, Source

JOB = "extract"


def extract_all(app: App, where: Where, how: How) -> Extraction:
    """Read on in all logs that are meant.

    Raises:
        LogsUnreadableError: If there were some to read, and none of them could be.
    """
    run = _Run(app, where, how)
    letters = run.waiting()
    run.read()
    run.retry(letters)
    done = run.extraction()
    if done.failed and not (done.read or done.unchanged or done.unowned):
        raise LogsUnreadableError(done.failed, run.first_failure)
    return done


class _Run:
    """One reading of all logs."""

    def __init__(self, app: App, where: Where, how: How) -> None:
        from crewmem.cli.transcripts.means import open_desk
        from crewmem.cli.transcripts.owning import Owning
        from crewmem.cli.transcripts.roots import crews
        from crewmem.errors.registry import AgentMissingError

        self._app, self._where, self._how = app, where, how
        self._crews: Crews = crews(app)
        if where.agent and where.agent not in self._crews.agents:
            raise AgentMissingError(where.agent, app.workspace)
        self._desk = open_desk(app, is_plan=how.is_plan)
        self._learned: list[Learned] = []
        self._counts: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        self._first = ""
        self._owning = Owning(app, where, self._crews, self._desk, how)

    @cached_property
    def _means(self) -> Means:
        """What is read and learned with: loaded when there is something to read."""
        from crewmem.cli.llm import choice
        from crewmem.cli.scanner import scanner
        from crewmem.cli.transcripts.means import asker_of, means_of

        how, scan = self._how, scanner(self._app)
        model = choice(self._app, how.llm_command).model
        asker = None if model.is_extract or how.is_plan else asker_of(model, scan)
        return means_of(self._desk, scan, asker, how)

    @property
    def first_failure(self) -> str:
        """Why the first log could not be read that could not; "" if all could."""
        return self._first

    # Reading

    def read(self) -> None:
        """Read on in each log."""
        from crewmem.cli.progress import progress
        from crewmem.cli.transcripts.roots import found
        from crewmem.transcripts.source import Refused

        seen = found(self._app, self._where)
        self._counts["refused"] += len(seen.refused)
        self._tell_refused(seen.refused)
        logs = [*self._logs(seen.sources)]
        self._counts["files"] += len(logs)
        todo = [each for each in logs if not self._is_done(each[1])]
        if self._how.limit is not None:
            todo = todo[max(0, len(todo) - self._how.limit) :]
        total = sum(each[1].size for each in todo)
        done = 0
        doing = "Reading transcripts"
        with progress(self._app.out, doing=doing, unit="KiB") as tick:
            for source, log in todo:
                means = self._means._replace(
                    tick=ticking(tick, done, total),
                    is_past=self._how.is_past and log.cursor is None,
                )
                self._read(source, log, means)
                done += log.size
        for source in seen.sources:
            if source.is_count:
                self._count_losses(source)
        self._owning.tell()
        strange = [Refused(each, UNKNOWN) for each in self._owning.strange]
        self._counts["refused"] += len(strange)
        self._tell_refused(strange)

    def _tell_refused(self, refused: Sequence[Refused]) -> None:
        """Say what was left out; where nobody asked, transcripts status does."""
        if not self._how.is_due:
            tell_refused(self._app, refused)

    def _is_done(self, log: Log) -> bool:
        from crewmem.transcripts.log import is_done

        if not is_done(log):
            return False
        self._counts["unchanged"] += 1
        return True

    def _logs(self, sources: list[Source]) -> Iterator[tuple[Source, Log]]:
        """Yield the logs in *sources*: of a database one for each session."""
        for source in sources:
            if source.is_database:
                yield from self._sessions(source)
            elif not source.is_count:
                yield source, self._log(source, "")

    def _sessions(self, source: Source) -> Iterator[tuple[Source, Log]]:
        from crewmem.transcripts.openclaw_store import sessions

        try:
            every = sessions(source.file)
        except CrewmemError as error:
            self._fail(source.file, error)
            return
        for each in every:
            log = self._log(source, each.name)
            read_to = (log.cursor.offset, log.cursor.tail) if log.cursor else None
            if read_to != (each.newest + 1, each.tail):
                yield source, log
            else:
                self._counts["files"] += 1
                self._counts["unchanged"] += 1

    def _log(self, source: Source, session: str) -> Log:
        from crewmem.transcripts import cursor_store
        from crewmem.transcripts.formats import HARNESSES, named, openclaw
        from crewmem.transcripts.log import Log

        db, workspace = self._desk.memories.db, self._desk.workspace
        cursor = cursor_store.find(db, workspace, source.name, session)
        form = openclaw if session else self._where.form
        if form is None and cursor and cursor.harness in HARNESSES:
            form = named(cursor.harness)
        return Log(
            source.name,
            session,
            source.file,
            source.size,
            source.mtime_ns,
            source.device,
            source.inode,
            form,
            cursor,
        )

    def _read(self, source: Source, log: Log, means: Means) -> None:
        """Read on in one log; what fails holds up no other."""
        from crewmem.transcripts.extract import Extractor

        try:
            agent, log = self._owning.owner(source, log, self._opened)
            if agent is None:
                return
            learner = self._learner(agent)
            stream = self._opened(source, log)
            with closing(stream):
                extractor = Extractor(log, stream, learner, means)
                try:
                    extractor.run(agent)
                finally:
                    self._take(log, extractor.done)
        except DatabaseBusyError:
            raise
        except CrewmemError as error:
            self._fail(log.file, error)

    @staticmethod
    def _opened(source: Source, log: Log) -> Stream:
        from crewmem.cli.transcripts.opening import open_at

        return open_at(source, log.session, log.cursor)

    def _learner(self, agent: str) -> Learner:
        from crewmem.journal.tokenizer import tokenizer
        from crewmem.transcripts.learn import Learner

        crews = self._crews.agents.get(agent, [])
        tokenize = tokenizer(self._desk.memories.db)
        return Learner(
            self._desk, agent, crews, scan=self._means.scan, tokenize=tokenize
        )

    def _take(self, log: Log, read: Read) -> None:
        """Take in what came of a log, and say what could not be read."""
        for each in read.learned:
            if each.action in {"known", "unchanged"}:
                self._counts["known"] += 1
            else:
                own = each._replace(agent=each.agent or None)
                self._learned.append(own)
        self._counts["read"] += bool(read.turns or read.skipped)
        for name in ("turns", "losses", "skipped", "letters"):
            self._counts[name] += int(getattr(read, name))
        self._unknown.update(read.unknown)
        if read.skipped:
            self._app.out.warn(bad_lines(log.file, read))

    def _fail(self, path: str, error: CrewmemError) -> None:
        hint = f" {error.hint}" if error.hint else ""
        text = str(error)
        where = "" if path in text else f"{path}: "
        self._first = self._first or f"{where}{text}"
        self._app.out.warn(f"{where}{text}.{hint}")
        self._counts["failed"] += 1

    # What is counted elsewhere

    def _count_losses(self, source: Source) -> None:
        """Look at how often OpenClaw says that its sessions lost context."""
        if self._how.is_plan:
            return
        from crewmem.transcripts.compactions import count

        agent = source.whose.lower() if self._how.is_usual else ""
        agent = self._owning.owners.get(f"openclaw/{source.whose}", agent)
        if agent not in self._crews.agents:
            return
        who = self._app.actor
        if agent in self._crews.off or not (who.is_operator or who.name == agent):
            return
        try:
            self._counts["losses"] += count(source, agent, self._desk)
        except DatabaseBusyError:
            raise
        except CrewmemError as error:
            self._fail(source.file, error)

    # Asking again

    def waiting(self) -> list[Letter]:
        """Return what a model is to be asked again, before anything is read."""
        if self._how.is_plan:
            return []
        from crewmem.transcripts.letter_store import due

        now = None if self._how.is_retry else self._app.now
        who = self._app.actor
        return [
            each
            for each in due(self._desk.memories.db, self._desk.workspace, now)
            if who.is_operator or who.name == each.agent
        ]

    def retry(self, letters: Sequence[Letter]) -> None:
        """Ask a model of *letters*, if there is one."""
        if not letters or self._means.asker is None:
            return
        from crewmem.cli.transcripts.retrying import retried

        for letter in letters:
            answered = retried(letter, self._learner(letter.agent), self._means)
            self._counts[answered.result] += 1
            self._learned += answered.learned

    def extraction(self) -> Extraction:
        """Return what came of it all, and say what is not believed of it."""
        has_read = "_means" in vars(self)
        asker = self._means.asker if has_read else None
        for why, count in (asker.dropped if asker else {}).items():
            told = f"{count:,} of what the model said was dropped: {why}"
            self._app.out.warn(told)
        if self._counts["letters"]:
            self._app.out.warn(
                f"{self._counts['letters']:,} parts wait for the language model; "
                "phrases told what there is: crewmem transcripts status"
            )
        if self._counts["gone"]:
            what = "parts that waited are gone from their transcripts"
            self._app.out.warn(f"{self._counts['gone']:,} {what}")
        counts = self._counts
        return Extraction(
            files=counts["files"],
            read=counts["read"],
            unchanged=counts["unchanged"],
            unowned=self._owning.unowned,
            turns=counts["turns"],
            learned=self._learned,
            known=counts["known"],
            losses=counts["losses"],
            skipped=counts["skipped"],
            unknown=dict(self._unknown),
            letters=counts["letters"],
            answered=counts["answered"],
            refused=counts["refused"],
            failed=counts["failed"],
        )


UNKNOWN = "nobody knows a program that writes such lines"
