"""Write the generated files: python tests/generate.py."""

import json
from pathlib import Path

from manpages import make_pages
from schemas import get_all_commands, make_schemas

from crewmem.cli.completion import get_script
from crewmem.cli.main import SECTIONS

ROOT = Path(__file__).parent.parent
COMPLETIONS = {"bash": "crewmem.bash", "zsh": "_crewmem", "fish": "crewmem.fish"}


def make_files() -> dict[Path, str]:
    """Return the text of every generated file."""
    commands = get_all_commands()
    files = {ROOT / "man" / name: text for name, text in make_pages(SECTIONS, commands).items()}
    for name, schema in make_schemas(commands).items():
        files[ROOT / "docs" / "schema" / name] = json.dumps(schema, indent=1) + "\n"
    for shell, name in COMPLETIONS.items():
        files[ROOT / "completions" / name] = get_script(shell)
    return files


def find_generated() -> set[Path]:
    """Return the generated files that are there."""
    folders = (ROOT / "man" / "man1", ROOT / "man" / "man5", ROOT / "docs" / "schema")
    return {path for folder in (*folders, ROOT / "completions") for path in folder.glob("*")}


if __name__ == "__main__":
    files = make_files()
    for path in find_generated() - files.keys():
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
