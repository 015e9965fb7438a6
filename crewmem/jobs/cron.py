"""The timer as one line of the user's crontab, in a marked block."""

import shlex
import shutil
from collections.abc import Mapping, Sequence

from crewmem.errors import DamagedError, RefusedError, ServiceError
from crewmem.storage.programs import join_lines, run_program

NO_CRONTAB = ("no crontab", "No such file or directory")
"""Messages of cron, cronie and busybox for a user without a crontab. Any other message is an error:
treating it as an empty crontab would overwrite the real one."""

JOINED = " (after a line without an end)"
"""Suffix of the mark of a block before which a line break was added."""


def make_block(prefix: str, command: Sequence[str]) -> list[str]:
    """Return the lines of the block for a home.

    Raises:
        RefusedError: If a word cannot be written into a crontab.
    """
    line = shlex.join(command)
    if not line.isprintable():
        raise RefusedError(f"{line!r} cannot be written into a crontab", code="bad-path")
    escaped = line.replace("%", "\\%")
    return [
        f"# BEGIN {prefix} timers: written by crewmem timers install",
        f"* * * * * {escaped} >/dev/null",
        f"# END {prefix} timers",
    ]


def add_block(crontab: bytes, prefix: str, lines: Sequence[str]) -> bytes:
    """Return *crontab* with the block; it replaces an older block or goes to the end."""
    found = crontab.splitlines(keepends=True)
    place = _find_block(found, prefix)
    block = [f"{line}\n".encode() for line in lines]
    if place is not None:
        if found[place[0]].rstrip().endswith(JOINED.encode()):
            block[0] = block[0].rstrip() + JOINED.encode() + b"\n"
        found[place[0] : place[1]] = block
        return b"".join(found)
    if crontab and not crontab.endswith(b"\n"):
        block[0] = block[0].rstrip() + JOINED.encode() + b"\n"
        return crontab + b"\n" + b"".join(block)
    return crontab + b"".join(block)


def remove_block(crontab: bytes, prefix: str) -> bytes:
    """Return *crontab* as it was before the block was added."""
    found = crontab.splitlines(keepends=True)
    place = _find_block(found, prefix)
    if place is None:
        return crontab
    is_joined = found[place[0]].rstrip().endswith(JOINED.encode())
    rest = found[place[1] :]
    before = b"".join(found[: place[0]])
    if is_joined and not rest:
        before = before.removesuffix(b"\n")
    return before + b"".join(rest)


def has_block(crontab: bytes, prefix: str) -> bool:
    """Tell whether the timers of a home are in *crontab*."""
    return _find_block(crontab.splitlines(), prefix) is not None


def find_missing_program(crontab: bytes, prefix: str) -> str:
    """Return the program of the block if it no longer exists; else ""."""
    lines = crontab.splitlines()
    place = _find_block(lines, prefix)
    assert place is not None
    command = lines[place[0] + 1].decode(errors="replace").split(maxsplit=5)[-1]
    program = shlex.split(command.replace("\\%", "%"))[0]
    return "" if shutil.which(program) else program


def _find_block(lines: Sequence[bytes], prefix: str) -> tuple[int, int] | None:
    """Return the first line of the block, and the first line after it.

    Raises:
        DamagedError: If the marks do not match.
    """
    begin, end = f"# BEGIN {prefix} timers:".encode(), f"# END {prefix} timers".encode()
    begins = [at for at, line in enumerate(lines) if line.startswith(begin)]
    ends = [at for at, line in enumerate(lines) if line.rstrip() == end]
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0] < ends[0]:
        return begins[0], ends[0] + 1
    raise DamagedError(
        f"line {min([*begins, *ends]) + 1} of the crontab: the marks of crewmem's block do not"
        " match",
        code="crontab-damaged",
        hint="crontab -e",
    )


class Crontab:
    """The crontab of the user."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = {**environ, "LC_ALL": "C"}

    def find_problem(self) -> str:
        """Return why the crontab cannot be used, or ""."""
        try:
            self.read()
        except ServiceError as error:
            return error.message
        return ""

    def read(self) -> bytes:
        """Return the crontab; b"" if there is none yet."""
        status, output, reason = self._ask(b"", "-l")
        if status and not any(text in reason for text in NO_CRONTAB):
            raise ServiceError(f"crontab failed: {reason}", code="crontab-failed")
        return b"" if status else output

    def write(self, content: bytes) -> None:
        """Replace the crontab; an empty one is removed.

        Raises:
            ServiceError: If cron refuses it, or stores something else.
        """
        status, _, reason = self._ask(content, *(["-"] if content else ["-r"]))
        if status and not (not content and any(text in reason for text in NO_CRONTAB)):
            raise ServiceError(f"crontab failed: {reason}", code="crontab-failed")
        if not self.read().endswith(content):  # some cron programs put a header before it
            raise ServiceError(
                "the crontab does not hold what was written",
                code="crontab-failed",
                hint="crontab -l",
            )

    def _ask(self, given: bytes, *words: str) -> tuple[int, bytes, str]:
        done = run_program(["crontab", *words], data=given, environ=self._environ)
        return done.returncode, done.stdout, join_lines(done.stderr)
