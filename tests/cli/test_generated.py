import tomllib

from generate import ROOT, find_generated, make_files


def test_manual_pages_schemas_and_completions_are_up_to_date():
    files = make_files()
    assert find_generated() == set(files), "run: python tests/generate.py"
    stale = [path.name for path, text in files.items() if path.read_text("utf-8") != text]
    assert stale == [], "run: python tests/generate.py"


def test_manual_pages_are_installed_in_their_section():
    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    installed = data["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    for page in (ROOT / "man").rglob("*.*"):
        section = page.suffix.removeprefix(".")
        assert installed[f"man/{page.parent.name}"] == f"share/man/man{section}", page
