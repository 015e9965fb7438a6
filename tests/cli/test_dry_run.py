"""``--dry-run``: what would be done is told, and nothing is done."""

import shutil
from contextlib import closing

import click
import pytest
from homes import HARBOR, MIRA, copied, stamps

from crewmem.cli.command import root
from crewmem.cli.shells.tree import contexts
from crewmem.vectors.store import VectorStore

MANY = {
    "consolidate run",
    "decay",
    "doctor",
    "episodes reembed",
    "episodes sweep",
    "import",
    "init",
    "journal compact",
    "journal import",
    "knowledge maintain",
    "memories condense",
    "memories rollup",
    "memory prune",
    "memory reindex",
    "timers install",
    "timers remove",
    "timers run",
    "transcripts extract",
}
"""What writes more than the one thing that is named."""

ASKED = (
    "episodes sweep",
    "episodes sweep --all",
    "memory reindex",
    "memory reindex --full",
    "decay",
    "-w annex init --sample",
    "import {bundle}",
)
"""What is asked; the tests of the others have the same of them."""

COUNTED = ("embedded", "memories", "files", "chunks", "versions", "left_out")
"""Of a sweep what a dry run foretells."""


@pytest.fixture(name="harbor")
def _harbor(crewmem, home):
    """A crew with files, entries and memories: nothing is indexed or embedded."""
    copied(home, *HARBOR)
    for day in range(1, 6):
        note(home, day).write_text(f"# Day {day}\n\n- fog until {day} o'clock\n")
        happened(crewmem, f"The crane broke {day} times")
    (home / "config.toml").write_text('embedder = "none"\n')
    for what in ("dusk", "dawn"):
        words = ("--as", "agent:mira", "remember", f"The lantern is lit at {what}")
        assert crewmem(*words).status == 0
    (home / "config.toml").unlink()
    return home


def note(home, day):
    (home / MIRA / "daily").mkdir(exist_ok=True)
    return home / MIRA / f"daily/2026-04-{day:02}.md"


def happened(crewmem, what):
    words = ("journal", "add", "peer.escalation", what, "--crew", "harbor")
    assert crewmem(*words, "--ts", "2026-04-20T10:00:00Z").status == 0


def touched(home):
    """Return every byte and timestamp in *home*.

    Its own is left out: beside a database that is read SQLite has a file for a moment.
    """
    return {path: stamp for path, stamp in stamps(home).items() if path != str(home)}


def data(ran):
    assert ran.status == 0, ran.stderr
    return ran.json["data"]


def change(home):
    """Change, add and remove memory files as an agent's shell would."""
    with (home / MIRA / "AGENT.md").open("a", encoding="utf-8") as file:
        file.write("- The winch is greased on Mondays\n")
    note(home, 1).unlink(missing_ok=True)
    note(home, 2).write_text("# Day 2\n\n" + "fog\n\n# Day 2\n\n" * 150)
    note(home, 3).touch()
    note(home, 9).write_text("# Thursday\n\n- fog until noon\n")


def behind(home):
    """Let sweeps come by what has its vectors already, as if it were new."""
    with closing(VectorStore.open_to_write(home)) as store:
        for each in store.spaces():
            if each.vectors:
                store.set_mark(each.space, 0)


def test_what_writes_many_things_can_be_asked_first():
    """Every command that writes more than what it names has --dry-run."""
    found = {
        ctx.command_path.partition(" ")[2]: {
            name for each in ctx.command.params for name in each.opts
        }
        for ctx in contexts(click.Context(root(), info_name="crewmem"))
    }
    assert {name for name in MANY if "--dry-run" not in found[name]} == set()


@pytest.mark.parametrize("is_old", [False, True])
def test_nothing_is_touched(crewmem, harbor, tmp_path, is_old):
    """Neither a byte nor a timestamp, before a first sweep as after it."""
    bundle = tmp_path / "bundle"
    assert crewmem("export", "--out", bundle).status == 0
    if is_old:
        assert crewmem("episodes", "sweep").status == 0
        change(harbor)
        behind(harbor)
    before = touched(harbor)
    for words in ASKED:
        ran = crewmem(*words.format(bundle=bundle).split(), "--dry-run")
        assert (ran.status, bool(ran.stdout)) == (0, True), ran.stderr
        assert touched(harbor) == before, words


@pytest.mark.parametrize("words", [(), ("--limit", "3"), ("--all",)])
def test_a_sweep_does_what_was_foretold(crewmem, harbor, words):
    """The first one, and one after changes by other means."""
    for _ in range(2):
        foretold = data(crewmem("episodes", "sweep", "--dry-run", "--json", *words))
        done = data(crewmem("episodes", "sweep", "--json", *words))
        assert (foretold["dry_run"], done["dry_run"]) == (True, False)
        assert [foretold[name] for name in COUNTED] == [done[name] for name in COUNTED]
        assert foretold["model"] == done["model"] is not None
        change(harbor)
        happened(crewmem, "The pier is closed")
    assert done["versions"] == 4
    assert done["chunks"] > 2


def test_a_sweep_foretold_says_what_keeps_it(crewmem, harbor):
    """Without an embedder it is told that nothing would be embedded, and why."""
    (harbor / "config.toml").write_text('embedder = "none"\n')
    foretold = data(crewmem("episodes", "sweep", "--dry-run", "--json"))
    assert (foretold["embedded"], foretold["chunks"]) == (0, 0)
    assert "embedder" in foretold["why"]
    told = crewmem("episodes", "sweep", "--dry-run").stdout.splitlines()
    counts = "8 files to be indexed, 5 versions to be recorded, 5 waiting"
    assert (told[0], told[-1]) == (counts, "Nothing was written.")


def test_a_sweep_without_end_is_not_foretold(crewmem, harbor):
    """One pass is; of passes to come nobody knows what they will find."""
    assert harbor.is_dir()
    assert crewmem("episodes", "sweep", "--dry-run", "--for", "1s").status == 2


@pytest.mark.parametrize("full", [(), ("--full",)])
def test_a_reindex_does_what_was_foretold(crewmem, harbor, full):
    """Of each directory the same files, chunks and reasons."""

    def told(*more):
        found = data(crewmem("memory", "reindex", "--json", *full, *more))
        for each in found:
            del each["seconds"], each["dry_run"]
        return found

    for _ in range(2):
        assert told("--dry-run") == told()
        change(harbor)


def test_versions_are_foretold(crewmem, harbor):
    """As many as are recorded, of a directory that is gone as well."""
    (harbor / "config.toml").write_text('embedder = "none"\n')
    assert crewmem("memory", "reindex").status == 0
    change(harbor)
    told = "4 versions {}recorded of what was not written through crewmem.\n"
    foretold = crewmem("memory", "reindex", "--dry-run").stderr
    assert foretold == told.format("would be ") + "Nothing was written.\n"
    assert crewmem("memory", "reindex").stderr == told.format("")
    shutil.rmtree(harbor / MIRA)
    foretold = data(crewmem("episodes", "sweep", "--dry-run", "--json"))
    done = data(crewmem("episodes", "sweep", "--json"))
    assert foretold["versions"] == done["versions"] == 6


def test_a_home_is_foretold(crewmem, home):
    """What init would make is what it makes; until then there is nothing."""
    foretold = data(crewmem("init", "--sample", "--dry-run", "--json"))
    assert not home.exists()
    assert "Would make a home" in crewmem("init", "--dry-run").stdout
    done = data(crewmem("init", "--sample", "--json"))
    assert foretold == done | {"dry_run": True}
    assert crewmem("init", "--sample", "--dry-run").status == 9
    assert "nothing was changed" in crewmem("init", "--dry-run").stdout


@pytest.mark.parametrize("words", [("decay",), ("import", "x")])
def test_applied_and_not_is_neither(crewmem, harbor, words):
    """Whoever says both is asked to decide."""
    assert harbor.is_dir()
    assert crewmem(*words, "--apply", "--dry-run").status == 2
