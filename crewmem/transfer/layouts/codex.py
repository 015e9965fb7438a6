"""Codex's memories: a summary, a registry, summaries of its sessions, and skills."""

from crewmem.transfer.archive import Source
from crewmem.transfer.contents import Contents, ImportOptions, read_notes

NAME = "codex"


def matches(source: Source) -> bool:
    """Tell whether it has Codex's summary or summaries of sessions."""
    has_rollouts = any(map(_is_rollout, source.files))
    return source.has("memory_summary.md") and (
        has_rollouts or source.has("MEMORY.md", "raw_memories.md")
    )


def read(source: Source, options: ImportOptions) -> Contents:
    """Return its files: summaries of sessions by their days, others one topic each."""
    contents = Contents(origin="agent")
    names = []
    for name in source.markdown():
        if name.startswith("skills/"):
            contents.leave_out(name, "it is a skill: a program's own, not a memory")
        else:
            names.append(name)
    return read_notes(source, contents, names, days=_is_rollout)


def _is_rollout(name: str) -> bool:
    return name.startswith("rollout_summaries/")
