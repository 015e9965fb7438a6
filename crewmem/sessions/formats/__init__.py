"""Formats of session logs: a module per program, behind one Protocol."""

from __future__ import annotations

from crewmem.sessions.formats.base import Document, Format, InnerSession
from crewmem.sessions.formats.claude_code import ClaudeCode
from crewmem.sessions.formats.codex import Codex
from crewmem.sessions.formats.gemini import Gemini
from crewmem.sessions.formats.openclaw import OpenClaw
from crewmem.sessions.formats.opencode import OpenCode
from crewmem.sessions.formats.plain import Plain
from crewmem.sessions.turns import Record

__all__ = [
    "FORMATS",
    "Document",
    "Format",
    "InnerSession",
    "find_format",
    "get_format",
]

FORMATS: tuple[Format, ...] = (
    ClaudeCode(),
    Codex(),
    OpenClaw(),
    Gemini(),
    OpenCode(),
    Plain(),
)
"""All formats; the plain one, which matches nearly anything, is last."""


def get_format(program: str) -> Format:
    return next(format_ for format_ in FORMATS if format_.name == program)


def find_format(record: Record) -> Format | None:
    """Return the format that recognises a line or document; None for none."""
    return next((format_ for format_ in FORMATS if format_.recognises(record)), None)
