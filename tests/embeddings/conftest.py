"""Small models, vectors and services to embed with."""

import json

import numpy as np
import pytest
from local_server import run_service

from crewmem.embeddings.store import Vectors

SHAPE = {
    "num_hidden_layers": 2,
    "hidden_size": 16,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 64,
    "model_type": "bert",
}
WORDS = [
    "[PAD]",
    "[CLS]",
    "[SEP]",
    "[UNK]",
    *["the", "deploy", "key", "is", "in", "vault", "where", "harbor", "opens"],
]


def make_tensors(seed=0):
    """Return the weights of a small encoder."""
    generator = np.random.default_rng(seed)
    width, inner = SHAPE["hidden_size"], SHAPE["intermediate_size"]

    def matrix(*shape):
        return generator.standard_normal(shape, np.float32)

    tensors = {
        "embeddings.word_embeddings.weight": matrix(len(WORDS), width),
        "embeddings.position_embeddings.weight": matrix(64, width),
        "embeddings.token_type_embeddings.weight": matrix(2, width),
        "embeddings.LayerNorm.weight": matrix(width),
        "embeddings.LayerNorm.bias": matrix(width),
    }
    for number in range(SHAPE["num_hidden_layers"]):
        layer = f"encoder.layer.{number}."
        for name, rows, columns in (
            ("attention.self.query", width, width),
            ("attention.self.key", width, width),
            ("attention.self.value", width, width),
            ("attention.output.dense", width, width),
            ("intermediate.dense", inner, width),
            ("output.dense", width, inner),
        ):
            tensors[f"{layer}{name}.weight"] = matrix(rows, columns)
            tensors[f"{layer}{name}.bias"] = matrix(rows)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors[f"{layer}{name}.weight"] = matrix(width)
            tensors[f"{layer}{name}.bias"] = matrix(width)
    return tensors


def write_safetensors(path, tensors):
    header, parts, end = {}, [], 0
    for name, tensor in tensors.items():
        start, end = end, end + tensor.nbytes
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, end]}
        parts.append(tensor.tobytes())
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))


@pytest.fixture
def make_model(tmp_path):
    """Return a function that writes a small model and returns its directory."""
    tokenizers = pytest.importorskip("tokenizers")

    def make(name="tiny", *, config=None, **files):
        path = tmp_path / "downloads" / name
        path.mkdir(parents=True)
        write_safetensors(path / "model.safetensors", make_tensors())
        (path / "config.json").write_text(json.dumps({**SHAPE, **(config or {})}))
        vocabulary = {word: number for number, word in enumerate(WORDS)}
        model = tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]")
        tokenizer = tokenizers.Tokenizer(model)
        tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
        )
        tokenizer.save(str(path / "tokenizer.json"))
        for file, content in files.items():
            target = path / {"pooling": "1_Pooling/config"}.get(file, file)
            target = target.with_suffix(".json")
            target.parent.mkdir(exist_ok=True)
            target.write_text(json.dumps(content))
        return path

    return make


@pytest.fixture
def vectors(home):
    return Vectors(home.context)


@pytest.fixture
def service():
    with run_service() as running:
        yield running


def unit_rows(count, dim=8, seed=0):
    rows = np.random.default_rng(seed).standard_normal((count, dim), np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
