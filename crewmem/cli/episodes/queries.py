"""Many questions at once, from JSON lines."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.cli.app import App
    from crewmem.journal.reading import Line

FILE_MOST = 10 << 20
"""Most bytes of questions."""


def queries(app: App, file: str) -> list[tuple[str, str]]:
    """Return the id and the text of each question in *file*; bad lines are told."""
    from crewmem.cli.typed import opened
    from crewmem.journal.reading import BadLineError, lines

    found: list[tuple[str, str]] = []
    with opened(app, file, most=None, usual=FILE_MOST, hint="") as (stream, _):
        for line in lines(stream):
            try:
                found.append(_question(line))
            except BadLineError as error:
                app.out.warn(f"line {line.number}: {error}")
    if not found:
        raise click.UsageError(f"{file} holds no question.")
    return found


def _question(line: Line) -> tuple[str, str]:
    from crewmem.journal.reading import BadLineError, json_object

    if line.text is None:
        raise BadLineError("it is too long")
    record = json_object(line.text)
    text, name = record.get("text"), record.get("id", str(line.number))
    if not isinstance(text, str) or not text.strip():
        raise BadLineError("text should be a question")
    return str(name), text
