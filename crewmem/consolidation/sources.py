"""What consolidation reads with, and where it reads."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, tzinfo

    import apsw

    from crewmem.backends.embed import Embedder
    from crewmem.backends.llm import LanguageModel
    from crewmem.consolidation.normal import Stems
    from crewmem.files.place import Place
    from crewmem.threats.rule import Scan


class Sources(NamedTuple):
    """What consolidation reads with, and where it reads.

    Attributes:
        db: The database of the home.
        workspace: Which is read.
        places: The memory directories of the crew: its own, and its agents'.
        off: Agents whose memory is off: nothing of theirs is read.
        scan: What looks for hidden instructions and secrets.
        stems: The tokenizer of the full text.
        zone: Of the operator's calendar.
        limit: Most bytes of a file that is read.
        model: What draws rules from the journal; None, or one that only repeats, for
            rules of what came again.
        embed: Returns what compares texts by meaning; None where nothing does.
    """

    db: apsw.Connection
    workspace: str
    places: Sequence[Place]
    off: frozenset[str]
    scan: Scan
    stems: Stems
    zone: tzinfo
    limit: int
    model: LanguageModel | None = None
    embed: Callable[[], Embedder | None] | None = None


class Asked(NamedTuple):
    """What of a crew is to be read.

    Attributes:
        crew: Its name.
        agent: The only agent whose notes and entries are read; "" for all.
        since: Read again what is not older; None for what is new alone.
        now: The time.
        today: The day, in the operator's zone: ``2026-05-01``.
    """

    crew: str
    agent: str
    since: datetime | None
    now: datetime
    today: str
