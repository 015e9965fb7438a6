"""Installs the sample crew: three agents with five weeks of memory, for trying every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import crewmem.sample
from crewmem.errors import ConflictError
from crewmem.facts.import_export import import_facts
from crewmem.journal.import_export import import_entries
from crewmem.storage.filesystem import write_files

if TYPE_CHECKING:
    from crewmem.home import Home

SAMPLE = Path(crewmem.sample.__file__).parent

LOGS = "sample"
"""Directory in a home for the session logs of the sample's agents."""


def install_sample(home: Home) -> dict[str, int]:
    """Add the sample crew to a home; existing data stays unchanged.

    Returns:
        Numbers of added files, entries, facts and sessions.

    Raises:
        ConflictError: If the crew already exists.
    """
    context = home.context
    context.access.require_operator("add the sample crew")
    registry = json.loads((SAMPLE / "registry.json").read_text(encoding="utf-8"))
    crew = registry["crew"]["slug"]
    if any(each.name == crew for each in home.registry.list_crews()):
        raise ConflictError(
            f"the sample's crew '{crew}' already exists",
            code="crew-exists",
            hint=context.command("status"),
        )
    home.registry.add_crew(crew, lead=registry["crew"]["lead"])
    for agent in registry["agents"]:
        home.registry.add_agent(agent["slug"], crew=crew)
    system = home.as_system()
    counts = {"files": _copy_files(system)}
    with (SAMPLE / "journal.jsonl").open("rb") as lines:
        counts["entries"] = import_entries(system.journal, lines, origin="operator").added
    facts = [
        json.loads(line)
        for line in (SAMPLE / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    report = import_facts(system.fact_table, facts, keep_origin=True, origin="operator")
    counts["facts"] = report.created
    counts["sessions"] = _copy_logs(context.place)
    return counts


def index_sample_sessions(home: Home) -> None:
    """Index the sample's sessions; ``sessions sync`` then extracts facts from them."""
    home.as_system().sessions.logs.sync(root=home.context.place / LOGS, extract=False)


def _copy_files(home: Home) -> int:
    """Write the sample's memory files, and record them as versions; return their number."""
    source = SAMPLE / "home" / "workspaces" / "default"
    files = {}
    for path in sorted(source.rglob("*.md")):
        parts = path.relative_to(source).parts
        relative = "/".join(".memory" if part == "memory" else part for part in parts)
        files[relative] = path.read_bytes()
    write_files(home.context.workspace_dir, files)
    home.memory_index.refresh()
    home.memory.record_outside_changes()
    return len(files)


def _copy_logs(home: Path) -> int:
    """Copy the sample's session logs into *home*; return their number."""
    source = SAMPLE / "sessions"
    logs = {
        str(path.relative_to(source)): path.read_bytes() for path in sorted(source.rglob("*.jsonl"))
    }
    write_files(home / LOGS, logs)
    return len(logs)
