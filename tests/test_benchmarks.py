"""The benchmark command runs, and writes what it promises."""

import json
import os
import shutil
import subprocess
import sys
from math import log2
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ROW = {
    "row",
    "title",
    "part",
    "of",
    "measured",
    "baseline",
    "ratio",
    "goal",
    "stretch",
    "verdict",
    "is_stretched",
    "reason",
}


def ran(*words, **environ):
    """Run the benchmark command from the checkout."""
    return subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", *map(str, words)],
        cwd=ROOT,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """The JSON of one run of some rows on tiny trees, where no peer is installed."""
    directory = tmp_path_factory.mktemp("benchmarks")
    programs = directory / "bin"
    programs.mkdir()
    (programs / "find").symlink_to(shutil.which("find"))
    rows = "version,search-plain,search-table,index-size,index-peak,qmd-search"
    tiny = ("--runs", 1, "--sizes", "3,3", "--keep", directory / "kept")

    done = ran("--rows", rows, *tiny, "--json", directory / "out", PATH=str(programs))

    assert (directory / "out").exists(), done.stderr
    found = json.loads((directory / "out").read_text(encoding="utf-8"))
    assert [row["row"] for row in found["rows"]] == rows.split(",")
    return found


def row_of(document, key):
    """Return one row of *document*."""
    return next(row for row in document["rows"] if row["row"] == key)


def test_rows_compare_with_a_baseline_of_the_same_run(document):
    """A row of the JSON names what was measured and its baseline, and their ratio."""
    row = row_of(document, "search-plain")

    assert set(row) == ROW
    assert row["measured"]["cpu_ms"] > 0, row["reason"]
    assert row["baseline"]["name"] == "import sqlite3"
    ratio = row["measured"]["cpu_ms"] / row["baseline"]["cpu_ms"]
    assert row["ratio"]["cpu"] == pytest.approx(ratio, rel=0.01)


def test_rows_may_be_about_size(document):
    """The size of the index is a row, and is compared in bytes."""
    row = row_of(document, "index-size")

    sizes = row["measured"]["left_bytes"], row["baseline"]["left_bytes"]
    assert row["ratio"] == {"size": pytest.approx(sizes[0] / sizes[1], rel=0.01)}


def test_peaks_are_told_however_small_they_are(document):
    """A process that is smaller than the one that measures has a peak of its own."""
    row = row_of(document, "index-peak")

    assert row["verdict"] != "n/a", row["reason"]
    for each in ("measured", "baseline"):
        assert 4e6 < row[each]["peak_bytes"] < 1e8


def test_a_terminal_is_a_terminal(document):
    """The table on a terminal is measured, whoever runs the benchmark."""
    row = row_of(document, "search-table")

    assert row["measured"]["wall_ms"] > 0, row["reason"]


def test_goals_hold_for_the_usual_sizes_only(document):
    """Of a tree of another size nothing is judged; what has no tree always is."""
    assert row_of(document, "version")["goal"] == 1.2
    assert row_of(document, "search-plain")["goal"] is None
    assert row_of(document, "search-plain")["verdict"] == "-"


def test_a_peer_that_is_missing_is_not_applicable(document):
    """What is not installed is neither fetched nor held against anybody."""
    row = row_of(document, "qmd-search")

    assert (row["verdict"], row["measured"]) == ("n/a", None)


def test_recall_is_measured_beside_bare_full_text(tmp_path):
    """A data set is searched by crewmem and by FTS5 alone, and both are scored."""
    data = tmp_path / "data"
    data.mkdir()
    texts = ["the deploy key is in the vault", "tides of the harbour", "a new crane"]
    corpus = [
        {"id": f"c/{at}", "text": text, "conversation": "c"}
        for at, text in enumerate(texts)
    ]
    query = {
        "id": "q",
        "text": "where is the deploy key?",
        "conversation": "c",
        "relevant": ["c/0"],
        "answerable": True,
    }
    lines = "".join(json.dumps(record) + "\n" for record in corpus)
    (data / "corpus.jsonl").write_text(lines, encoding="utf-8")
    (data / "queries.jsonl").write_text(json.dumps(query), encoding="utf-8")
    file = tmp_path / "out.json"

    done = ran("--recall", data, "--json", file)

    (found,) = json.loads(file.read_text(encoding="utf-8"))["recall"]
    perfect = {"recall_at_10": 1, "ndcg_at_10": 1}
    assert (found["measured"], found["baseline"]) == (perfect, perfect), done.stderr
    assert (found["differing"], found["verdict"]) == (0, "ok")


def test_every_row_can_be_named():
    """The rows have names of their own, which ``--list`` says."""
    keys = [line.split()[0] for line in ran("--list").stdout.splitlines()]

    assert len(keys) == len(set(keys)) > 20


@pytest.mark.parametrize(
    ("ranking", "recall", "ndcg"),
    [
        (["a", "b"], 1, 1),
        (["x", "a", "b"], 1, (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))),
        (["a", "a", "x"], 0.5, 1 / (1 + 1 / log2(3))),
        ([*"0123456789", "a", "b"], 0, 0),
        ([], 0, 0),
    ],
)
def test_rankings_are_scored_as_everybody_does(ranking, recall, ndcg):
    """Recall counts what is among the first ten; nDCG, how near the top it is."""
    from benchmarks.recall.scores import scores

    found = scores(ranking, {"a", "b"})

    assert (found.recall, found.ndcg) == pytest.approx((recall, ndcg))


def test_the_same_trees_grow_everywhere(tmp_path):
    """Two trees of one size are equal, byte for byte."""
    script = ROOT / "tests/benchmarks/trees.py"
    trees = []
    for name in ("one", "other"):
        words = [sys.executable, script, tmp_path / name, "4", "2"]
        subprocess.run(list(map(str, words)), check=True)
        found = sorted((tmp_path / name).rglob("*.md"))
        trees.append(
            {path.relative_to(tmp_path / name): path.read_bytes() for path in found}
        )
    assert trees[0] == trees[1]
    assert len(trees[0]) == 4
