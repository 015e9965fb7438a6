"""Console sessions as tests: what a manual shows is run and compared.

A block holds commands after ``$ `` and what they print. ``…`` in a line stands for anything, a
line that is only ``…`` for any lines. ``[exit 4]`` is the exit status where it is not 0.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from crewmem.cli.main import run

SHELL_SIGNS = set("|<>&;$`")


@dataclass
class Step:
    """A command with what it is expected to print."""

    line: int
    command: str
    expected: list[str] = field(default_factory=list)
    status: int = 0


def parse_steps(text: str, *, first_line: int = 1) -> list[Step]:
    """Return the steps of a console block."""
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=first_line):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:]))
        elif steps and (match := re.fullmatch(r"\[exit (\d+)\]", line)):
            steps[-1].status = int(match[1])
        elif steps and not line.startswith("#!"):
            steps[-1].expected.append(line.rstrip())
    for step in steps:
        while step.expected and not step.expected[-1]:
            step.expected.pop()
    return steps


def find_console_blocks(markdown: str) -> list[tuple[int, str]]:
    """Return (first line, text) of the fenced blocks of kind ``console``."""
    blocks = []
    lines = markdown.splitlines()
    start = None
    for number, line in enumerate(lines, start=1):
        if line.startswith("```console"):
            start = number + 1
        elif line.startswith("```") and start is not None:
            blocks.append((start, "\n".join(lines[start - 1 : number - 1])))
            start = None
    return blocks


def run_step(command: str) -> tuple[int, list[str]]:
    """Run a command; return its status and the lines it prints, errors included."""
    words = shlex.split(command, comments=True)
    if words[:1] == ["crewmem"] and not SHELL_SIGNS & set(re.sub(r"'[^']*'", "", command)):
        output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = run(words[1:])
        text = output.buffer.getvalue().decode()  # type: ignore[attr-defined]
    else:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={**os.environ, "PATH": path},
        )
        status, text = done.returncode, done.stdout
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return status, lines


def matches(expected: list[str], printed: list[str]) -> bool:
    """Return whether *printed* is what was *expected*."""
    pattern = []
    for line in expected:
        if line.strip() == "…":
            pattern.append("(?:.*\n)*?")
        else:
            pattern.append(".*?".join(re.escape(part) for part in line.split("…")) + "\n")
    return re.fullmatch("".join(pattern), "".join(line + "\n" for line in printed)) is not None


def check_steps(steps: list[Step], name: str) -> None:
    """Run *steps* in order; fail with what differs."""
    for step in steps:
        status, printed = run_step(step.command)
        shown = "\n".join(printed)
        wanted = "\n".join(step.expected)
        assert status == step.status, f"{name}:{step.line}: {step.command}: {status}\n{shown}"
        assert matches(step.expected, printed), (
            f"{name}:{step.line}: {step.command}\nexpected:\n{wanted}\nprinted:\n{shown}"
        )
