"""What was asked, and what became of the answers, as cases of a suite."""

from __future__ import annotations

from pathlib import Path

from crewmem.evaluation.capturing import Asked, captured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from crewmem.cli.app import App
    from crewmem.evaluation.capturing import Captured
    from crewmem.memories.store import Memories


def cases(app: App, since: datetime) -> list[Captured]:
    """Return the cases that questions from *since* on give."""
    from crewmem import times
    from crewmem.cli.held import memories_to_read
    from crewmem.journal.recalled_store import cited, delivered

    memories = memories_to_read(app)
    if memories is None:
        return []
    rows = delivered(memories.db, app.workspace, times.to_text(since))
    asked = [Asked(query, _agent(actor), refs) for query, actor, refs in rows]
    refs = {ref for each in asked for ref in each.injected}
    up, down, read = _of_memories(app, memories, refs)
    used = cited(memories.db, app.workspace, refs)
    return captured(asked, confirmed=(up | read | used) - down, contradicted=down)


def _agent(actor: str) -> str | None:
    role, _, name = actor.partition(":")
    return None if role == "operator" else name


def _of_memories(
    app: App, memories: Memories, refs: Collection[str]
) -> tuple[set[str], set[str], set[str]]:
    """Return which memories of *refs* votes confirm, contradict; which were read."""
    from crewmem.memories import accesses_store, votes_store

    found = [memories.by_id(app.workspace, ref) for ref in sorted(refs)]
    ids = {each.seq: each.id for each in found if each}
    if not ids:
        return set(), set(), set()
    votes = votes_store.counts(memories.db, ids)
    counts = accesses_store.of(memories.db, ids)
    up = {ids[seq] for seq, (for_it, against) in votes.items() if for_it > against}
    down = {ids[seq] for seq, (for_it, against) in votes.items() if against > for_it}
    read = {ids[seq] for seq, each in counts.items() if each.accessed > each.delivered}
    return up, down, read


def add(app: App, into: str, found: Sequence[Captured]) -> list[Captured]:
    """Add those of *found* to the file *into* that are not in it; return them.

    The file is read, added to and replaced under a lock, so that no other is lost.
    """
    from crewmem import disk
    from crewmem.cli.evaluating.suites import MOST, objects
    from crewmem.encode import encoded
    from crewmem.errors.disk import PathMissingError

    path = Path(into).absolute()
    with disk.make_root(path.parent) as root:
        lock = f".{path.name}.lock"
        with disk.lock(root, lock, timeout=app.settings.busy_timeout):
            try:
                text = disk.read(root, path.name, limit=MOST)
            except PathMissingError:
                text = b""
            known = {
                told.get("id")
                for _, told in (objects(path, into) if text else ())
                if not isinstance(told, str)
            }
            new = [each for each in found if each.id not in known]
            if new:
                gap = b"" if not text or text.endswith(b"\n") else b"\n"
                lines = "".join(f"{encoded(each)}\n" for each in new)
                disk.write(root, path.name, text + gap + lines.encode())
        disk.discard(root, lock)
    return new
