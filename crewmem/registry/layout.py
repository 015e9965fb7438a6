"""Where the files of workspaces, crews and agents are, and who has files there."""

import os
from pathlib import Path

from crewmem.context import MEMORY_DIRECTORY


def list_directories(directory: Path) -> list[str]:
    """Return the names of directories in *directory* that are neither links nor hidden."""
    try:
        with os.scandir(directory) as entries:
            return sorted(
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            )
    except (FileNotFoundError, NotADirectoryError):
        return []


def find_agents_on_disk(workspace_dir: Path) -> list[tuple[str, str]]:
    """Return (crew, slug) of each agent that has a memory directory, registered or not."""
    crews = workspace_dir / "crews"
    return [
        (crew, slug)
        for crew in list_directories(crews)
        for slug in list_directories(crews / crew / "agents")
        if (crews / crew / "agents" / slug / MEMORY_DIRECTORY).is_dir()
    ]
