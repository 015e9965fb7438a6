"""How a command opens the indexes of memory directories."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.files.indexed import Access


def access(app: App, *, refresh: bool = True) -> Access:
    """Return how indexes are opened."""
    from crewmem import disk, times
    from crewmem.files.indexed import Access

    settings = app.settings
    return Access(
        cache=app.home / "cache" if disk.is_writable(app.home) else None,
        chunk_chars=settings.chunk_chars,
        max_file_bytes=settings.max_file_bytes,
        now_ns=times.nanoseconds(app.now),
        busy_timeout=settings.busy_timeout,
        refresh=refresh and app.held is None,
    )
