"""Making a home: its database, its first workspace, and the sample crew if asked."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import crewmem.sample
from crewmem import disk
from crewmem.errors.disk import PathMissingError
from crewmem.errors.registry import ExistsError
from crewmem.records import NamedTuple
from crewmem.registry import layout
from crewmem.registry.add import make
from crewmem.registry.member import new_agent, new_crew, new_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import BinaryIO

    from crewmem.registry.member import Agent, Crew
    from crewmem.registry.store import Registry

SAMPLE = Path(crewmem.sample.__file__).parent

JOURNAL = SAMPLE / "journal.jsonl"
"""What happened to the sample crew, for the journal."""

MEMORIES = SAMPLE / "memories.jsonl"
"""What the sample crew holds to be true."""

TRANSCRIPTS = SAMPLE / "transcripts"
"""A session of one of its agents, as a program would leave it."""

TRANSCRIPTS_AT = "sample"
"""Where in a home that goes: no memory, and for ``transcripts extract --root``."""

SAMPLE_WORKSPACE = "workspaces/default"
"""Where in the package the sample is; it goes into whatever workspace is asked for."""


class Sampled(NamedTuple):
    """The sample crew in a home.

    Attributes:
        files: How many memory files of it were written.
        entries: How many entries of its journal were added.
        memories: How many of its memories were added.
        kept: Files that were there, and say something else.
    """

    crew: str
    lead: str
    agents: tuple[str, ...]
    files: int
    entries: int
    memories: int
    kept: tuple[str, ...]


def make_home(home: Path) -> bool:
    """Make the directory *home*; tell whether it was missing."""
    is_new = not home.is_dir()
    disk.make_root(home).close()
    return is_new


def init(registry: Registry, home: Path, workspace: str, *, now: datetime) -> bool:
    """Make *workspace* in *home* and register it; tell whether it was missing."""
    new = new_workspace(workspace, now=now)
    with registry.transaction():
        make(home, new)
        if registry.has_workspace(workspace):
            return False
        registry.add_workspace(new)
    return True


def init_sample(
    registry: Registry,
    home: Path,
    workspace: str,
    *,
    now: datetime,
    add_journal: Callable[[BinaryIO], int],
    add_memories: Callable[[BinaryIO], int],
    begun: Callable[[Mapping[str, bytes]], None],
) -> Sampled:
    """Copy the sample crew into *workspace*, register it, and add what it knows.

    *workspace* is registered. No file is replaced, and who was killed before the crew
    was registered runs it again. *add_journal* is handed the lines of what happened,
    *add_memories* those of what is held to be true; they add them as a part of the
    same change, and tell how many they added. *begun* is told, as a part of it, which
    memory files are there as the sample has them, by their paths, and what they say.

    Raises:
        ExistsError: If it is registered, or its files are there and say other things.
    """
    crew, agents = _members(workspace, now)
    files = _files(workspace)
    own = f"{layout.crews(workspace)}/{crew.name}/"
    with registry.transaction(), disk.open_root(home) as root:
        _require_new(registry, crew, agents)
        different = _different(root, files)
        if any(name.startswith(own) for name in different):
            raise ExistsError(f"crew {crew.name!r}")
        written = sum(_copied(root, name, text) for name, text in files.items())
        _copy_transcripts(root)
        registry.add_crew(crew)
        for agent in agents:
            registry.add_agent(agent)
        with JOURNAL.open("rb") as lines:
            entries = add_journal(lines)
        with MEMORIES.open("rb") as lines:
            memories = add_memories(lines)
        begun({name: files[name] for name in sorted(files.keys() - {*different})})
    return Sampled(
        crew=crew.name,
        lead=str(crew.lead),
        agents=tuple(agent.slug for agent in agents),
        files=written,
        entries=entries,
        memories=memories,
        kept=tuple(different),
    )


def _copy_transcripts(root: int) -> None:
    for path in sorted(TRANSCRIPTS.rglob("*.jsonl")):
        name = f"{TRANSCRIPTS_AT}/{path.relative_to(TRANSCRIPTS).as_posix()}"
        _copied(root, name, path.read_bytes())


def plan_sample(
    registry: Registry | None, home: Path, workspace: str, *, now: datetime
) -> Sampled:
    """Return what `init_sample` would do to *home*, which need not be there.

    Raises:
        ExistsError: As it would.
    """
    crew, agents = _members(workspace, now)
    if registry:
        _require_new(registry, crew, agents)
    files = _files(workspace)
    kept: list[str] = []
    there = 0
    if home.is_dir():
        with disk.open_root(home) as root:
            kept = _different(root, files)
        there = sum((home / name).exists() for name in files)
    if any(name.startswith(f"{layout.crews(workspace)}/{crew.name}/") for name in kept):
        raise ExistsError(f"crew {crew.name!r}")
    entries, memories = (path.read_bytes().count(b"\n") for path in (JOURNAL, MEMORIES))
    return Sampled(
        crew=crew.name,
        lead=str(crew.lead),
        agents=tuple(agent.slug for agent in agents),
        files=len(files) - there,
        entries=entries,
        memories=memories,
        kept=tuple(kept),
    )


def _members(workspace: str, now: datetime) -> tuple[Crew, list[Agent]]:
    about = json.loads((SAMPLE / "registry.json").read_text("utf-8"))
    name, lead = about["crew"]["slug"], about["crew"]["lead"]
    crew = new_crew(workspace, name, lead=lead, now=now)
    return crew, [
        new_agent(workspace, each["slug"], crew=name, role=each["role"], now=now)
        for each in about["agents"]
    ]


def _require_new(registry: Registry, crew: Crew, agents: Sequence[Agent]) -> None:
    if registry.has_crew(crew.workspace, crew.name):
        raise ExistsError(f"crew {crew.name!r}")
    for agent in agents:
        if registry.has_agent(agent.workspace, agent.slug):
            raise ExistsError(f"agent {agent.slug!r}")


def _files(workspace: str) -> dict[str, bytes]:
    """Return the files of the sample by their path below a home.

    In the package a memory directory is called ``memory``: what is hidden gets lost
    on the way into one.
    """
    source = SAMPLE / "home" / SAMPLE_WORKSPACE
    below = f"{layout.WORKSPACES}/{workspace}"
    return {
        f"{below}/{_hidden(path.relative_to(source).parts)}": path.read_bytes()
        for path in sorted(source.rglob("*.md"))
    }


def _hidden(parts: tuple[str, ...]) -> str:
    return "/".join(layout.MEMORY if part == "memory" else part for part in parts)


def _different(root: int, files: Mapping[str, bytes]) -> list[str]:
    """Return which of *files* are there and say something else."""
    different = []
    for name, text in files.items():
        with suppress(PathMissingError), disk.open_file(root, name) as file:
            if file.stat.st_size != len(text) or file.read(len(text)) != text:
                different.append(name)
    return different


def _copied(root: int, name: str, text: bytes) -> bool:
    disk.make_dirs(root, name.rpartition("/")[0])
    try:
        disk.create(root, name, text)
    except ExistsError:
        return False
    return True
