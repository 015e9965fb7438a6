"""The timer as one line of the user's crontab, between two marker lines."""

import shlex
import shutil
from collections.abc import Mapping, Sequence

from crewmem.errors import DamagedError, RefusedError, ServiceError
from crewmem.storage.programs import join_lines, run_program

NO_CRONTAB = ("no crontab", "No such file or directory")
"""Messages of cron, cronie and busybox for a user without a crontab. Any other message is an error:
taking it for an empty crontab would overwrite the real one."""

BREAK_ADDED = " (after a line without an end)"
"""Suffix of the first marker line if a line break was added before the block."""


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
    """Return *crontab* with the block, which replaces an older block or is appended."""
    old_lines = crontab.splitlines(keepends=True)
    position = _find_block(old_lines, prefix)
    block = [f"{line}\n".encode() for line in lines]
    if position is not None:
        start, end = position
        if old_lines[start].rstrip().endswith(BREAK_ADDED.encode()):
            block[0] = block[0].rstrip() + BREAK_ADDED.encode() + b"\n"
        return b"".join([*old_lines[:start], *block, *old_lines[end:]])
    if crontab and not crontab.endswith(b"\n"):
        block[0] = block[0].rstrip() + BREAK_ADDED.encode() + b"\n"
        return crontab + b"\n" + b"".join(block)
    return crontab + b"".join(block)


def remove_block(crontab: bytes, prefix: str) -> bytes:
    """Return *crontab* as it was before the block was added."""
    lines = crontab.splitlines(keepends=True)
    position = _find_block(lines, prefix)
    if position is None:
        return crontab
    start, end = position
    before, after = b"".join(lines[:start]), b"".join(lines[end:])
    if lines[start].rstrip().endswith(BREAK_ADDED.encode()) and not after:
        before = before.removesuffix(b"\n")
    return before + after


def has_block(crontab: bytes, prefix: str) -> bool:
    """Return whether *crontab* has the timers of a home."""
    return _find_block(crontab.splitlines(), prefix) is not None


def find_problem(crontab: bytes, prefix: str) -> str:
    """Return why the command of the block cannot run; "" if its program exists."""
    lines = crontab.splitlines()
    position = _find_block(lines, prefix)
    assert position is not None
    line = lines[position[0] + 1].decode(errors="replace")
    try:
        program = shlex.split(line.split(maxsplit=5)[-1].replace("\\%", "%"))[0]
    except (ValueError, IndexError):  # an open quote, or no command
        return f"the line {line!r} has no command"
    return "" if shutil.which(program) else f"{program} does not exist"


def _find_block(lines: Sequence[bytes], prefix: str) -> tuple[int, int] | None:
    """Return the index of the block's first line, and of the first line after it.

    Raises:
        DamagedError: If the marker lines do not match.
    """
    begin, end = f"# BEGIN {prefix} timers:".encode(), f"# END {prefix} timers".encode()
    begins = [index for index, line in enumerate(lines) if line.startswith(begin)]
    ends = [index for index, line in enumerate(lines) if line.rstrip() == end]
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0] < ends[0]:
        return begins[0], ends[0] + 1
    raise DamagedError(
        f"line {min([*begins, *ends]) + 1} of the crontab: the BEGIN and END lines of crewmem's"
        " block do not match",
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
        """Replace the crontab, or remove it if *content* is empty.

        Raises:
            ServiceError: If cron rejects it, or stores something else.
        """
        status, _, reason = self._ask(content, *(["-"] if content else ["-r"]))
        if status and not (not content and any(text in reason for text in NO_CRONTAB)):
            raise ServiceError(f"crontab failed: {reason}", code="crontab-failed")
        if not self.read().endswith(content):  # some cron programs add a header
            raise ServiceError(
                "the crontab does not contain what was written",
                code="crontab-failed",
                hint="crontab -l",
            )

    def _ask(self, data: bytes, *words: str) -> tuple[int, bytes, str]:
        process = run_program(["crontab", *words], data=data, environ=self._environ)
        return process.returncode, process.stdout, join_lines(process.stderr)
