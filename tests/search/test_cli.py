"""The command `search` on a directory of markdown."""

import json

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
