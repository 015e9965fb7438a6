"""Runs other programs: systemctl, crontab, git, ssh, language models."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from crewmem.errors import ServiceError


def run_program(
    words: Sequence[str],
    *,
    data: bytes = b"",
    environ: Mapping[str, str] | None = None,
    directory: str | None = None,
    seconds: float = 30,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program and return its status and output.

    Raises:
        ServiceError: If it is not installed, cannot be run, or takes more than *seconds*.
    """
    try:
        return subprocess.run(
            words,
            input=data,
            capture_output=True,
            timeout=seconds,
            env=environ,
            cwd=directory,
            check=False,
        )
    except FileNotFoundError as error:
        raise ServiceError(f"{words[0]} is not installed", code="program-missing") from error
    except subprocess.TimeoutExpired as error:
        raise ServiceError(
            f"{words[0]} did not end within {seconds:g} s", code="program-timeout"
        ) from error
    except OSError as error:
        raise ServiceError(f"{words[0]} failed: {error}", code="program-failed") from error


def join_words(output: bytes) -> str:
    """Join the output of a program into one line."""
    return " ".join(output.decode("utf-8", "replace").split())


def find_crewmem() -> tuple[str, ...]:
    """Return the command of this crewmem, with a full path because other PATHs may differ."""
    script = Path(sys.executable).with_name("crewmem")
    found = str(script) if os.access(script, os.X_OK) else shutil.which("crewmem")
    return (found,) if found else (sys.executable, "-m", "crewmem")
