"""Formats of session logs: one module a program, behind one Protocol."""

from __future__ import annotations

from crewmem.errors import UsageError
from crewmem.sessions.formats.base import Document, Format
from crewmem.sessions.formats.claude_code import ClaudeCode
from crewmem.sessions.formats.codex import Codex
from crewmem.sessions.formats.gemini import Gemini
from crewmem.sessions.formats.openclaw import OpenClaw
from crewmem.sessions.formats.opencode import OpenCode
from crewmem.sessions.formats.plain import Plain
from crewmem.sessions.turns import Record

__all__ = ["FORMATS", "PROGRAMS", "Document", "Format", "check_program", "get_format", "recognise"]

FORMATS: tuple[Format, ...] = (
    ClaudeCode(), Codex(), OpenClaw(), Gemini(), OpenCode(), Plain()
)  # fmt: skip
"""All formats; the plain one, which nearly anything has, is last."""

PROGRAMS = tuple(format_.name for format_ in FORMATS)


def get_format(program: str) -> Format:
    return next(format_ for format_ in FORMATS if format_.name == program)


def check_program(name: str) -> None:
    """Raise UsageError for the name of a program that has no format."""
    if name not in PROGRAMS:
        raise UsageError(
            f"there is no program '{name}'; use {', '.join(PROGRAMS)}", code="unknown-program"
        )


def recognise(record: Record) -> Format | None:
    """Return the format of a line or document, or None."""
    return next((format_ for format_ in FORMATS if format_.knows(record)), None)
