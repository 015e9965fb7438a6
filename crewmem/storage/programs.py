"""Running other programs: systemctl, crontab, git, ssh, language models."""

import subprocess
from collections.abc import Mapping, Sequence

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
    """Return what a program printed as one line."""
    return " ".join(output.decode("utf-8", "replace").split())
