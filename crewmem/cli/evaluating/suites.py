"""Opening a suite: a file, a directory of a public set, or that of the sample crew."""

from __future__ import annotations

import os
from pathlib import Path

from crewmem.errors.evaluation import (
    CorpusMissingError,
    EmptySuiteError,
    SuiteMissingError,
)
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.app import App
    from crewmem.evaluation.suite import Numbered, Suite

SAMPLE = "sample"
"""The suite of the sample crew, and its corpus."""

CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
"""The files of a public set."""

USUAL = "eval/suite.jsonl"
"""Where the home has its own suite."""

MOST = 256 << 20
"""Bytes of a suite, and of a corpus."""

TOLD = 20
"""Bad lines that are told one by one."""


class Opened(NamedTuple):
    """A suite that was read.

    Attributes:
        where: As it is told, and kept.
        corpus: The file of what is asked about, or `SAMPLE`; None: the home is.
    """

    suite: Suite
    where: str
    corpus: Path | str | None


def usual(app: App) -> str:
    """Return the suite that is meant where nobody names one."""
    return app.settings.eval_suite or str(app.home / USUAL)


def is_there(app: App) -> bool:
    """Tell whether there is a suite without naming one."""
    named = usual(app)
    return named == SAMPLE or os.path.exists(named)  # noqa: PTH110 - raises nothing


def open_suite(app: App, named: str | None) -> Opened:
    """Read the suite that is *named*, else the usual one; tell of its bad lines.

    Raises:
        SuiteMissingError: If it is not there.
        EmptySuiteError: If none of its lines is a case.
        CorpusMissingError: If the corpus that it names is not there.
    """
    from crewmem.evaluation.suite import suite

    where = named or usual(app)
    file = _file(where)
    read = suite(objects(file, where))
    for bad in read.bad[:TOLD]:
        app.out.warn(f"{where}:{bad.line}: {bad.reason}; it is left out")
    if len(read.bad) > TOLD:
        app.out.warn(f"{where}: {len(read.bad) - TOLD:,} more lines are left out")
    if read.extra:
        named_so = ", ".join(sorted(read.extra)[:TOLD])
        app.out.detail(f"{where}: fields that no case has are left out: {named_so}")
    if not read.cases:
        reasons = [f"line {each.line}: {each.reason}" for each in read.bad[:3]]
        raise EmptySuiteError(where, reasons)
    return Opened(read, where, _corpus(file, read.corpus))


def _file(where: str) -> Path:
    if where == SAMPLE:
        import crewmem.sample

        return Path(crewmem.sample.__file__).with_name("suite.jsonl")
    path = Path(where).absolute()
    file = path / QUERIES if path.is_dir() else path
    if not file.is_file():
        raise SuiteMissingError(where)
    return file


def _corpus(file: Path, named: str) -> Path | str | None:
    """Return the corpus of a suite: as it says, else what stands beside it."""
    if named == SAMPLE:
        return SAMPLE
    path = file.parent / (named or CORPUS)
    if path.is_file():
        return path
    if named:
        raise CorpusMissingError(path)
    return None


def objects(file: Path, where: str) -> Iterator[Numbered]:
    """Yield the objects in *file* by line, or why a line is none.

    Raises:
        InputTooLargeError: If it is far too large.
    """
    from crewmem.errors.cli import InputTooLargeError
    from crewmem.errors.disk import NotReadableError
    from crewmem.journal.reading import LINE_MOST, json_object, lines

    try:
        stream = file.open("rb")
    except OSError as error:
        raise NotReadableError(file, (error.strerror or "").lower()) from error
    with stream:
        if (size := os.fstat(stream.fileno()).st_size) > MOST:
            raise InputTooLargeError(where, size, MOST)
        for line in lines(stream):
            if line.text is None:
                yield line.number, f"it is over {LINE_MOST:,} bytes"
            elif not line.text.startswith(b"#"):
                try:
                    yield line.number, json_object(line.text)
                except ValueError as error:
                    yield line.number, str(error)
