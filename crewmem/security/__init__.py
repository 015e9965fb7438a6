"""Scanner for attacks, suspicious text and secrets.

`scan` lists what is found in a text, `screen` decides what of it may be stored, `guard`
makes it fit to be shown to a model or a person, `redact` removes secrets only, and
`scan_path` reads files. docs/security.md has the threat model.
"""

from typing import TYPE_CHECKING

from crewmem.security.further_rules import hash_further_rules, use_further_rules
from crewmem.security.released import (
    forget_released,
    hash_passage,
    hash_passages,
    read_released,
    use_released,
)

if TYPE_CHECKING:  # for type checkers; at run time __getattr__ imports it
    from crewmem.security.scanner import (
        Finding,
        GuardedText,
        ScanReport,
        Screened,
        find_texts_to_screen,
        guard,
        has_attack,
        redact,
        scan,
        scan_name,
        scan_path,
        scan_secrets,
        screen,
    )
    from crewmem.security.secrets import redact_bytes, redact_line

__all__ = [
    "Finding",
    "GuardedText",
    "ScanReport",
    "Screened",
    "find_texts_to_screen",
    "forget_released",
    "guard",
    "has_attack",
    "hash_further_rules",
    "hash_passage",
    "hash_passages",
    "read_released",
    "redact",
    "redact_bytes",
    "redact_line",
    "scan",
    "scan_name",
    "scan_path",
    "scan_secrets",
    "screen",
    "use_further_rules",
    "use_released",
]


def __getattr__(name: str) -> object:
    """Import the scanner when it is first used: what is known to be clean needs no scanner."""
    if name not in __all__:
        raise AttributeError(f"module 'crewmem.security' has no attribute '{name}'")
    from crewmem.security import scanner, secrets

    return getattr(secrets if name in ("redact_bytes", "redact_line") else scanner, name)
