"""The command `search` on a directory of markdown."""

import json
import os

import apsw
import pytest
from click.testing import CliRunner

from crewmem.cli.command import Invocation
from crewmem.cli.main import make_root

NOTES = """# Deploys
Deploys happen on Monday, never after Thursday.

# Keys
The vault key of production is in the blue safe.
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs `crewmem search --path TREE …`."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "notes.md").write_text(NOTES)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*words: str):
        invocation = Invocation({"HOME": str(tmp_path), "USER": "kim"})
        args = ["search", "--path", str(tree), *words]
        return CliRunner().invoke(make_root(), args, obj=invocation)

    return run


def test_search_prints_where_and_the_excerpt(run):
    result = run("vault", "key")
    assert result.exit_code == 0
    assert "notes.md:4-5" in result.stdout
    assert "The vault key of production is in the blue safe." in result.stdout


def test_search_prints_how_old_a_hit_is(run, tmp_path):
    written = 1_767_225_600  # 2026-01-01
    os.utime(tmp_path / "tree" / "notes.md", (written, written))
    result = run("vault", "key", "--now", "2026-01-13")
    assert result.stdout.startswith("notes.md:4-5  12 d ago  Keys\n")


def test_json_has_mode_and_hits(run):
    data = json.loads(run("vault", "key", "--json").stdout)["data"]
    assert data["mode"] == "sparse"
    assert data["hits"][0]["store"] == "memory"
    assert data["hits"][0]["label"] in {"sure", "unsure"}
    assert set(data["hits"][0]) >= {
        "ref",
        "scope",
        "owner",
        "title",
        "snippet",
        "score",
        "at",
        "why",
    }


def test_exit_code_says_that_nothing_was_found(run):
    assert run("zebra", "--exit-code").exit_code == 1
    assert "Nothing relevant" in run("zebra").stdout
    assert run("vault", "key", "--exit-code").exit_code == 0


def test_weak_hits_are_named_where_nothing_else_is_found(run):
    question = "is production of bicycles paused in winter"
    assert "--all shows" in run(question).stdout
    assert "notes.md" in run(question, "--all").stdout
    assert "--all" not in run("zebra").stdout


def test_explain_shows_score_and_relevance(run):
    shown = run("vault", "key", "--explain").stdout
    assert "relevance" in shown
    assert "words: vault, key" in shown
    assert "read: prodaction as product" in run("prodaction", "--all", "--explain").stdout


def test_index_that_lacks_a_text_in_the_middle_is_built_anew(run, tmp_path):
    (tmp_path / "tree" / "phones.md").write_text("# Phones\nBy the door.\n")
    assert run("vault", "key", "--exit-code").exit_code == 0
    [index] = (tmp_path / "cache").rglob("trees/*.sqlite")
    db = apsw.Connection(str(index))
    db.execute("delete from chunk_texts where text like '%vault%'")
    db.close()

    result = run("vault", "key")

    assert "The vault key of production" in result.stdout
    assert "another program deleted rows of it" in result.stderr


def test_heading_without_text_is_not_a_hit_though_the_name_of_the_file_is(run, tmp_path):
    (tmp_path / "tree" / "door-lock.md").write_text("# Parts\n\n## Bolt\n\nMade of steel.\n")
    shown = run("door", "lock", "--all").stdout
    assert "door-lock.md:3-5" in shown
    assert "door-lock.md:1 " not in shown


def test_note_of_one_word_is_shown_beside_longer_ones_if_all_are_asked_for(run, tmp_path):
    (tmp_path / "tree" / "short.md").write_text("giraffe\n")
    (tmp_path / "tree" / "long.md").write_text("The giraffe at the zoo eats the leaves of trees.\n")
    assert "short.md:1" not in run("giraffe").stdout
    assert "short.md:1" in run("giraffe", "--all").stdout


def test_answer_among_thousands_of_passages_is_as_sure_as_among_hundreds(run, tmp_path):
    passages = (
        f"## Part {n}\n\nPart {n} of the machine is kept on shelf {n}.\n" for n in range(2_000)
    )
    (tmp_path / "tree" / "parts.md").write_text("\n".join(passages))
    (tmp_path / "tree" / "npm.md").write_text(
        "List the outdated dependencies first, then update all of them and run the tests.\n"
    )
    data = json.loads(run("how do I update dependencies", "--json").stdout)["data"]
    assert [(hit["ref"], hit["label"]) for hit in data["hits"]] == [("npm.md:1", "sure")]


def test_page_that_is_named_comes_before_pages_like_it(run, tmp_path):
    tree = tmp_path / "tree"
    parts = (f"## Part {n}\n\nPart {n} of acme is on shelf {n}.\n" for n in range(1_200))
    (tree / "parts.md").write_text("\n".join(parts))
    for name in ("ACME_TOOL_MODE", "ACME_TOOL_MODE_STRICT", "TOOL_MODE"):
        text = f"Default of the `TOOL_MODE` property of a target that is made; see `{name}`."
        (tree / f"{name}.md").write_text(f"{name}\n{'-' * len(name)}\n\n{text}\n")
    data = json.loads(run("ACME_TOOL_MODE", "--json").stdout)["data"]
    assert data["hits"][0]["ref"].startswith("ACME_TOOL_MODE.md:")


def test_files_of_one_checkout_are_no_versions_of_each_other(run, tmp_path):
    for n, name in enumerate(("red", "green")):
        file = tmp_path / "tree" / f"{name}.md"
        file.write_text(f"The pump of the {name} house is tested every Monday at noon.\n")
        os.utime(file, (1_780_000_000 + n, 1_780_000_000 + n))
    data = json.loads(run("when is the pump tested every week", "--json").stdout)["data"]
    assert {hit["ref"] for hit in data["hits"]} == {"red.md:1", "green.md:1"}


def test_daily_note_is_of_its_day_whenever_it_was_copied(run, tmp_path):
    (tmp_path / "tree" / "daily").mkdir()
    for day in ("2026-04-13", "2026-04-14", "2026-04-15"):
        note = tmp_path / "tree" / "daily" / f"{day}.md"
        note.write_text("Moved boxes of the archive to the new cellar.\n")
    data = json.loads(run("which boxes were moved on 14 April 2026", "--json").stdout)["data"]
    assert data["hits"][0]["ref"] == "daily/2026-04-14.md:1"
    assert data["hits"][0]["at"].startswith("2026-04-1")


def test_filters_without_words_list_the_newest_files(run, tmp_path):
    tree = tmp_path / "tree"
    for age, (name, tag) in enumerate((("new", "tide"), ("other", "crane"), ("old", "tide"))):
        file = tree / f"{name}.md"
        file.write_text(f"---\ntags: [{tag}]\n---\n# {name}\nRead the table of the {name} quay.\n")
        os.utime(file, (1_780_000_000 - 90_000 * age,) * 2)
    data = json.loads(run("--tag", "tide", "--json").stdout)["data"]
    assert [hit["ref"].partition(".")[0] for hit in data["hits"]] == ["new", "old"]
    assert run("--tag", "tide", "-n", "1").stdout.startswith("new.md")
    assert "Nothing" in run("--tag", "fog").stdout
    assert run("--since", "2100-01-01", "--exit-code").exit_code == 1
