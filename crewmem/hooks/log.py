"""The log of hooks: problems because of which a hook gave no answer, as JSON lines."""

import json
from pathlib import Path
from typing import Any

from crewmem.storage.filesystem import append_line, replace_file

MAX_BYTES = 200_000
"""Size above which the older lines are dropped, until half of it is left."""


def log_path(home: Path) -> Path:
    """Return the path of the log file."""
    return home / "logs" / "hooks.log"


def add_problem(home: Path, at: str, program: str, event: str, problem: str) -> None:
    """Add a problem; if the log cannot be written, it is lost."""
    path = log_path(home)
    line = json.dumps({"at": at, "program": program, "event": event, "problem": problem[:500]})
    try:
        append_line(path, line.encode())
        if path.stat().st_size > MAX_BYTES:
            replace_file(path, path.read_bytes()[-MAX_BYTES // 2 :].partition(b"\n")[2])
    except Exception:  # noqa: BLE001, S110 - a hook never fails because of its log
        pass


def list_problems(home: Path) -> list[dict[str, Any]]:
    """Return the last ten problems, newest first."""
    try:
        lines = log_path(home).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    problems = []
    for line in reversed(lines[-10:]):
        try:
            problems.append(json.loads(line))
        except ValueError:
            continue
    return problems
