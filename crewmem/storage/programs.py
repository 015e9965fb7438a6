"""Runs other programs: systemctl, crontab, git, ssh, language models."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from crewmem.errors import ServiceError


def run_program(
    command: Sequence[str],
    *,
    data: bytes = b"",
    environ: Mapping[str, str] | None,
    directory: str | None = None,
    timeout: float = 30,
    umask: int = -1,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program with *data* as its standard input; return its exit status and output.

    Args:
        umask: The umask of the program; -1 for that of this process.

    Raises:
        ServiceError: If it is not installed, cannot be run, or takes more than *timeout* seconds.
    """
    try:
        return subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=timeout,
            env=environ,
            cwd=directory,
            umask=umask,
            check=False,
        )
    except FileNotFoundError as error:
        raise ServiceError(f"{command[0]} is not installed", code="program-missing") from error
    except subprocess.TimeoutExpired as error:
        raise ServiceError(
            f"{command[0]} did not end within {timeout:g} s", code="program-timeout"
        ) from error
    except OSError as error:
        raise ServiceError(f"{command[0]} failed: {error}", code="program-failed") from error


def join_lines(output: bytes) -> str:
    """Join the output of a program into one line."""
    return " ".join(output.decode("utf-8", "replace").split())


def find_crewmem() -> tuple[str, ...]:
    """Return the command that runs this crewmem; its path is absolute because a PATH may differ."""
    script = Path(sys.executable).with_name("crewmem")
    program = str(script) if os.access(script, os.X_OK) else shutil.which("crewmem")
    return (program,) if program else (sys.executable, "-m", "crewmem")
