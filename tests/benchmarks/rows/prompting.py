"""What an agent begins with: the prompt of a crew in which every file is there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Trial
from tests.benchmarks.row import Row
from tests.benchmarks.trees import SEED, Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

AGENTS = ("mira", "pilot", "tarn", "winch", "ledger", "buoy", "gull", "cleat")
"""The first is asked for; the second leads."""

DAYS, TOPICS, LEARNED, PAGES = 30, 20, 20, 5
"""How many files there are of each kind."""

CREW = "workspaces/default/crews/harbor"


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of prompts; none of them needs a tree."""
    del sizes
    yield Row(
        key="prompt",
        title="prompt of a full crew",
        setup=_prompt,
        goal=1.5,
        part="write path",
    )


def _prompt(bench: Workbench) -> Trial:
    home = _full_crew(bench)
    return Trial(
        bench.crewmem("--home", home, "memory", "prompt", "--agent", AGENTS[0]),
        bench.crewmem("--home", home, "memory", "status"),
    )


def _full_crew(bench: Workbench) -> Path:
    """Return a home of one crew; its indexes are fresh."""
    home = bench.directory / "home-full-crew"
    if not home.exists():
        words = [("init",), ("crew", "add", "harbor", "--lead", AGENTS[1])]
        words += [("agent", "add", agent, "--crew", "harbor") for agent in AGENTS]
        for each in words:
            bench.crewmem("--home", home, *each).run()
        writer = Writer(SEED)
        for file in _files():
            path = home / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(writer.file(), encoding="utf-8")
    bench.settled(bench.crewmem("--home", home, "memory", "reindex"))
    return home


def _files() -> Iterator[str]:
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=ago) for ago in range(DAYS)]
    for agent in AGENTS:
        own = f"{CREW}/agents/{agent}/.memory"
        for name in ("AGENT.md", "BRIEF.md", "pins.md", "PERSONA.md", "lessons.md"):
            yield f"{own}/{name}"
        yield from (f"{own}/daily/{day}.md" for day in days)
    shared = f"{CREW}/shared/.memory"
    for name in ("CREW.md", "pins.md", "PERSONA.md", "lessons.md"):
        yield f"{shared}/{name}"
    yield from (f"{shared}/daily/{day}.md" for day in days)
    yield from (f"{shared}/learned/{day}.md" for day in days[:LEARNED])
    yield from (f"{shared}/topics/topic-{at}.md" for at in range(TOPICS))
    yield from (f"workspaces/default/.memory/page-{at}.md" for at in range(PAGES))
