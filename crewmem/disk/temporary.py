"""A directory that is gone with all in it, once nobody needs it any more."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def temporary_root() -> Iterator[Path]:
    """Yield a new directory that nobody else may enter; remove it afterwards.

    Raises:
        NotWritableError: If none can be made, and as other failures of a disk.
    """
    from pathlib import Path
    from tempfile import TemporaryDirectory, gettempdir

    from crewmem.disk.failures import failure

    try:
        made = TemporaryDirectory(prefix="crewmem-", ignore_cleanup_errors=True)
    except OSError as error:
        raise failure(error, gettempdir(), "write") from error
    with made as path:
        yield Path(path)
