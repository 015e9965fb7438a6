"""An operator's further rules: the TOML file that the setting `scan.rules` names."""

from hashlib import sha256
from pathlib import Path

from crewmem.errors import SettingsError

HINT = "crewmem config set scan.rules --default"


def read_further_rules(file: Path | None) -> bytes:
    """Return the content of *file*; empty without one.

    Raises:
        SettingsError: If it cannot be read.
    """
    if file is None:
        return b""
    try:
        return file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SettingsError(
            f"the scanner's rules in {file} cannot be read: {reason}",
            code="bad-scan-rule",
            hint=HINT,
        ) from error


def hash_further_rules(file: Path | None) -> str:
    """Return what changes when the rules in *file* do; empty without any."""
    content = read_further_rules(file)
    return sha256(content).hexdigest() if content else ""
