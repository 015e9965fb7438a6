"""Scanner for attacks, suspicious text and secrets.

`scan` lists what is found in a text, `screen` decides what of it may be stored, `guard`
makes it fit to be shown to a model or a person, `redact` removes secrets only, and
`scan_path` reads files. docs/security.md has the threat model.
"""

from crewmem.security.scanner import (
    Finding,
    GuardedText,
    ScanReport,
    Screened,
    guard,
    guard_record,
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
    "guard",
    "guard_record",
    "has_attack",
    "redact",
    "redact_bytes",
    "redact_line",
    "scan",
    "scan_name",
    "scan_path",
    "scan_secrets",
    "screen",
]
