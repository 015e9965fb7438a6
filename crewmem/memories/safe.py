"""Refusing texts that look like an attack or a secret.

What is to be remembered waits for a person instead: see `remember`.
"""

from __future__ import annotations

from crewmem.errors.memories import UnsafeTextError
from crewmem.threats.rule import HIGH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.memories.remember import Scan


def require_safe(what: str, text: str, scan: Scan) -> None:
    """Refuse *text*; who typed it is told *what* that is, and never what it says.

    Raises:
        UnsafeTextError: If it looks like an attack or a secret.
    """
    rules = dict.fromkeys(each.rule for each in scan(text) if each.severity == HIGH)
    if rules:
        raise UnsafeTextError(what, [*rules])
