"""Reasons that people and agents give: they are kept, so they are scanned as texts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App


def reason_of(app: App, text: str | None) -> str:
    """Return why something is done; "" if nobody said.

    Raises:
        UnsafeTextError: If it looks like an attack or a secret; nothing is done then.
    """
    if not text or not text.strip():
        return ""
    from crewmem.cli.scanner import scanner
    from crewmem.errors.memories import UnsafeTextError

    found = [each.rule for each in scanner(app)(text) if each.severity == "high"]
    if found:
        raise UnsafeTextError("the reason", [*dict.fromkeys(found)])
    return text
