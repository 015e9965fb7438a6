"""A command on a mirror that is killed at any change of the disk leaves all or nothing."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FULL = bool(os.environ.get("CREWMEM_TEST_FULL"))
FAULTY = Path(__file__).parents[1] / "faults" / "faulty.py"
KILLED = 99
NOW = "2026-05-01T09:30:00Z"
TEXTS = ("The pump in hall 7 is loud.", "The crane was greased.")


@pytest.fixture
def disturb(address):
    """Return a function that runs a command on a home, killed at the n-th change of the disk."""
    with subprocess.Popen(
        [sys.executable, str(FAULTY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "CREWMEM_STORE": address, "CREWMEM_EMBEDDER": "none"},
    ) as process:  # fmt: skip

        def run(home, *words, kind="count", at=0):
            words = ["--home", str(home), "--now", NOW, *words]
            print(json.dumps({"kind": kind, "at": at, "arguments": words}), file=process.stdin)
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield run


def choose(count):
    points = range(1, count + 1)
    return points if FULL else sorted(random.Random(7).sample(points, min(4, count)))


def check(home, texts):
    """Assert that the mirror is the store's equal and holds no other facts than *texts*."""
    shared = home.context.db.shared
    assert shared.find_differences() == []
    assert {fact.text() for fact in home.facts.list(limit=1000).facts} == set(texts)
    assert [report.broken for report in home.journal.verify()] == [None]


def test_killed_write_leaves_all_or_nothing(make_mirror, disturb, tmp_path):
    make_mirror("one").close()
    writer = tmp_path / "one"
    first = disturb(writer, "fact", "add", "The first fact has no trouble.")
    assert first["status"] == 0
    count = first["count"]
    other = make_mirror("other")
    stored = {"The first fact has no trouble."}
    for at in choose(count):
        text = f"The pump in hall {at} is loud."
        trial = disturb(writer, "fact", "add", text, kind="kill", at=at)
        other.context.db.shared.bring_up_to_date()
        found = {fact.text() for fact in other.facts.list(limit=1000).facts}
        assert found - stored <= {text}
        assert trial["status"] in (KILLED, 0)
        if trial["status"] == 0:
            assert text in found
        stored = found
        home = make_mirror("one")
        check(home, stored)
        home.close()
    check(other, stored)


def test_killed_pull_is_done_by_the_next(make_mirror, disturb, tmp_path):
    one = make_mirror("one")
    make_mirror("two").close()
    one.facts.add(TEXTS[0])
    one.registry.add_crew("harbor", lead="winch")
    one.memory.write("Deploys are on Thursday.", file="crew:harbor/CREW.md")
    one.facts.add(TEXTS[1])
    behind = tmp_path / "behind"
    shutil.copytree(tmp_path / "two", behind)
    count = disturb(tmp_path / "two", "fact", "list")["count"]
    assert count > 0
    for at in choose(count):
        path = tmp_path / f"killed-{at}"
        shutil.copytree(behind, path)
        disturb(path, "fact", "list", kind="kill", at=at)
        home = make_mirror(path.name)
        check(home, TEXTS)
        assert home.memory.read("crew:harbor/CREW.md").text.startswith("Deploys")
        home.close()
