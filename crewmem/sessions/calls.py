"""Parse tool calls: files, commands, and whether the result is a failure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

CALL_LIMIT = 2048
"""Maximum characters of a call's arguments that are indexed."""

CHANGING = ("edit", "write", "patch", "replace", "create", "insert", "delete", "rename", "move")
"""Substrings of the names of tools that change files."""

PATH_ARGUMENTS = ("file_path", "path", "absolute_path", "filePath", "notebook_path", "filename")
COMMAND_ARGUMENTS = ("command", "cmd", "script")
PATCH_ARGUMENTS = ("patch", "patchText", "input", "diff")
CHANGE_ARGUMENTS = (
    *("old_string", "oldText", "oldString", "old_str"),
    *("new_string", "newText", "newString", "new_str", "content", *PATCH_ARGUMENTS),
)

PATCH = "*** Begin Patch"
PATCH_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\+\+\+ b/(.+)$", re.MULTILINE)
SHELL = re.compile(r"\Abash -l?c (['\"]?)(.+)\1\Z", re.DOTALL)

READERS = frozenset({
    "awk", "cat", "diff", "fd", "file", "find", "git", "grep", "head", "jq", "less", "ls", "man",
    "nl", "rg", "sed", "tail", "tree", "wc", "which",
})  # fmt: skip
"""Programs that print existing text: an error message in their output is not their own."""

RUNNERS = frozenset({
    "bun", "cargo", "docker", "dotnet", "git", "go", "gradle", "make", "mise", "mvn", "npm", "npx",
    "pnpm", "poetry", "python", "python3", "uv", "yarn",
})  # fmt: skip
"""Programs whose first argument is a subcommand."""

SCRIPT_RUNNERS = ("npm", "pnpm", "yarn", "uv", "poetry")
"""Runners whose second argument may name the subcommand: ``npm run test``."""


class Call(NamedTuple):
    """The parsed arguments of a call.

    Attributes:
        text: Text to index.
        command: Shell command; "" for none.
        files: Paths that it reads or changes.
        is_change: Whether it changes files.
    """

    text: str
    command: str
    files: tuple[str, ...]
    is_change: bool


def read_call(tool: str, arguments: object) -> Call:
    """Parse the arguments of a call of *tool*.

    Args:
        arguments: An object, JSON or other text. A patch given as a command does not count as one.
    """
    if isinstance(arguments, str):
        text = arguments
        try:
            arguments = json.loads(text) if text[:1] == "{" else {"input": text}
        except ValueError:
            arguments = {"input": text}
    if not isinstance(arguments, dict):
        return Call("", "", (), False)
    command = _find_command(arguments)
    files = [
        value for name in PATH_ARGUMENTS if isinstance(value := arguments.get(name), str) and value
    ]
    is_change = any(part in tool.lower() for part in CHANGING)
    lines = []
    patch = command if PATCH in command else ""
    if command:
        lines.append(command)
        description = arguments.get("description")
        if isinstance(description, str):
            lines.append(f"# {description}")
    elif files and is_change:
        lines.append(" ".join(files))
    for name in CHANGE_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value and not command:
            lines.append(value)
            if name in PATCH_ARGUMENTS:
                patch = value
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, dict):
            lines += [v for n in CHANGE_ARGUMENTS if isinstance(v := edit.get(n), str)]
    patched = [a or b for a, b in PATCH_FILE.findall(patch)]
    files += patched
    is_change = is_change or bool(patched)
    if not lines:
        values = (f"{k}: {v}" for k, v in arguments.items() if isinstance(v, str | int | float))
        lines.append("\n".join(values))
    paths = tuple(dict.fromkeys(file for file in files if len(file) < 1024 and "\n" not in file))
    if command.lstrip().startswith(PATCH):
        command = ""
    return Call("\n".join(lines), command[:CALL_LIMIT], paths, is_change)


def _find_command(arguments: Mapping[str, object]) -> str:
    """Return the command among the arguments of a call, without a ``bash -c`` around it."""
    for name in COMMAND_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, list) and value:
            is_shell = len(value) > 2 and value[1] in ("-c", "-lc")
            value = str(value[-1]) if is_shell else " ".join(map(str, value))
        if isinstance(value, str) and value:
            return SHELL.sub(r"\2", value)
    return ""


def get_program(command: str) -> str:
    """Return the program that a shell command runs; ``cd`` and variables before it are skipped.

    >>> get_program("cd /srv && CI=1 npx vitest run")
    'npx'
    """
    for part in command.replace("&&", ";").split(";"):
        words = [word for word in part.split() if "=" not in word.split("/")[0]]
        if words and words[0] not in ("cd", "export", "set", "source", ".", "echo", "sleep"):
            return words[0].rpartition("/")[2].strip("()")
    return ""


def shape_command(command: str) -> tuple[str, ...]:
    """Return program and subcommand, which identify runs of the same command.

    >>> shape_command("cd /srv && npm run test -- --watch=false") == shape_command("npm run test")
    True
    """
    program = get_program(command)
    if program not in RUNNERS:
        return (program,)
    words = command[command.find(program) + len(program) :].split()
    named = [word for word in words if not word.startswith("-") and "/" not in word]
    return (program, *named[: 2 if program in SCRIPT_RUNNERS else 1])


EXIT_STATUS = r"(?i)\bexit(?:ed)?(?: with)?(?: exit)?(?: code| status)?:? (-?\d{1,3})\b"
FAILURE = (
    r"(?m)^(?:=+ .*\b\d+ (?:failed|error)|--- FAIL:|FAIL[\t ]|npm ERR!|npm error"
    r"|error(?:\[\w+\])?: |Traceback \(most recent call last\)|make(?:\[\d+\])?: \*\*\*"
    r"|fatal: |(?:/\S*/)?(?:ba|z)?sh: .*not found"
    r"|✗|[ \t]*Tests?: +\d+ failed|BUILD FAILED)"
)
"""Output of test runners and compilers that failed; in a pipe their exit status is lost."""


def read_exit_status(output: str) -> int | None:
    """Return the exit status stated at the start or end of a command's output; None for none."""
    for text in (output[:160], output[-120:]):
        if "xit" in text:
            match = re.search(EXIT_STATUS, text)
            if match:
                return int(match[1])
    return None


def has_failure(output: str) -> bool:
    """Return whether a command's output shows a failure."""
    return re.search(FAILURE, output) is not None
