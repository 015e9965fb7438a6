"""Reasons that people and agents give: they are kept, so they are scanned as texts."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App


def reason_of(app: App, text: str | None) -> str:
    """Return why something is done, read if it is -; "" if nobody said.

    Raises:
        InputTooLargeError: If it is longer than a memory may be.
        UnsafeTextError: If it looks like an attack or a secret; nothing is done then.
    """
    if text == "-":
        from crewmem.cli.typed import read_text

        text = read_text(app).rstrip("\n")
    if not text or not text.strip():
        return ""
    from crewmem.cli.scanner import scanner
    from crewmem.errors.cli import InputTooLargeError
    from crewmem.memories.draft import CONTENT_MOST
    from crewmem.memories.safe import require_safe

    if "\0" in text:
        raise click.UsageError("--reason should be text, not 'a NUL character'")
    if (size := len(text.encode("utf-8", "replace"))) > CONTENT_MOST:
        raise InputTooLargeError("the reason", size, CONTENT_MOST)
    require_safe("the reason", text, scanner(app))
    return text
