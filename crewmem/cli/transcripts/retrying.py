"""Opening a log again of which a language model is to be asked once more."""

from __future__ import annotations

from contextlib import closing

from crewmem.errors import CrewmemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.transcripts.again import Answered
    from crewmem.transcripts.extract import Means
    from crewmem.transcripts.learn import Learner
    from crewmem.transcripts.letter import Letter


def retried(letter: Letter, learner: Learner, means: Means) -> Answered:
    """Ask again of what *letter* names."""
    from crewmem.cli.transcripts.opening import open_path
    from crewmem.transcripts.again import ask_again
    from crewmem.transcripts.formats import named

    form = named(letter.harness)
    try:
        stream = open_path(letter.path, letter.session, letter.harness)
    except CrewmemError:
        return ask_again(letter, None, form, learner, means)
    with closing(stream):
        return ask_again(letter, stream, form, learner, means)
