"""The model in process: the published vectors, from the published files."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.backends.embed import minilm, weights
from crewmem.errors.backends import ModelDamagedError
from crewmem.errors.disk import PathMissingError

CLOSE = 1e-5
"""Largest difference in a number of a unit vector."""


@pytest.fixture(name="cases")
def _cases(reference):
    return [(case["text"], case["vector"]) for case in reference]


def furthest(vectors, expected):
    return abs(vectors - expected).max()


def test_vectors_are_the_published_ones(model, cases):
    """A word, sentences in six languages and a page have the original's vectors."""
    for text, vector in cases:
        assert furthest(model.embed([text])[0], vector) < CLOSE, text[:40]


def test_company_changes_no_vector(model, cases):
    """Texts of many lengths at once have the vectors that they have alone."""
    texts, vectors = zip(*cases, strict=True)
    assert furthest(model.embed(texts * 3), [*vectors] * 3) < CLOSE


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_layout_changes_no_vector(weights, model, cases, order):
    """Whichever way activations lie in memory, they are the same."""
    from crewmem.backends.embed.transformer import Transformer
    from crewmem.backends.embed.weights import WEIGHTS, open_checked, tensors

    with open_checked(weights, WEIGHTS, "") as file:
        transformer = Transformer(tensors(file), order)
    tokens = sorted((model._tokens(text) for text, _ in cases), key=len)
    found = transformer.embed(tokens)
    alone = [transformer.embed([each])[0] for each in tokens]
    assert furthest(found, alone) < CLOSE
    assert furthest(found, [model._transformer.embed([each])[0] for each in tokens]) < (
        CLOSE
    )


def test_scores_that_overflow_are_done_over():
    """Where exponentials would overflow, or vanish, the greatest score is taken off."""
    import numpy as np

    from crewmem.backends.embed.transformer import _look

    generator = np.random.default_rng(0)
    for scale in (1, 40, 4_000):
        key, query, value = generator.standard_normal((3, 1, 2, 8, 5), np.float32)
        query *= scale
        found = np.empty_like(value)
        with np.errstate(over="ignore", invalid="ignore"):
            _look(key, query, value, found)
        scores = np.einsum("thdj,thdi->thji", key, query).astype(np.float64)
        shares = np.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        expected = np.einsum("thdj,thji->thdi", value, shares)
        assert furthest(found, expected) < 1e-4


def test_the_activation_is_near_the_exact_one():
    """The approximated GELU is within 3.2e-6 of the exact one, and keeps its ends."""
    from math import erf, sqrt

    import numpy as np

    from crewmem.backends.embed.transformer import Transformer

    numbers = np.linspace(-60, 60, 24_001, dtype=np.float32).reshape(1, -1)
    exact = [float(x) * (1 + erf(float(x) / sqrt(2))) / 2 for x in numbers[0]]
    twice = numbers.copy()
    Transformer._activate(Bare(), twice)
    assert furthest(twice[0] / 2, exact) < 3.2e-6 + 60 * 2**-23


class Bare:
    """As much of a transformer as an activation needs."""

    def __init__(self):
        from crewmem.backends.embed.transformer import Scratch

        self._scratch = Scratch("C")


def test_a_long_text_is_cut_at_words(model):
    """Pieces of a long text begin and end with a word, and all of it is in one."""
    words = [f"word{i}" for i in range(900)]
    pieces = model.pieces(" ".join(words))
    assert len(pieces) > 3
    assert {word for piece in pieces for word in piece.split()} == {*words}
    for piece, later in pairwise(pieces):
        assert later.split()[0] in piece.split()


@settings(max_examples=40, deadline=None)
@given(text=st.text(st.characters(codec=None) | st.sampled_from("한 a1,é中")))
def test_any_text_is_cut_so_that_it_can_be_read(model, text):
    """Whatever a text holds, each of its pieces is short enough to be read whole."""
    for piece in model.pieces(text * 30):
        assert len(model._encoded(piece).ids) <= minilm.MOST_TOKENS - 2


def copied(weights_directory, to):
    """Return a copy of the model, whose files may be written to."""
    to.mkdir(parents=True)
    for name in weights.SIZES:
        (to / name).write_bytes(Path(weights_directory, name).read_bytes())
    return to


def test_another_file_is_refused(weights, tmp_path):
    """A file of the right size whose content differs in one bit is not used."""
    from crewmem.backends.embed.weights import TOKENIZER, WEIGHTS

    directory = copied(weights, tmp_path / "model")
    for name in (TOKENIZER, WEIGHTS):
        with (directory / name).open("r+b") as file:
            file.seek(-9, os.SEEK_END)
            byte = file.read(1)[0]
            file.seek(-9, os.SEEK_END)
            file.write(bytes([byte ^ 1]))
        with pytest.raises(ModelDamagedError, match=f"{name}.*sha256 differs"):
            minilm.MiniLM(str(directory), "").embed(["key"])
        (directory / name).write_bytes(Path(weights, name).read_bytes())


def test_what_was_checked_is_remembered(weights, tmp_path, monkeypatch):
    """A file is hashed once; when it is written to again, or moved, once more."""
    from crewmem.backends.embed import weights as module

    directory, home = copied(weights, tmp_path / "model"), tmp_path / "home"
    home.mkdir()
    hashed = []
    check = module.check

    def counted(file, name):
        hashed.append(name)
        check(file, name)

    monkeypatch.setattr(module, "check", counted)

    def opened():
        with module.open_checked(str(directory), module.TOKENIZER, str(home)):
            return len(hashed)

    assert [opened(), opened()] == [1, 1]
    file = directory / module.TOKENIZER
    content, status = file.read_bytes(), file.stat()
    file.write_bytes(content)  # the same bytes and, set back, the same time
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert [opened(), opened()] == [2, 2]
    file.write_bytes(content[:-1] + b"x")
    with pytest.raises(ModelDamagedError):
        opened()


def test_a_home_that_is_not_there_is_not_made(weights, tmp_path):
    """Where nothing can be remembered, nothing is made: the next one checks again."""
    from crewmem.backends.embed.weights import TOKENIZER, open_checked

    home = tmp_path / "none"
    for _ in range(2):
        open_checked(weights, TOKENIZER, str(home)).close()
    assert not home.exists()


def test_links_to_the_model_are_followed(weights, tmp_path):
    """A directory of links, as downloads are often kept, is as good as another."""
    directory = tmp_path / "snapshot"
    directory.mkdir()
    for name in ("tokenizer.json", "model.safetensors"):
        (directory / name).symlink_to(Path(weights, name))
    assert minilm.MiniLM(str(directory), "").embed(["key"]).shape == (1, 384)


def test_a_model_that_went_away(tmp_path):
    """Files that are gone by the time they are needed are missed by name."""
    with pytest.raises(PathMissingError, match=r"tokenizer\.json"):
        minilm.MiniLM(str(tmp_path), "").embed(["key"])


def test_one_thread_computes(weights, tmp_path):
    """Embedding starts no other thread, unless the environment asks for some."""
    program = (
        "import sys; from crewmem.backends.embed.minilm import MiniLM;"
        f"MiniLM({weights!r}, {str(tmp_path)!r}).embed(['the key'] * 50);"
        "print(open('/proc/self/status').read().split('Threads:')[1].split()[0])"
    )
    if not Path("/proc/self/status").exists():
        pytest.skip("there is no /proc here")
    environ = {"PATH": os.defpath, "HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environ,
    )
    assert ran.stdout.strip() == "1"
