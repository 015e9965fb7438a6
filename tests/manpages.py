"""Manual pages, generated from the commands and their records."""

from collections.abc import Mapping, Sequence
from typing import Any

import click
from schemas import list_subcommands, make_schema, walk_commands

from crewmem import __version__
from crewmem.cli.command import CONTEXT_SETTINGS
from crewmem.cli.config import format_value
from crewmem.config import SETTINGS, variable_name

EXIT_STATUSES = (
    ("0", "Success."),
    ("1", "Success, but a check failed, or nothing was found with --exit-code."),
    ("2", "Bad usage."),
    ("3", "Bad settings."),
    ("4", "Not found."),
    ("5", "Damaged data, or data of another version."),
    ("6", "Locked by another process."),
    ("7", "A service failed."),
    ("8", "Refused because of access, a size cap, or the scanner."),
    ("9", "Conflict: the stored state has changed or does not allow the change."),
    ("70", "A bug; a report was written."),
    ("130, 143", "Interrupted; terminated."),
)

FILES = (
    ("crewmem.db", "Registry, journal, facts, versions and review: the primary data."),
    ("config.toml, tuned.toml", "Settings; values that eval tune applied."),
    (
        "workspaces/",
        "Memory files of each workspace, with their index and the scanner's verdicts (derived).",
    ),
    ("sessions.sqlite, vectors.sqlite", "Derived data, rebuilt after deletion."),
    ("versions/", "Stored contents of memory files."),
    ("sessions/", "Compressed copies of session logs."),
    ("models/, locks/, logs/, incidents/", "Model weights, locks, logs, reports."),
)

VARIABLES = (
    ("CREWMEM_HOME", "The home, if --home is not given."),
    ("CREWMEM_WORKSPACE", "The workspace, if --workspace is not given."),
    ("CREWMEM_ACTOR, CREWMEM_AGENT", "The actor, if --as is not given."),
    (
        "CREWMEM_CHAIN_KEY",
        "Secret key of the journal's hash chain; once used, every write needs it.",
    ),
    ("CREWMEM_MODEL_DIR", "Directory that is searched first for model weights."),
    ("NO_COLOR", "Do not use colour."),
)


def escape(text: str) -> str:
    """Escape *text* for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.splitlines())


def make_command_page(path: str, command: click.Command) -> str:
    """Return the manual page of a command."""
    name = f"crewmem-{path.replace(' ', '-')}"
    context = click.Context(command, info_name=f"crewmem {path}", **CONTEXT_SETTINGS)
    usage = " ".join(command.collect_usage_pieces(context))
    paragraphs = [" ".join(p.split()) for p in (command.help or "").split("\n\n")]
    lines = [
        _title(name, 1),
        ".SH NAME",
        f"{escape(name)} \\- {escape(paragraphs[0].rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B crewmem {escape(path)}",
        escape(usage),
        ".SH DESCRIPTION",
        "\n.PP\n".join(escape(paragraph) for paragraph in paragraphs),
    ]
    records = [p.get_help_record(context) for p in command.get_params(context)]
    shown = [record for record in records if record is not None]
    if shown:
        lines += [".SH OPTIONS", *_definitions(shown)]
    lines += [".SH SEE ALSO", ".BR crewmem (1)", ""]
    return "\n".join(lines)


def make_main_page(
    sections: Mapping[str, Mapping[str, Any]], commands: Mapping[str, click.Command]
) -> str:
    """Return the manual page crewmem(1)."""
    lines = [
        _title("crewmem", 1),
        ".SH NAME",
        "crewmem \\- memory for crews of AI agents",
        ".SH SYNOPSIS",
        ".B crewmem",
        "[global options] COMMAND [options] [arguments]",
        ".SH DESCRIPTION",
        (
            "crewmem keeps the memory of AI agents on disk: markdown files, and a SQLite database"
            " with facts and a journal. There is no server."
        ),
        ".SH COMMANDS",
    ]
    for title, section in sections.items():
        lines += [f".SS {escape(title)}"]
        for name, entry in section.items():
            lines += _definitions([(name, entry.help)])
            command = commands[name]
            if isinstance(command, click.Group):
                names = ", ".join(sorted(list_subcommands(command)))
                lines += [f"Commands: {escape(names)}."]
    lines += [".SH EXIT STATUS", *_definitions(EXIT_STATUSES)]
    lines += [".SH FILES", "Below the home:", *_definitions(FILES)]
    lines += [".SH ENVIRONMENT", *_definitions(VARIABLES)]
    lines += [".SH SETTINGS", "In config.toml, or as variables:"]
    for setting in SETTINGS:
        default = format_value(setting.default)
        shown = "empty" if default == "-" else default
        text = f"{setting.help} Default: {shown}. ${variable_name(setting.name)}"
        lines += _definitions([(setting.name, text)])
    lines += [".SH SEE ALSO", ".BR crewmem\\-json (5)", ""]
    return "\n".join(lines)


def make_json_page(commands: Mapping[str, click.Command]) -> str:
    """Return the manual page crewmem-json(5): the fields of every answer."""
    lines = [
        _title("crewmem-json", 5),
        ".SH NAME",
        "crewmem\\-json \\- JSON answers of crewmem",
        ".SH DESCRIPTION",
        (
            "With \\-\\-format json an answer is an object with schema, data, next and warnings."
            " With \\-\\-format jsonl each record of data is a line. An error is an object with"
            " schema and error (code, message, hint, details) on standard error."
        ),
        ".SH ANSWERS",
    ]
    records: dict[str, Any] = {}
    for path, command in walk_commands(commands):
        answer = getattr(command, "answer", None)
        if answer is None:
            continue
        schema = make_schema(answer, path)
        records |= schema.get("$defs", {})
        lines += _definitions([(f"crewmem {path}", _name_type(schema["properties"]["data"]))])
    lines += [".SH RECORDS"]
    for name, record in sorted(records.items()):
        lines += [f".SS {escape(name)}", escape(record.get("description", ""))]
        for field, kind in record.get("properties", {}).items():
            lines += _definitions([(field, _name_type(kind))])
    return "\n".join([*lines, ""])


def make_pages(
    sections: Mapping[str, Mapping[str, Any]], commands: Mapping[str, click.Command]
) -> dict[str, str]:
    """Return all manual pages by their path below ``man/``."""
    pages = {
        f"man1/crewmem-{path.replace(' ', '-')}.1": make_command_page(path, command)
        for path, command in walk_commands(commands)
    }
    pages["man1/crewmem.1"] = make_main_page(sections, commands)
    pages["man5/crewmem-json.5"] = make_json_page(commands)
    return pages


def _title(name: str, section: int) -> str:
    return f'.TH "{escape(name.upper())}" "{section}" "" "crewmem {__version__}" "crewmem manual"'


def _definitions(pairs: Sequence[tuple[str, str]]) -> list[str]:
    lines = []
    for term, text in pairs:
        lines += [".TP", f"\\fB{escape(term)}\\fR", escape(" ".join(text.split()))]
    return lines


def _name_type(schema: Mapping[str, Any]) -> str:
    """Name a type of a JSON Schema in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_name_type(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"])
    kind = schema.get("type", "any value")
    if kind == "array" and "items" in schema:
        return f"array of {_name_type(schema['items'])}"
    if kind == "object" and "additionalProperties" in schema:
        return f"object of {_name_type(schema['additionalProperties'])}"
    return str(kind)
