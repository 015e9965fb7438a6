"""Checks of agent programs: their hooks, and their entries for the MCP server."""

from __future__ import annotations

from crewmem.health.doctor import (
    HOME,
    Finding,
    Subject,
    check,
    failed,
    passed,
    skipped,
)
from crewmem.text.wording import count

MCP = "mcp"


def _judge(subject: Subject, *, is_mcp: bool, what: str, plural: str) -> list[Finding]:
    entries = subject.hooks
    if entries is None:
        return [skipped("nobody can tell about agent programs here")]
    wanted = [entry for entry in entries if (entry.entry == MCP) == is_mcp]
    found = [
        failed(
            f"{entry.program}, {entry.entry} in {entry.file}: {entry.problem}",
            expected="an entry that works",
            fix=entry.hint,
            where=str(entry.file),
        )
        for entry in wanted
        if entry.problem
    ]
    return found or [passed(f"{count(len(wanted), what, plural)} tried")]


@check("hooks.working", HOME)
def check_hooks(subject: Subject) -> list[Finding]:
    """Find hooks that are missing, name an unknown agent, or do not answer in time."""
    return _judge(subject, is_mcp=False, what="hook", plural="hooks")


@check("mcp.executable", HOME)
def check_mcp(subject: Subject) -> list[Finding]:
    """Find an entry for the MCP server that points to a missing executable."""
    return _judge(subject, is_mcp=True, what="entry", plural="entries")
