"""Asking a model again of what it could not be asked of before."""

from __future__ import annotations

from crewmem.errors import BackendError
from crewmem.records import NamedTuple
from crewmem.transcripts import letter_store
from crewmem.transcripts.letter import GONE, again
from crewmem.transcripts.read import steps
from crewmem.transcripts.turn import State
from crewmem.transcripts.window import windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.transcripts.extract import Means
    from crewmem.transcripts.formats import Format
    from crewmem.transcripts.learn import Learned, Learner
    from crewmem.transcripts.letter import Letter
    from crewmem.transcripts.read import Left, Stream
    from crewmem.transcripts.turn import Turn
    from crewmem.transcripts.window import Window

ANSWERED, FAILED = "answered", "failed"


class Answered(NamedTuple):
    """What came of asking again.

    Attributes:
        result: answered, failed or gone: the log no longer says that.
        learned: What was learned.
    """

    result: str
    learned: list[Learned]


def ask_again(
    letter: Letter,
    stream: Stream | None,
    form: Format,
    learner: Learner,
    means: Means,
) -> Answered:
    """Ask of the part that *letter* names, in its log, which is open at its beginning.

    None for a *stream* says that the log is gone.
    """
    desk = means.desk
    db, workspace = desk.memories.db, desk.workspace
    window = _window(letter, stream, form, means) if stream else None
    if window is None or means.asker is None:
        if window is None:
            with desk.journal.transaction():
                letter_store.keep(db, workspace, letter._replace(status=GONE))
        return Answered(GONE if window is None else FAILED, [])
    try:
        claims = means.asker.ask(window)
    except BackendError as error:
        with desk.journal.transaction():
            later = again(letter, str(error)[:500], desk.now)
            letter_store.keep(db, workspace, later)
        return Answered(FAILED, [])
    with desk.journal.transaction():
        learned = [learner.learn(each, letter.path) for each in claims]
        letter_store.drop(db, workspace, letter)
    return Answered(ANSWERED, learned)


def _window(
    letter: Letter, stream: Stream, form: Format, means: Means
) -> Window | None:
    """Return what was to be asked; None if the log says something else by now."""
    stream.go(letter.start, letter.line)
    turns: list[tuple[Left, Turn]] = []
    for step in steps(stream, form, State(letter.state)):
        turns += [(step.before, each) for each in step.turns]
        if step.line.end >= letter.end:
            break
    found = windows(turns, means.redact)
    return next((each for each in found if each.digest == letter.digest), None)
