"""The README, the documents and tests/sessions run as they are shown."""

from pathlib import Path

import pytest
from transcripts import check_steps, find_console_blocks, parse_steps

ROOT = Path(__file__).parent.parent
SESSIONS = sorted((ROOT / "tests" / "sessions").glob("*.txt"))
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture(autouse=True)
def in_empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CREWMEM_TIMEZONE", "UTC")
    monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session_prints_what_it_shows(path):
    check_steps(parse_steps(path.read_text(encoding="utf-8")), path.name)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_document_prints_what_it_shows(path):
    for first_line, block in find_console_blocks(path.read_text(encoding="utf-8")):
        check_steps(parse_steps(block, first_line=first_line), path.name)
