"""Scanning for hidden instructions: a megabyte, and what starting costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Trial
from tests.benchmarks.row import Row
from tests.benchmarks.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.benchmarks.row import Setup, Sizes
    from tests.benchmarks.workbench import Workbench

READ = "text = open({path!r}).read()"

SCANNED = f"{READ}; from crewmem.threats.scan import scan; scan(text)"

CUT = f"import re; {READ}; re.findall('[a-z]+', text.lower())"
"""Nobody can scan words without telling them apart."""

MEGABYTE, SECTION = 1 << 20, 40_000
"""Characters: a large file, and all that goes into a prompt."""


def rows(sizes: Sizes) -> Iterable[Row]:
    """Return the rows of scanning; none of them needs a tree."""
    del sizes
    yield Row(
        key="scan",
        title="scan of 1 MB of prose, beside cutting it into words",
        setup=_scanned(MEGABYTE),
        part="write path",
    )
    yield Row(
        key="scan-prompt",
        title="scan of 40 KB of prose, beside cutting it into words",
        setup=_scanned(SECTION),
        part="write path",
    )


def _scanned(size: int) -> Setup:
    return lambda bench: _trial(bench, size)


def _trial(bench: Workbench, size: int) -> Trial:
    path = str(_prose(bench, size))
    return Trial(
        bench.python(SCANNED.format(path=path)), bench.python(CUT.format(path=path))
    )


def _prose(bench: Workbench, size: int) -> Path:
    path = bench.directory / f"prose-{size}.md"
    text = "\n\n".join(f"- {text.capitalize()}." for text in sentences(size // 150))
    path.write_text((text * 2)[:size], encoding="utf-8")
    return path
