"""Sources of every kind, made of names and what is under them."""

import pytest

from crewmem.bundles.layouts import layout
from crewmem.bundles.limits import USUAL
from crewmem.bundles.reading import Aim
from crewmem.bundles.source import Folder, Single
from crewmem.bundles.work import format_of


@pytest.fixture
def folder(tmp_path):
    """``folder({"SOUL.md": "…"})``: a directory, as a source."""
    made = []

    def make(files, *, limits=USUAL):
        root = tmp_path / f"source{len(made)}"
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        root.mkdir(exist_ok=True)
        made.append(Folder(str(root), limits))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def read():
    """``read(source, agent="mira")``: layout, documents by file, what is out."""

    def call(source, form="auto", **aim):
        aim = {"crew": "harbor", "agent": "mira"} | aim
        form = format_of(source, form)
        reading = layout(form).read(source, Aim(**aim))
        documents = {
            f"{each.scope}:{each.file}": each.content.decode()
            for each in reading.documents
        }
        out = {each.source: each.reason for each in reading.left_out}
        return form, documents, out

    return call


@pytest.fixture
def single():
    """``single("CLAUDE.md", "…")``: one file, as a source."""
    return lambda name, text: Single(name, text.encode(), USUAL)
