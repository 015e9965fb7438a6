"""The forward pass, against one written plainly."""

import math

import numpy as np
import pytest
from embeddings.conftest import SHAPE, make_tensors

from crewmem.embeddings import transformer

CONFIG = transformer.Config(*(SHAPE[name] for name in list(SHAPE)[:4]), 1e-12)
BATCH = [[1, 4, 5, 2], [1, 6, 2], [1, 7, 2], [1, 4, 5, 6, 7, 8, 9, 10, 2], [1, 11, 12, 2]]


def encode_plainly(tensors, tokens, pooling):
    """Return the vector of one text, in double precision, as the paper has it."""
    get = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}.__getitem__
    heads = CONFIG.heads
    erf = np.vectorize(math.erf)

    def normalize(x, name):
        x = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12)
        return x * get(f"{name}.weight") + get(f"{name}.bias")

    def dense(x, name):
        return x @ get(f"{name}.weight").T + get(f"{name}.bias")

    x = get("embeddings.word_embeddings.weight")[tokens]
    x = x + get("embeddings.position_embeddings.weight")[: len(tokens)]
    x = normalize(x + get("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
    for number in range(CONFIG.layers):
        layer = f"encoder.layer.{number}."
        q, k, v = (dense(x, f"{layer}attention.self.{n}") for n in ("query", "key", "value"))
        mixed = []
        for q1, k1, v1 in zip(*(np.split(each, heads, axis=1) for each in (q, k, v)), strict=True):
            weights = np.exp(q1 @ k1.T / math.sqrt(q1.shape[1]))
            mixed.append(weights / weights.sum(1, keepdims=True) @ v1)
        out = dense(np.concatenate(mixed, axis=1), f"{layer}attention.output.dense")
        x = normalize(x + out, f"{layer}attention.output.LayerNorm")
        inner = dense(x, f"{layer}intermediate.dense")
        inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
        x = normalize(x + dense(inner, f"{layer}output.dense"), f"{layer}output.LayerNorm")
    vector = x.mean(0) if pooling == "mean" else x[0]
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_batch_of_many_lengths_has_the_vectors_of_a_plain_pass(order, pooling):
    tensors = make_tensors()
    found = transformer.Transformer(tensors, CONFIG, order).encode(BATCH, pooling)
    expected = [encode_plainly(tensors, tokens, pooling) for tokens in BATCH]
    assert abs(found - expected).max() < 1e-4


@pytest.mark.parametrize("order", ["C", "F"])
def test_first_token_has_the_vector_of_the_pooling_cls(order):
    model = transformer.Transformer(make_tensors(), CONFIG, order)
    tokens = model.encode_tokens(BATCH)
    assert [len(each) for each in tokens] == [len(each) for each in BATCH]
    first = np.array([each[0] for each in tokens])
    assert abs(first - model.encode(BATCH, "cls")).max() < 1e-5


def test_long_texts_in_blocks_have_the_vectors_of_a_plain_pass():
    tensors = make_tensors(seed=1)
    tokens = [[(i * 7 + j) % 12 for i in range(60)] for j in range(40)]
    found = transformer.Transformer(tensors, CONFIG, "C").encode(tokens, "mean")
    expected = encode_plainly(tensors, tokens[3], "mean")
    assert abs(found[3] - expected).max() < 1e-4


@pytest.mark.parametrize("scale", [1, 40, 4000])
def test_scores_that_overflow_are_computed_again(scale):
    generator = np.random.default_rng(0)
    key, query, value = generator.standard_normal((3, 1, 2, 8, 5), np.float32)
    query *= scale
    found = np.empty_like(value)
    with np.errstate(over="ignore", invalid="ignore"):
        transformer._attend_run(key, query, value, out=found)
    scores = np.einsum("thdj,thdi->thji", key, query).astype(np.float64)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    assert abs(found - np.einsum("thdj,thji->thdi", value, weights)).max() < 1e-4


def test_batches_hold_texts_of_similar_length_and_all_of_them():
    lengths = [5, 300, 7, 40, 6, 200]
    batches = list(transformer.make_batches(lengths, 256))
    assert sorted(i for batch in batches for i in batch) == list(range(6))
    assert [[lengths[i] for i in batch] for batch in batches] == [[5, 6, 7, 40], [200], [300]]
