"""How a sync reaches its place: a directory, a git repository, or a directory over ssh."""

from __future__ import annotations

import io
import os
import re
import shlex
import tarfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from crewmem.context import Context
from crewmem.errors import ConflictError, NotFoundError, ServiceError, UsageError
from crewmem.storage.filesystem import make_directory, replace_file
from crewmem.storage.programs import join_lines, run_program

MARKER = "crewmem-sync.json"
SOURCES = "sources"
PRIVATE = 0o077
"""Umask with which only the owner may read new files."""

COMMAND_SECONDS = 120
"""Maximum duration of a git, ssh or tar command."""

PLACE_FILE = re.compile(
    rf"{re.escape(MARKER)}|{SOURCES}/[\w.]+/\d+-[0-9a-f]{{64}}\.jsonl", re.ASCII
)
"""Names of the files of a place; they have no characters that a shell interprets."""


class Transport:
    """Gives access to a place; this one to a directory that all homes share.

    Attributes:
        directory: The place, or a local copy of it.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def fetch(self) -> None:
        """Bring `directory` up to date."""
        if not self.directory.parent.is_dir():  # such as a drive that is not mounted
            raise NotFoundError(
                f"there is no directory {self.directory.parent}",
                code="path-not-found",
                hint=shlex.join(["mkdir", "-p", str(self.directory)]),
            )
        make_directory(self.directory)

    def publish(self) -> bool:
        """Publish the new files of `directory`; return False if another home was faster."""
        return True


class GitTransport(Transport):
    """A git work tree, or a clone of a bare repository inside the home.

    It pulls before the exchange, and commits and pushes afterwards.
    """

    def __init__(self, directory: Path, clone_of: Path | None = None) -> None:
        super().__init__(directory)
        self._origin = clone_of

    def fetch(self) -> None:
        """Clone or pull."""
        if self._origin is not None and not (self.directory / ".git").exists():
            make_directory(self.directory.parent)
            options = ["-q", "--no-hardlinks", "-c", "core.sharedRepository=0600"]
            names = [str(self._origin), str(self.directory)]
            run_command(["git", "clone", *options, *names], umask=PRIVATE)
        self._commit()  # the changes of an interrupted sync
        if self._has_remote():
            self._git("fetch", "-q", "origin")
            if self._git("ls-remote", "--heads", "origin").strip():
                # A rebase has no conflicts, because batches are only added.
                self._git("pull", "-q", "--rebase", "origin", self._branch())

    def publish(self) -> bool:
        """Commit, and push if there is a remote."""
        self._commit()
        if not self._has_remote():
            return True
        try:
            self._git("push", "-q", "origin", f"HEAD:{self._branch()}")
        except ServiceError as error:
            if "rejected" in error.message or "fetch first" in error.message:
                return False
            raise
        return True

    def _commit(self) -> None:
        names = [name for name in (MARKER, SOURCES) if (self.directory / name).exists()]
        if names and self._git("status", "--porcelain", "--", *names).strip():
            self._git("add", "--", *names)
            self._git("commit", "-q", "-m", "crewmem sync", "--", *names)

    def _branch(self) -> str:
        return self._git("symbolic-ref", "--short", "HEAD").strip()

    def _has_remote(self) -> bool:
        return "origin" in self._git("remote").split()

    def _git(self, *arguments: str) -> str:
        options = ["-c", "user.name=crewmem", "-c", "user.email=crewmem@localhost"]
        options += ["-c", "commit.gpgSign=false"]
        # A clone is in the home, where all is private; what a push writes elsewhere is not.
        umask = PRIVATE if self._origin is not None and arguments[0] != "push" else -1
        command = ["git", "-C", str(self.directory), *options, *arguments]
        return run_command(command, umask=umask).decode()


class SshTransport(Transport):
    """A directory on another host. The home has a copy; tar transfers the files."""

    def __init__(self, directory: Path, host: str, remote: str) -> None:
        super().__init__(directory)
        self._host, self._remote = host, remote
        self._remote_files: set[str] = set()

    def fetch(self) -> None:
        """Copy the files that are missing here."""
        make_directory(self.directory)
        remote = shlex.quote(self._remote)
        find = "find . -maxdepth 3 -type f -not -name '.*'"
        listing = self._ssh(f"mkdir -p {remote} && cd {remote} && {find}").decode()
        names = {name.removeprefix("./") for name in listing.splitlines()}
        self._remote_files = {name for name in names if PLACE_FILE.fullmatch(name)}
        if names and MARKER not in names:
            raise not_empty_error(f"ssh://{self._host}{self._remote}")
        missing = sorted(
            name for name in self._remote_files if not (self.directory / name).exists()
        )
        if not missing:
            return
        data = self._ssh(f"cd {remote} && tar -cf - {' '.join(missing)}")
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for name in missing:
                stream = archive.extractfile(name)
                if stream is not None:
                    make_directory((self.directory / name).parent)
                    replace_file(self.directory / name, stream.read())

    def publish(self) -> bool:
        """Send the files that are missing there; each appears atomically."""
        files = [path for path in self.directory.rglob("*") if path.is_file()]
        names = sorted(str(path.relative_to(self.directory)) for path in files)
        new = [
            name for name in names if name not in self._remote_files and PLACE_FILE.fullmatch(name)
        ]
        if new:
            data = run_command(["tar", "-C", str(self.directory), "-cf", "-", *new])
            moves = [f'mkdir -p {Path(name).parent} && mv "$new/{name}" {name}' for name in new]
            self._ssh(
                f"cd {shlex.quote(self._remote)} && new=$(mktemp -d .new.XXXXXX) || exit;"
                f' tar -C "$new" -xf - && {" && ".join(moves)}; done=$?; rm -rf "$new";'
                " exit $done",
                data,
            )
        return True

    def _ssh(self, command: str, data: bytes = b"") -> bytes:
        return run_command(["ssh", "-o", "BatchMode=yes", "--", self._host, command], data)


def not_empty_error(place: str) -> ConflictError:
    """Return the error for a directory that is neither empty nor a place."""
    return ConflictError(
        f"{place} is not empty and was not created by sync",
        code="not-empty",
        hint="name an empty directory",
    )


def open_transport(context: Context, place: str) -> Transport:
    """Return the transport for *place*; see `Sync.run`."""
    assert context.home is not None
    cache = context.home / "sync" / sha256(place.encode()).hexdigest()[:16]
    if place.startswith("ssh://"):
        host, slash, remote = place.removeprefix("ssh://").partition("/")
        if not host or not remote or host.startswith("-"):
            raise NotFoundError(f"{place} has no directory: use ssh://HOST/DIR", code="bad-place")
        return SshTransport(cache, host, slash + remote)
    if re.match(r"[\w+.-]+://|[\w.-]+@[\w.-]+:", place):
        raise UsageError(
            f"sync does not support '{place}': use a directory, a clone of a git repository, or"
            " ssh://HOST/DIR",
            code="bad-place",
        )
    path = Path(place).expanduser().absolute()
    if (path / "HEAD").is_file() and (path / "objects").is_dir():
        return GitTransport(cache, clone_of=path)
    if (path / ".git").exists():
        return GitTransport(path)
    return Transport(path)


def run_command(command: Sequence[str], data: bytes = b"", *, umask: int = -1) -> bytes:
    """Run a program with *data* as its standard input; return its output.

    Raises:
        ServiceError: If it is not installed, fails, or takes more than COMMAND_SECONDS.
    """
    environ = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    result = run_program(command, data=data, environ=environ, timeout=COMMAND_SECONDS, umask=umask)
    if result.returncode:
        reason = join_lines(result.stderr) or f"it ended with status {result.returncode}"
        raise ServiceError(f"{command[0]} failed: {reason}", code="program-failed")
    return result.stdout
