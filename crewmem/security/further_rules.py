"""An operator's further rules: the TOML file that the setting `scan.rules` names.

They hold for the whole process, like the rules that come with crewmem: the home that was opened
last says which file.
"""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from crewmem.errors import SettingsError

HINT = "crewmem config set scan.rules --default"

_file: Path | None = None


def use_further_rules(file: Path | None) -> None:
    """Let the scanner use the rules of *file* from now on; None: only those of crewmem."""
    global _file  # noqa: PLW0603 - as `logging` and `locale`: one scanner for the process
    _file = file


def read_further_rules() -> bytes:
    """Return the content of the file of further rules; empty without one.

    Raises:
        SettingsError: If the file cannot be read.
    """
    if _file is None:
        return b""
    try:
        return _read(_file, _file.stat().st_mtime_ns)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SettingsError(
            f"the scanner's rules in {_file} cannot be read: {reason}",
            code="bad-scan-rule",
            hint=HINT,
        ) from error


def hash_further_rules() -> str:
    """Return what changes when the further rules do; empty without any."""
    content = read_further_rules()
    return sha256(content).hexdigest() if content else ""


@lru_cache(maxsize=8)
def _read(file: Path, _changed: int) -> bytes:
    return file.read_bytes()
