"""Parse tool calls: files, commands, and whether the result is a failure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from crewmem.sessions.turns import TOKEN_CHARACTERS

CALL_LIMIT = 2048
"""Maximum characters of a call's arguments that are indexed."""

CHANGING = ("edit", "write", "patch", "replace", "create", "insert", "delete", "rename", "move")
"""Substrings of the names of tools that change files."""

PATH_ARGUMENTS = ("file_path", "path", "absolute_path", "filePath", "notebook_path", "filename")
PATHS_ARGUMENTS = ("paths", "include")
"""Arguments with a list of paths, which may be patterns."""

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
    files = _get_strings(arguments, PATH_ARGUMENTS)
    for values in map(arguments.get, PATHS_ARGUMENTS):
        listed = values if isinstance(values, list) else ()
        files += [path for path in listed if isinstance(path, str) and "*" not in path]
    name = tool.lower()
    is_change = any(part in name for part in CHANGING)
    if command:
        lines, patch = [command], command if PATCH in command else ""
        lines += [f"# {text}" for text in _get_strings(arguments, ("description",))]
    else:
        lines = [" ".join(files)] if files and is_change else []
        lines += _get_strings(arguments, CHANGE_ARGUMENTS)
        patch = "\n".join(_get_strings(arguments, PATCH_ARGUMENTS))
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, dict):
            lines += _get_strings(edit, CHANGE_ARGUMENTS)
    patched = [a or b for a, b in PATCH_FILE.findall(patch)]
    if not lines:
        lines = [f"{k}: {v}" for k, v in arguments.items() if isinstance(v, str | int | float)]
    paths = [file for file in (*files, *patched) if len(file) < 1024 and "\n" not in file]
    if command.lstrip().startswith(PATCH):
        command = ""
    elif len(command) > CALL_LIMIT:
        command = command[:CALL_LIMIT].rstrip(TOKEN_CHARACTERS) or command[:CALL_LIMIT]
    return Call(
        "\n".join(lines),
        command,
        tuple(dict.fromkeys(paths)),
        is_change or bool(patched),
    )


def _get_strings(values: Mapping[str, object], names: Iterable[str]) -> list[str]:
    """Return the nonempty strings among the fields *names*."""
    return [value for name in names if isinstance(value := values.get(name), str) and value]


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
