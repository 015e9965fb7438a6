"""Extracting: reading on in a log, and keeping what is learned of it.

What was learned of a part and the cursor behind it are one change, so that a crash
loses nothing and tells nothing twice. A language model is asked before that change, for
it may take minutes; where it cannot be asked, phrases are what there is, and the part
waits as a letter until it can.
"""

from __future__ import annotations

from crewmem import ids, times
from crewmem.errors import BackendError
from crewmem.records import NamedTuple
from crewmem.transcripts import cursor_store, letter_store
from crewmem.transcripts.claim import claims, is_speech
from crewmem.transcripts.cursor import NUMBERS_MOST, Cursor
from crewmem.transcripts.letter import FIRST_WAIT, Letter
from crewmem.transcripts.log import UNFINISHED, Read
from crewmem.transcripts.loss import DROP, losses
from crewmem.transcripts.read import Left, steps
from crewmem.transcripts.turn import State
from crewmem.transcripts.window import (
    CHARS_MOST,
    SAID_MOST,
    is_of_worth,
    windows,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from crewmem.memories.desk import Desk
    from crewmem.memories.remember import Scan
    from crewmem.transcripts.asker import Asker
    from crewmem.transcripts.claim import Claim, Redact
    from crewmem.transcripts.learn import Learned, Learner
    from crewmem.transcripts.log import Log
    from crewmem.transcripts.read import Step, Stream
    from crewmem.transcripts.turn import Loss, Turn
    from crewmem.transcripts.window import Window

BATCH_BYTES = 8 << 20
"""Bytes that are read between two changes of the database: a second of work."""

BATCH_TURNS = 500
"""Turns, the same; and no more are in memory at once."""

WINDOWS_MOST = 4
"""Windows that a model is asked about between two changes: each may take a minute."""


class Means(NamedTuple):
    """What is read and learned with.

    Attributes:
        desk: Where memories are changed.
        scan: Finds attacks and secrets.
        redact: Returns a text without the secrets in it.
        asker: Asks a language model; None: phrases tell.
        is_plan: Whether nothing is written.
        is_past: Whether nothing is learned of what is there already.
        tick: Is told the byte that was read to.
    """

    desk: Desk
    scan: Scan
    redact: Redact
    asker: Asker | None = None
    is_plan: bool = False
    is_past: bool = False
    tick: Callable[[int], None] | None = None


class _Batch:
    """What was read since the last change."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.turns: list[tuple[Left, Turn]] = []
        self.losses: list[tuple[Turn, Loss]] = []
        self.left: Left | None = None
        self.end = start
        self.chars = 0

    def is_full(self, *, is_asked: bool) -> bool:
        if is_asked and self.chars >= WINDOWS_MOST * CHARS_MOST:
            return True
        return len(self.turns) >= BATCH_TURNS or self.end - self.start >= BATCH_BYTES


class _Counts:
    """What is counted of a log as long as it is the same one, as its cursor keeps it.

    When something was last said, and learned, stays known of one that was replaced.
    """

    def __init__(self, before: Cursor | None, same: Cursor | None) -> None:
        self.turns = same.turns if same else 0
        self.skipped = same.skipped if same else 0
        self.numbers = [*same.skipped_lines] if same else []
        self.drops = same.drops if same else 0
        self.turn_at = before.turn_at if before else None
        self.learned_at = before.learned_at if before else None


class Extractor:
    """Reads one log, and learns of it."""

    def __init__(
        self, log: Log, stream: Stream, learner: Learner, means: Means
    ) -> None:
        self._log, self._stream = log, stream
        self._learner, self._means = learner, means
        self._same = same = None if stream.is_fresh else log.cursor
        self._counts = _Counts(log.cursor, same)
        self._began = self._counts.turns, self._counts.skipped
        self._harness = log.form.NAME if log.form else ""
        self._session = str(same.state.get("last_session", "")) if same else ""
        self._agent = ""
        self._left: Left | None = None
        self._is_last = False
        self._learned: list[Learned] = []
        self._bad: list[tuple[int, str]] = []
        self._unknown: dict[str, int] = {}
        self._losses = self._letters = 0

    @property
    def done(self) -> Read:
        """What came of it so far."""
        turns, skipped = self._began
        return Read(
            self._learned,
            self._losses,
            self._bad,
            self._counts.skipped - skipped,
            self._unknown,
            self._counts.turns - turns,
            self._letters,
        )

    def run(self, agent: str) -> None:
        """Read on, and learn for *agent*.

        Raises:
            CrewmemError: If the log cannot be read; what was before stays learned.
        """
        self._agent = agent
        state = State(self._same.state if self._same else None)
        state.kept.pop("unknown", None)
        if self._log.session:
            state.kept.setdefault("session", self._log.session)
        if self._same:  # else nothing that is whole may be in it yet
            here = (self._stream.offset, self._stream.line)
            self._left = Left(*here, {**state.kept})
        batch = _Batch(self._stream.offset)
        for step in steps(self._stream, self._log.form, state):
            self._take(step, batch, state)
            is_asked = self._means.asker is not None
            if batch.left and batch.is_full(is_asked=is_asked):
                self._close(batch)
                batch = _Batch(step.line.end)
        self._is_last = True
        if batch.left:
            self._close(batch)
        elif self._left and not self._means.is_plan:
            with self._means.desk.journal.transaction():
                self._keep(self._left)
        self._unknown = {**(state.kept.get("unknown") or {})}

    def _take(self, step: Step, batch: _Batch, state: State) -> None:
        """Take in what a line said."""
        batch.end, counts = step.line.end, self._counts
        if step.bad:
            counts.skipped += 1
            if len(counts.numbers) < NUMBERS_MOST:
                counts.numbers.append(step.line.number)
            if len(self._bad) < NUMBERS_MOST:
                self._bad.append((step.line.number, step.bad))
        for turn in step.turns:
            self._harness = turn.harness
            self._session = turn.session or self._session
            counts.turns += 1
            counts.turn_at = _later(counts.turn_at, turn.at)
            batch.turns.append((step.before, turn))
            batch.chars += min(len(turn.text), SAID_MOST) if is_speech(turn) else 0
            for loss in losses(turn, state):
                if loss is DROP:
                    counts.drops += 1
                else:
                    batch.losses.append((turn, loss))
        if step.left:
            batch.left = Left(step.left.offset, step.left.line, {**state.kept})
        if self._means.tick:
            self._means.tick(batch.end)

    def _close(self, batch: _Batch) -> None:
        """Learn of a batch, and keep how far was read, in one change."""
        means, learner, counts = self._means, self._learner, self._counts
        if means.is_plan:
            found = [*self._found(batch)]
            plans = (learner.plan(each, self._log.file) for each, _ in found if each)
            self._learned += plans
            self._losses += len(batch.losses)
            return
        found = [] if means.is_past else [*self._found(batch)]
        with means.desk.journal.transaction():
            for claim, letter in found:
                if claim:
                    self._learned.append(learner.learn(claim, self._log.file))
                    counts.learned_at = _later(counts.learned_at, claim.turn.at)
                if letter:
                    letter_store.keep(
                        means.desk.memories.db, means.desk.workspace, letter
                    )
            lost = 0
            if not means.is_past:
                lost = sum([learner.lose(turn, loss) for turn, loss in batch.losses])
            if batch.left:
                self._left = batch.left
                self._keep(batch.left)
        self._losses += lost
        self._letters += sum(letter is not None for _, letter in found)

    def _found(self, batch: _Batch) -> Iterator[tuple[Claim | None, Letter | None]]:
        """Yield what is worth keeping, and parts that a model is to be asked of."""
        means = self._means
        if means.asker is None:
            for _, turn in batch.turns:
                yield from ((each, None) for each in claims(turn, means.redact))
            return
        for window in windows(batch.turns, means.redact):
            if not is_of_worth(window):
                continue
            try:
                yield from ((each, None) for each in means.asker.ask(window))
            except BackendError as error:
                for said in window.said:
                    yield from ((e, None) for e in claims(said.turn, means.redact))
                yield None, self._letter(window, str(error))

    def _letter(self, window: Window, error: str) -> Letter:
        desk = self._means.desk
        return Letter(
            id=ids.new("d", desk.randomness),
            agent=self._agent,
            harness=self._harness,
            path=self._log.path,
            session=self._log.session,
            start=window.before.offset,
            end=window.end,
            line=window.before.line,
            state=window.before.kept,
            digest=window.digest,
            attempts=1,
            error=error[:500],
            first_at=desk.now,
            next_at=times.after(desk.now, FIRST_WAIT),
        )

    def _keep(self, left: Left) -> None:
        """Keep that the log was read up to where it was *left*."""
        mark = self._stream.mark(left.offset)
        log, desk, counts = self._log, self._means.desk, self._counts
        kept = {k: v for k, v in left.kept.items() if k != "unknown"}
        if self._session:
            kept["last_session"] = self._session
        cursor = Cursor(
            path=log.path,
            session=log.session,
            agent=self._agent,
            harness=self._harness,
            device=log.device,
            inode=log.inode,
            head_bytes=mark.head_bytes,
            head=mark.head,
            tail=mark.tail,
            offset=left.offset,
            line=left.line,
            state=kept,
            size=log.size if self._is_last else UNFINISHED,
            mtime_ns=log.mtime_ns,
            turns=counts.turns,
            skipped=counts.skipped,
            skipped_lines=tuple(counts.numbers),
            drops=counts.drops,
            turn_at=counts.turn_at,
            learned_at=counts.learned_at,
            read_at=desk.now,
        )
        cursor_store.keep(desk.memories.db, desk.workspace, cursor)


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    """Return the later of two instants, of which either may not be known."""
    return max(one, other) if one and other else one or other
