"""Jobs that run one at a time: a second one ends at once, and says so."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.app import App
    from crewmem.disk import Lock

LOCKS = "locks"
"""Directory of the home that holds them; the files stay, for somebody may wait."""


def _running(name: str) -> str:
    return f"Another {name} is running; it does the work."


def tell_running(app: App, name: str) -> None:
    """Say also in JSON, whose answer is to follow, that the job *name* is running.

    That is no failure, so who says it does not ask for ``--strict``.
    """
    if app.out.is_json:
        app.out.warn(_running(name))


@contextmanager
def job(app: App, name: str) -> Iterator[bool]:
    """Yield whether this is the only run of the job *name*; if not, it was said.

    Raises:
        HomeMissingError: If there is no home to work in.
        NotWritableError: If it may not be written.
    """
    with held(app, f"{LOCKS}/{name}", name) as lock:
        yield lock is not None


@contextmanager
def held(app: App, path: str, name: str) -> Iterator[Lock | None]:
    """Yield the lock at *path* in the home; None, and say so, while others hold it.

    Raises:
        As `job`.
    """
    from crewmem import disk
    from crewmem.errors.disk import LockBusyError

    if not app.home.is_dir():
        from crewmem.errors.registry import HomeMissingError

        raise HomeMissingError(app.home)
    with disk.open_root(app.home) as root:
        disk.make_dirs(root, path.rpartition("/")[0])
        try:
            lock = disk.lock(root, path, timeout=0)
        except LockBusyError:
            app.out.note(_running(name))
            yield None
            return
        with lock:
            yield lock
