"""How logs are read, and what comes of it."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.transcripts.learn import Learned


class How(NamedTuple):
    """How logs are read.

    Attributes:
        is_plan: Whether nothing is written.
        is_past: Whether nothing is learned of what is there already.
        limit: Logs that are read at most, the newest; None for all.
        is_due: Whether agents are left out that were looked after just now.
        is_retry: Whether a model is asked again at once, without waiting.
        is_usual: Whether logs are of this workspace that are said to be of none.
        llm_command: The program that is asked, this time; None: as is set.
    """

    is_plan: bool = False
    is_past: bool = False
    limit: int | None = None
    is_due: bool = False
    is_retry: bool = False
    is_usual: bool = True
    llm_command: str | None = None


class Extraction(NamedTuple):
    """What came of reading logs.

    Attributes:
        files: Logs that were found; a database counts each session.
        read: Those of which something was read.
        unchanged: Those to which nothing was added since.
        unowned: Those that are nobody's, and were not read.
        turns: What was read in them.
        learned: What was learned, or would be; what was known is left out.
        known: How much was learned of the same turn before, or says what is held.
        losses: How often context was lost in what was read.
        skipped: Lines that could not be read.
        unknown: Lines of kinds that nobody knows, by kind.
        letters: Parts of which a language model is to be asked again.
        answered: Parts of which one was asked again, and said something.
        refused: Files and links that were not looked into.
        failed: Logs that could not be read.
    """

    files: int
    read: int
    unchanged: int
    unowned: int
    turns: int
    learned: list[Learned]
    known: int
    losses: int
    skipped: int
    unknown: dict[str, int]
    letters: int
    answered: int
    refused: int
    failed: int


def nothing() -> Extraction:
    """Return what comes of a run that another one stands in for."""
    return Extraction(0, 0, 0, 0, 0, [], 0, 0, 0, {}, 0, 0, 0, 0)
