"""A turn of a session, and what every format needs to make one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from crewmem.errors import UsageError
from crewmem.times import format_time, parse_time

Record = Mapping[str, Any]
"""One JSON object of a log."""

USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system"
ROLES = (USER, ASSISTANT, TOOL, SYSTEM)

SYNTHETIC, SIDECHAIN, SUMMARY, CALL, RESULT = 1, 2, 4, 8, 16
"""Flags of a turn, as the index keeps them."""

TITLE_LENGTH = 80
"""Characters of the title of a turn, or of a session without one."""

OUTPUT_LIMIT = 4096
"""Characters of a tool's output that are kept: its head and its tail."""

CALL_LIMIT = 2048
"""Characters of a call's arguments that are kept."""

SPEECH_LIMIT = 256 * 1024
"""Characters of what somebody said that are kept; more is a pasted file."""

RECALLED_BLOCK = re.compile(
    r'\A<recalled-memory trust="untrusted".*?</recalled-memory>\s*', re.DOTALL
)
"""Memory that crewmem put before what a person said."""


LOSS_WINDOW = timedelta(minutes=5)
"""Marks of one session within it are one context loss: programs write several."""


class Loss(NamedTuple):
    """A context loss.

    Attributes:
        mark: By what it was noticed: ``compact_boundary``, ``compacted``, ``compaction``, ``drop``.
        before: Tokens of context before it; None when unknown.
        after: Tokens after it; None when unknown.
    """

    mark: str
    before: int | None = None
    after: int | None = None


class Turn(NamedTuple):
    """Something that was said or done in a session.

    Attributes:
        line: Line of the log, from 1; of a log that is one JSON object, the message, from 0.
        part: Number of the turn within its line.
        role: user, assistant, tool or system.
        text: What was said; of a call its arguments, of its result the output.
        at: As times are stored; "" when the log does not say.
        message_id: The program's own id of the message; "" when it has none.
        tool: Name of the tool, of a call and, where the log has it, of its result.
        call_id: Joins a call and its result.
        command: What a call ran in a shell.
        files: Paths that a call read or changed.
        is_change: Whether the call changed its files.
        is_call: Whether it is a call, and not a result.
        exit_status: Of a command; None when unknown.
        failed: Whether a call failed, said by its result; None when unknown.
        sidechain: Whether a sub-agent said it, not the session's own agent or person.
        synthetic: Whether the program put it there in somebody's name.
        summary: Whether a model wrote it to replace lost context.
        loss: The context loss that it marks.
        tokens: Size of the context that the model was given.
    """

    line: int
    part: int
    role: str
    text: str
    at: str = ""
    message_id: str = ""
    tool: str = ""
    call_id: str = ""
    command: str = ""
    files: tuple[str, ...] = ()
    is_change: bool = False
    is_call: bool = False
    exit_status: int | None = None
    failed: bool | None = None
    sidechain: bool = False
    synthetic: bool = False
    summary: bool = False
    loss: Loss | None = None
    tokens: int | None = None


@dataclass(slots=True)
class State:
    """What a format remembers from line to line of one log. Stored with its cursor, as JSON.

    Attributes:
        session: The program's own id of the session.
        project: Directory that was worked in.
        agent: Slug of the agent, where the program knows agents.
        kept: The format's own values.
        unknown: How often each unknown type of line was met in this run.
    """

    session: str = ""
    project: str = ""
    branch: str = ""
    title: str = ""
    agent: str = ""
    kept: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)

    def dump(self) -> dict[str, Any]:
        """Return what the next run needs."""
        values = asdict(self)
        del values["unknown"]
        return values

    def count_unknown(self, kind: object) -> None:
        """Count a type of line that the format does not know."""
        name = str(kind)[:80] or "(none)"
        self.unknown[name] = self.unknown.get(name, 0) + 1


def remove_recalled(role: str, text: str) -> str:
    """Return what was said in a turn, without the memory that crewmem put before it."""
    return RECALLED_BLOCK.sub("", text) if role == USER else text


def read_time(value: object) -> str:
    """Return a log's time as times are stored; "" for none. Numbers are seconds or ms."""
    if isinstance(value, str):
        if len(value) == 24 and value[-1] == "Z" and value[10] == "T":
            return value
        try:
            return format_time(parse_time(value))
        except UsageError:
            return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value > 100_000_000_000 else value
        try:
            return format_time(datetime.fromtimestamp(seconds, UTC))
        except (ValueError, OverflowError, OSError):
            return ""
    return ""


def read_text(content: object, *kinds: str) -> str:
    """Return the text of a message's content: a string, or blocks of which those of *kinds*."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and block.get("type", "text") in kinds:
            text = block.get("text")
            if isinstance(text, str):
                texts.append(text)
    return "\n".join(texts)


def list_objects(content: object, kind: str = "") -> Iterator[dict[str, Any]]:
    """Yield the objects of a list, only those whose type is *kind*; nothing of anything else."""
    if isinstance(content, list):
        for each in content:
            if isinstance(each, dict) and (not kind or each.get("type") == kind):
                yield each


def get_object(record: Record, name: str) -> dict[str, Any]:
    """Return the object *name* of a record; an empty one when it has none."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def get_string(record: Record, *names: str) -> str:
    """Return the first of *names* that is a string; else ""."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def get_count(record: Record, *names: str) -> int | None:
    """Return the first of *names* that is a number; else None."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def shorten(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """Return head and tail of a text that is longer than *limit* characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters …]\n{text[-half:]}"


CHANGING = ("edit", "write", "patch", "replace", "create", "insert", "delete", "rename", "move")
"""Parts of the names of tools that change files."""

PATH_ARGUMENTS = ("file_path", "path", "absolute_path", "filePath", "notebook_path", "filename")
COMMAND_ARGUMENTS = ("command", "cmd", "script")
CHANGE_ARGUMENTS = (
    "old_string",
    "oldText",
    "oldString",
    "old_str",
    "new_string",
    "newText",
    "newString",
    "new_str",
    "content",
    "patch",
    "input",
    "diff",
)
PATCH_FILE = r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\+\+\+ b/(.+)$"


class Call(NamedTuple):
    """What the arguments of a call say."""

    text: str
    command: str
    files: tuple[str, ...]
    is_change: bool


def read_call(tool: str, arguments: object) -> Call:
    """Read the arguments of a call of *tool*: an object, or JSON or other text."""
    if isinstance(arguments, str):
        text = arguments
        try:
            arguments = json.loads(text) if text[:1] == "{" else {"input": text}
        except ValueError:
            arguments = {"input": text}
    if not isinstance(arguments, dict):
        return Call("", "", (), False)
    command = ""
    for name in COMMAND_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, list) and value:
            # ["bash", "-lc", "make test"]
            value = (
                str(value[-1])
                if len(value) > 2 and value[1] in ("-c", "-lc")
                else " ".join(map(str, value))
            )
        if isinstance(value, str) and value:
            command = value
            break
    files = [
        value for name in PATH_ARGUMENTS if isinstance(value := arguments.get(name), str) and value
    ]
    is_change = any(part in tool.lower() for part in CHANGING)
    lines = []
    if command:
        lines.append(command)
        description = arguments.get("description")
        if isinstance(description, str):
            lines.append(f"# {description}")
    elif files and is_change:
        lines.append(" ".join(files))
    patch = command if "*** Begin Patch" in command else ""
    for name in CHANGE_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value and not command:
            lines.append(value)
            if name in ("patch", "input", "diff"):
                patch = value
    for edit in list_objects(arguments.get("edits")):
        lines += [v for n in CHANGE_ARGUMENTS if isinstance(v := edit.get(n), str)]
    if patch and ("*** " in patch or "+++ b/" in patch):
        found = [a or b for a, b in _pattern(PATCH_FILE).findall(patch)]
        files += found
        is_change = is_change or bool(found)
    if not lines:
        values = (f"{k}: {v}" for k, v in arguments.items() if isinstance(v, str | int | float))
        lines.append("\n".join(values))
    kept = tuple(dict.fromkeys(file for file in files if len(file) < 1024 and "\n" not in file))
    return Call("\n".join(lines), command[:CALL_LIMIT], kept, is_change)


EXIT_STATUS = r"(?i)\bexit(?:ed)?(?: with)?(?: exit)?(?: code| status)?:? (-?\d{1,3})\b"
FAILURE = (
    r"(?m)^(?:=+ .*\b\d+ (?:failed|error)|--- FAIL:|FAIL[\t ]|npm ERR!|npm error"
    r"|error(?:\[\w+\])?: |Traceback \(most recent call last\)|make(?:\[\d+\])?: \*\*\*"
    r"|fatal: |(?:/\S*/)?(?:ba|z)?sh: .*not found"
    r"|✗|[ \t]*Tests?: +\d+ failed|BUILD FAILED)"
)
"""What test runners and compilers print when they fail: pipes hide their exit status."""


def read_exit_status(output: str) -> int | None:
    """Return the exit status that a program wrote before or after a command's output."""
    for text in (output[:160], output[-120:]):
        if "xit" in text:
            match = _pattern(EXIT_STATUS).search(text)
            if match:
                return int(match[1])
    return None


def has_failure(output: str) -> bool:
    """Tell whether a command's output says that what it ran failed."""
    return _pattern(FAILURE).search(output) is not None


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
