"""Small models, vectors and services to embed with."""

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
}
WORDS = 13


def make_tensors(seed=0):
    """Return the weights of a small encoder."""
    generator = np.random.default_rng(seed)
    width, inner = SHAPE["hidden_size"], SHAPE["intermediate_size"]

    def matrix(*shape):
        return generator.standard_normal(shape, np.float32)

    tensors = {
        "embeddings.word_embeddings.weight": matrix(WORDS, width),
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
