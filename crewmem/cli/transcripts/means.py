"""What logs are read with: a desk, a scanner, a language model."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.llm import LanguageModel
    from crewmem.cli.app import App
    from crewmem.cli.transcripts.extraction import How
    from crewmem.memories.desk import Desk
    from crewmem.memories.remember import Scan
    from crewmem.transcripts.asker import Asker
    from crewmem.transcripts.claim import Redact
    from crewmem.transcripts.extract import Means


def open_desk(app: App, *, is_plan: bool) -> Desk:
    """Return what memories are changed with; for a plan one that changes nothing."""
    from crewmem.cli.held import desk, desk_to_read

    if not is_plan:
        return desk(app)
    opened = desk_to_read(app) if app.home.is_dir() else None
    if opened is not None:
        return opened
    import os

    from crewmem.cli.held import view
    from crewmem.db.connect import connect_memory
    from crewmem.db.migrate import migrate
    from crewmem.journal.store import Journal
    from crewmem.memories.desk import Desk
    from crewmem.memories.store import Memories

    db = connect_memory()  # nobody has remembered anything so far
    migrate(db)
    return Desk(Memories(db), Journal(db), app.actor, view(app), app.now, os.urandom)


def asker_of(model: LanguageModel, scan: Scan) -> Asker:
    """Return what asks *model*."""
    from crewmem.transcripts.asker import Asker

    return Asker(model, scan)


def redactor(scan: Scan) -> Redact:
    """Return what takes secrets out of a text."""
    from crewmem.threats.rule import SECRET
    from crewmem.threats.scan import redacted

    def redact(text: str) -> str:
        secrets = [each for each in scan(text) if each.category == SECRET]
        return redacted(text, secrets) if secrets else text

    return redact


def means_of(desk: Desk, scan: Scan, asker: Asker | None, how: How) -> Means:
    """Return what is read and learned with."""
    from crewmem.transcripts.extract import Means

    return Means(
        desk,
        scan,
        redactor(scan),
        asker,
        is_plan=how.is_plan,
        is_past=how.is_past,
    )
