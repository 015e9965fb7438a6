"""Reading commands with ``--path`` write nothing into the tree, and work where they cannot."""

import json
import shlex
import shutil

import apsw
import pytest
from running import read_tree, run_crewmem

import crewmem
from crewmem.storage.sqlite import rehearsal

READING = """
search where is the deploy key
search --in facts,journal deploy
recall where is the deploy key
recall --start
status
memory search deploy
memory list
memory status
memory read crew:harbor/CREW.md
memory log crew:harbor/CREW.md
memory diff crew:harbor/CREW.md
memory scan crew:harbor/CREW.md
fact list
fact show f_w4xh8q
journal list -n 3
journal search webhook
journal verify
decay
consolidate run --dry-run
doctor
"""


@pytest.mark.parametrize("is_writable", [True, False], ids=["writable", "read-only"])
def test_reading_leaves_a_tree_byte_for_byte(is_writable, sample, tmp_path, monkeypatch):
    monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
    monkeypatch.setenv("CREWMEM_TIMEZONE", "UTC")
    # A frozen home as a backup takes it: with what is only in the write-ahead log.
    keeper = apsw.Connection(str(sample / "crewmem.db"))
    keeper.execute("select count(*) from facts").fetchone()
    assert run_crewmem("--home", sample, "remember", "The pump in hall 7 is loud").status == 0

    tree = tmp_path / "tree"
    shutil.copytree(sample, tree, symlinks=True)
    keeper.close()
    assert (tree / "crewmem.db-wal").stat().st_size > 0
    if not is_writable:
        for each in [tree, *tree.rglob("*")]:
            each.chmod(0o555 if each.is_dir() else 0o444)
    before = read_tree(tree)
    failures = []
    for line in READING.split("\n")[1:-1]:
        result = run_crewmem(*shlex.split(line), "--path", tree, "--json")
        if result.status not in (0, 1):
            failures.append((line, result.status, result.err))
        if read_tree(tree) != before:
            now = read_tree(tree)
            changed = {name for name in {*now, *before} if now.get(name) != before.get(name)}
            failures.append((line, "wrote", changed))
            before = now
    loud = run_crewmem("fact", "list", "--path", tree, "--json")
    if "hall 7" not in loud.out:
        failures.append(("fact list", "does not see what is in the write-ahead log", loud.err))
    if not is_writable:
        for each in [tree, *tree.rglob("*")]:
            if each.is_dir():
                each.chmod(0o755)
    assert failures == []


def test_hints_in_a_home_of_another_name_no_command_that_writes(sample, monkeypatch):
    monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
    assert "timers install" in run_crewmem("--home", sample, "status").out
    monkeypatch.setattr("os.geteuid", lambda: sample.stat().st_uid + 1)
    assert "search QUESTION" in run_crewmem("--home", sample, "status").out
    findings = json.loads(run_crewmem("--home", sample, "doctor", "--json").out)["data"]["findings"]
    assert [each["fix"] for each in findings if "sweep" in each["fix"]] == []
    assert [each["fix"] for each in findings if "--fix" in each["fix"]] == []


@pytest.mark.parametrize("line", ["search walrus", "recall walrus", "memory search walrus"])
def test_search_in_a_home_of_another_user_writes_nothing(line, sample, monkeypatch):
    monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
    (sample / "workspaces/default/.memory/new.md").write_text("The walrus sleeps at noon.\n")
    monkeypatch.setattr("os.geteuid", lambda: sample.stat().st_uid + 1)
    before = read_tree(sample)

    assert "new.md" in run_crewmem("--home", sample, *line.split()).out
    assert read_tree(sample) == before


def test_dry_run_plans_in_a_home_that_is_only_read(sample):
    with crewmem.open(sample) as home, rehearsal(home.context.db):
        expected = [each._replace(id="") for each in home.facts.rollups.write().summaries]
    before = read_tree(sample)

    with crewmem.open(sample, read_only=True) as home:
        with rehearsal(home.context.db):
            planned = [each._replace(id="") for each in home.facts.rollups.write().summaries]
        assert home.facts.rollups.show("2026-03-10")[1] is False

    assert planned == expected
    assert planned
    assert read_tree(sample) == before
