"""The agent programs whose logs crewmem reads."""

from crewmem.errors import UsageError

PROGRAMS = ("claude", "codex", "openclaw", "gemini", "opencode", "plain")
"""Names of the formats in `crewmem.sessions.formats`, in their order."""


def check_program(name: str) -> None:
    """Raise UsageError if no format has this name."""
    if name not in PROGRAMS:
        raise UsageError(
            f"there is no program '{name}'; use {', '.join(PROGRAMS)}", code="unknown-program"
        )
