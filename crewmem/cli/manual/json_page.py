"""The manual page of what crewmem answers with as JSON: crewmem-json(5)."""

from __future__ import annotations

import inspect

from crewmem.cli.manual.answers import ANSWERS, RECORDS, Answer
from crewmem.cli.manual.failures import details, every
from crewmem.cli.manual.page import head
from crewmem.cli.manual.records import fields
from crewmem.cli.manual.roff import bold, filled, prose, section, term
from crewmem.cli.output import SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DESCRIPTION = f"""\
With --json, which is short for --format json, a command prints one document on
standard output, in one line of ASCII, also when there is nothing to tell:

\b
{{"schema": {SCHEMA}, "data": ..., "warnings": []}}

With --format jsonl it prints what would be listed under `data`, or the one record,
as one object a line, and no document around it.

Names and meanings on this page are a contract: under schema {SCHEMA} fields are
added, and never changed or taken away. Read what you know, and leave the rest.

A *time* is text as in RFC 3339, in UTC. A *day* is text as in 2026-05-01. Text holds
stored characters as they are, the ones that act on a terminal included.
"""

ENVELOPE = {
    "schema": f"The version of all that is said here: {SCHEMA}.",
    "data": "The answer, as COMMANDS has it.",
    "next": (
        "Of what lists and finds: where the next page begins, or null when this is all."
    ),
    "warnings": (
        "What was not as it should be, in sentences; also told on standard error, "
        "unless --quiet is given."
    ),
}

FAILURE = f"""\
When a command fails, standard output stays empty, and standard error holds, in one
line,

\b
{{"schema": {SCHEMA},
 "error": {{"code": ..., "message": ..., "hint": ..., "details": ...}}}}

The exit status tells the family, `code` the kind, `message` is for a person, `hint`
is the next step or null, and `details` holds the facts by name.
"""

OTHERS = {
    "usage": (2, "The command line was wrong."),
    "bug": (70, "A bug in crewmem; the hint says where a report was written."),
    "interrupted": (130, "Somebody pressed ^C."),
    "terminated": (143, "Somebody asked the process to end."),
}
"""Failures that have no class, by code: status and meaning."""

SHAPES = {
    "one": "A record: {record}.",
    "list": "A list of records: {record}.",
    "hits": (
        "An object: mode says how it was asked, hits is a list of records: {record}."
    ),
}


def json_page() -> str:
    """Return the page."""
    lines = [
        *head("crewmem-json", "What crewmem answers with as JSON", number=5),
        *section("DESCRIPTION", prose(DESCRIPTION)),
        *section("ENVELOPE", _terms(ENVELOPE)),
        *section("COMMANDS", _commands()),
        *section("RECORDS", _records()),
        *section("ERRORS", [*prose(FAILURE), *_errors()]),
        *section("SEE ALSO", [".BR crewmem (1)"]),
    ]
    return "\n".join(lines) + "\n"


def _terms(abouts: dict[str, str]) -> Iterator[str]:
    for name, about in abouts.items():
        yield from term(bold(name), filled(about))


def _commands() -> Iterator[str]:
    for command, answer in ANSWERS.items():
        yield from term(bold(f"crewmem {command}"), filled(_said(answer)))


def _said(answer: Answer) -> str:
    shape = SHAPES[answer.shape].format(record=f"`{answer.record}`")
    return f"{shape} {answer.note}".strip()


def _records() -> Iterator[str]:
    for record in RECORDS:
        yield f'.SS "{record}"'
        for field in fields(record):
            about = f"{_capital(field.kind)}. {field.about}"
            yield from term(bold(field.name), filled(about))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _errors() -> Iterator[str]:
    for code, (status, about) in OTHERS.items():
        yield from term(f"{bold(code)} (exit status {status})", filled(about))
    for kind in every():
        about = inspect.getdoc(kind) or ""
        if facts := details(kind):
            about += f" Details: {', '.join(f'`{fact}`' for fact in facts)}."
        code, status = kind.__new__(kind).code, kind.exit_code
        yield from term(f"{bold(code)} (exit status {status})", filled(about))
