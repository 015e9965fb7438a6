"""The examples of the documentation run, and its commands exist."""

import pkgutil
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from tests.running import run_crewmem

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def read_examples(page: str) -> list[tuple[int, str]]:
    """Return the Python examples of a page with the lines that they begin at."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start(1)) + 1, match[1]) for match in found]


def test_examples_of_the_api_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = read_examples("api.md")
    assert len(examples) >= 7
    names: dict[str, object] = {}
    for line, code in examples:
        exec(compile("\n" * (line - 1) + code, "docs/api.md", "exec"), names)


def test_every_call_that_the_api_page_names_exists(home):
    rows = re.findall(r"^\| `.*\| (.*) \|$", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`([a-z_.]+)`", row)]
    assert len(names) > 80
    for name in names:
        first, *rest = name.split(".")
        found = home if first == "home" else pkgutil.resolve_name(name)
        for each in rest if first == "home" else ():
            found = getattr(found, each)
        assert callable(found) or isinstance(found, ModuleType), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_a_page_have_the_options_that_it_shows(page):
    blocks = re.findall(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for line in "".join(blocks).replace("\\\n", " ").splitlines():
        command, *_ = re.split(r" [|<>&]", line)
        words = shlex.split(command, comments=True)
        if words[:1] == ["crewmem"]:
            assert run_crewmem(*words[1:], "--help").status == 0, line
