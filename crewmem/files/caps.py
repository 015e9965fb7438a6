"""Size caps of memory files and of their directories."""

from crewmem.context import Context
from crewmem.errors import RefusedError
from crewmem.files.appending import count_lessons
from crewmem.files.directories import MemoryDirectory, Target
from crewmem.files.freshness import walk
from crewmem.files.tiers import (
    MAX_LESSONS,
    OWN_TIERS,
    SOFT_SHARE,
    find_cap,
    find_directory_cap,
    is_archived,
)


def check_caps(context: Context, target: Target, before: bytes, after: bytes) -> tuple[str, bool]:
    """Check the caps of file and directory; return usage, and whether it is near the cap.

    Raises:
        RefusedError: If one is exceeded. The details have the present text, to tidy it up.
    """
    cap = find_cap(context.settings, target.tier, target.file)
    if cap and len(after) > cap:
        usage = format_usage(len(before), cap)
        raise RefusedError(
            f"{target.reference} would have {len(after)} bytes, more than its cap of {cap};"
            f" it has {usage}",
            code="over-cap",
            hint="merge duplicates, drop stale lines, and write it again with --mode replace",
            details={
                "file": target.reference,
                "current_entries": make_text_safe(context, target, before),
                "usage": usage,
                "projected": len(after),
                "cap": cap,
            },
        )
    if target.tier == "lessons" and count_lessons(after) > MAX_LESSONS:
        raise RefusedError(
            f"{target.reference} would have {count_lessons(after)} entries, more than"
            f" {MAX_LESSONS}",
            code="too-many-lessons",
            hint="drop the oldest",
        )
    if target.directory.has_tiers and len(after) > len(before):
        _check_directory_cap(context, target, before, after)
    is_near_cap = cap > 0 and len(after) >= SOFT_SHARE * cap
    return (format_usage(len(after), cap) if cap else ""), is_near_cap


def _check_directory_cap(context: Context, target: Target, before: bytes, after: bytes) -> None:
    most = find_directory_cap(context.settings)
    sizes = find_sizes(target.directory)
    total = sum(sizes.values()) - sizes.get(target.file, 0) + len(after)
    if total > most:
        largest = sorted(sizes, key=lambda name: -sizes[name])[:5]
        raise RefusedError(
            f"{target.directory.path} would have {total} bytes, more than its cap of {most}",
            code="directory-full",
            hint=f"the largest files are {', '.join(largest)}",
            details={
                "current_entries": make_text_safe(context, target, before),
                "usage": format_usage(sum(sizes.values()), most),
                "projected": total,
                "cap": most,
                "largest": largest,
            },
        )


def make_text_safe(context: Context, target: Target, content: bytes) -> str:
    """Return the whole text of a file, safe to show to who tidies it up."""
    text = content.decode("utf-8", "replace")
    own_tier = target.tier in OWN_TIERS
    return context.scanner.make_safe(text, file=target.reference, own_tier=own_tier).text


def find_sizes(directory: MemoryDirectory) -> dict[str, int]:
    """Return the size of each memory file of a directory, without archived notes."""
    sizes = {}
    for folder in walk([directory], {}):
        for name, status in folder.files:
            file = f"{folder.path}/{name}" if folder.path else name
            if not is_archived(file):
                sizes[file] = status.st_size
    return sizes


def format_usage(size: int, cap: int) -> str:
    """Return the use of a cap as text.

    >>> format_usage(3900, 4000)
    '3900 of 4000 bytes, 97%'
    """
    return f"{size} of {cap} bytes, {100 * size // cap}%"
