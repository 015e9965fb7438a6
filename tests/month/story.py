"""The month as a short story, as the README tells it."""

import re
import sys
import tempfile
from collections import Counter
from datetime import timedelta
from itertools import groupby
from pathlib import Path

from . import life, play, state

README = Path(__file__).parents[2] / "README.md"


def story(crew):
    """Return the lines of what the crew noted, and of what became of it."""
    noted, kept = Counter(state.said()), Counter(state.notes(crew))
    put_away = sum("/daily/archive/" in path for path in state.texts(crew))
    yield f"{life.DAYS} days, {len(life.AGENTS)} agents, {noted.total()} notes"
    for path, lines in groupby(sorted(state.learned(crew)), lambda each: each[0]):
        yield ""
        yield path.replace("/.memory", "")
        yield from (f"  {brief(line)}" for _, line in lines if line[:2] in {"- ", "##"})
    yield ""
    yield "not learned"
    for plant in life.PLANTS:
        if not plant.learned:
            yield f"  {plant.name}: {brief(plant.says[0][2], 54)}"
    yield ""
    found = (noted & kept).total()
    yield f"{put_away} daily notes put away; {found} of {noted.total()} lines are there"


def brief(line, most=104):
    """Return *line* without ids, or as much of it as has room."""
    text = line.replace("; …", "").removeprefix("## ").removeprefix("- ")
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + " …"


def told():
    """Return the story in the README."""
    block = re.search(
        r"```text\n(\d+ days, .*?)```", README.read_text("utf-8"), re.DOTALL
    )
    return block[1].splitlines() if block else []


def main():
    """Live the month, and tell it."""
    with tempfile.TemporaryDirectory() as directory:
        crew = play.Crew(Path(directory) / "home").founded()
        play.play(
            crew,
            life.life(),
            lambda at: crew.did(at, "", "timers", "run", "--all-due"),
            every=timedelta(hours=12),
        )
        sys.stdout.writelines(f"{line}\n" for line in story(crew))
