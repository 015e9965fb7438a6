"""Scanner for attacks, suspicious text and secrets.

A `Scanner` belongs to a home (`Context.scanner`): `scan` lists what is found in a text, `screen`
decides what of it may be stored, `make_safe` makes it fit to be shown to a model or a person.
Secrets alone need no home: `redact` removes them. docs/security.md has the threat model.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers; at run time __getattr__ imports it
    from crewmem.security.allowed import hash_passage, hash_passages
    from crewmem.security.findings import Finding
    from crewmem.security.safe_text import SafeText
    from crewmem.security.scanner import Scanner, ScanReport, Screened
    from crewmem.security.secrets import redact, redact_bytes

__all__ = [
    "Finding",
    "SafeText",
    "ScanReport",
    "Scanner",
    "Screened",
    "hash_passage",
    "hash_passages",
    "redact",
    "redact_bytes",
]

_ELSEWHERE = {
    "Finding": "findings",
    "SafeText": "safe_text",
    "hash_passage": "allowed",
    "hash_passages": "allowed",
    "redact": "secrets",
    "redact_bytes": "secrets",
}
"""Modules of the names that are not the scanner's."""


def __getattr__(name: str) -> object:
    """Import a part when it is first used: what is known to be clean needs no scanner."""
    if name not in __all__:
        raise AttributeError(f"module 'crewmem.security' has no attribute '{name}'")
    return getattr(import_module(f"crewmem.security.{_ELSEWHERE.get(name, 'scanner')}"), name)
