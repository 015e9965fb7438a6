"""The forward pass of BERT encoders in numpy.

Activations have a row for each feature and a column for each token. Weights are then the left
factor as the file stores them, without transposing or copying. The texts of a batch are
concatenated without padding: dense layers process one matrix, attention a slice for each run of
texts of the same length.
"""

import ctypes
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Order = Literal["C", "F"]

SMALL_PRODUCT = 1_000_000
"""Maximum multiplications of a product for which OpenBLAS does not pack its factors. For few
tokens, packing takes longer than the product."""

FEW_TOKENS = 24
"""Maximum tokens for which a product is split into small ones."""

BLOCK = 128
"""Columns of the inner layer that are processed at once, so that they stay in the cache."""

ATTENTION_BLOCK = 65_536
"""Attention scores that are processed at once, for the same reason."""

GELU = tuple(
    np.float32(factor)
    for factor in (
        1.1191009640106749e-06,
        -3.058131919287446e-05,
        -0.00012486013226222382,
        0.036468788812633095,
        0.7978281364002521,
    )
)
"""p in erf(x / sqrt 2) = tanh(x p(x * x)), highest power first: a minimax fit within 3.1e-6.
numpy has a fast tanh and no erf."""

SAFE_SUMS = np.float32(1e-30), np.float32(1e30)
"""Range of sums of exponentials without overflow or underflow. Outside it, softmax must subtract
the maximum first."""

NO_PACKING_CORES = {b"SkylakeX", b"Cooperlake", b"SapphireRapids"}
"""OpenBLAS kernels that multiply small matrices without packing."""


class Config(NamedTuple):
    """The shape of an encoder, from its config.json."""

    layers: int
    width: int
    heads: int
    inner: int
    epsilon: float


class Run(NamedTuple):
    """Adjacent texts of a batch that have the same length."""

    columns: slice
    texts: int
    length: int


def choose_order() -> Order:
    """Return the memory order of activations that suits the machine's BLAS.

    A query took 5.8 ms with Haswell's kernels in order F and 8.5 in C; with SkylakeX's 8.7
    and 4.3.
    """
    try:
        library = ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
        get_core = library.scipy_openblas_get_corename64_
    except (AttributeError, OSError):
        return "F"
    get_core.restype = ctypes.c_char_p
    return "C" if get_core() in NO_PACKING_CORES else "F"


class _Layer:
    """The weights of one layer; biases are columns."""

    def __init__(self, tensors: Mapping[str, Array], number: int) -> None:
        def get(name: str) -> Array:
            return tensors[f"encoder.layer.{number}.{name}"]

        def get_column(name: str) -> Array:
            return get(name)[:, None]

        self.key = get("attention.self.key.weight")
        self.query = get("attention.self.query.weight")
        self.value = get("attention.self.value.weight")
        self.query_bias = get_column("attention.self.query.bias")
        self.attention_output = get("attention.output.dense.weight")
        # The key bias does not change the softmax. Attention weights sum to one, so the value
        # bias is folded into the output bias.
        bias = self.attention_output @ get("attention.self.value.bias")
        self.attention_output_bias = (bias + get("attention.output.dense.bias"))[:, None]
        self.attention_norm = (
            get_column("attention.output.LayerNorm.weight"),
            get_column("attention.output.LayerNorm.bias"),
        )
        self.inner = get("intermediate.dense.weight")
        self.inner_bias = get_column("intermediate.dense.bias")
        self.output = get("output.dense.weight")
        self.output_bias = get_column("output.dense.bias")
        self.norm = (get_column("output.LayerNorm.weight"), get_column("output.LayerNorm.bias"))


class Transformer:
    """An encoder, ready to run."""

    def __init__(self, tensors: Mapping[str, Array], config: Config, order: Order) -> None:
        self._config = config
        self._order: Order = order
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._positions = tensors["embeddings.position_embeddings.weight"]
        self._token_type = tensors["embeddings.token_type_embeddings.weight"][0]
        self._norm = (
            tensors["embeddings.LayerNorm.weight"][:, None],
            tensors["embeddings.LayerNorm.bias"][:, None],
        )
        self._layers = [_Layer(tensors, number) for number in range(config.layers)]
        self._mean = np.full(config.width, 1 / config.width, np.float32)
        self._buffers: dict[str, Array] = {}

    def encode(self, batch: Sequence[Sequence[int]], pooling: str) -> Array:
        """Return a unit vector for each list of tokens.

        It is fastest when texts of the same length are adjacent.

        Args:
            batch: Tokens of each text, including special tokens.
            pooling: ``mean`` of all tokens, or ``cls``, the first token.
        """
        x, runs = self._run(batch)
        parts = []
        for run in runs:
            part = x[:, run.columns].reshape(self._config.width, run.texts, run.length)
            parts.append(part.mean(axis=2) if pooling == "mean" else part[:, :, 0])
        vectors = np.concatenate(parts, axis=1).T
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        return np.ascontiguousarray(vectors / lengths[:, None], dtype=np.float32)

    def encode_tokens(self, batch: Sequence[Sequence[int]]) -> list[Array]:
        """Return for each list of tokens a matrix with a unit vector, a row, for each token."""
        x, _ = self._run(batch)
        vectors = np.ascontiguousarray(x.T)
        vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        ends = np.cumsum([len(tokens) for tokens in batch])
        return np.split(vectors, ends[:-1])

    def _run(self, batch: Sequence[Sequence[int]]) -> tuple[Array, list[Run]]:
        """Return the last layer's activations of all tokens, and the runs of the texts."""
        runs = _find_runs([len(tokens) for tokens in batch])
        with np.errstate(over="ignore", invalid="ignore"):  # `_attend_run` handles both
            x = self._embed_tokens(batch)
            for layer in self._layers:
                self._attend(layer, x, runs)
                self._feed_forward(layer, x)
        return x, runs

    def _embed_tokens(self, batch: Sequence[Sequence[int]]) -> Array:
        tokens = [token for text in batch for token in text]
        positions = [position for text in batch for position in range(len(text))]
        rows = self._words[tokens]
        rows += self._positions[positions]
        rows += self._token_type
        x = self._buffer("x", self._config.width, len(tokens))
        x[:] = rows.T
        self._normalize(x, self._norm)
        return x

    def _attend(self, layer: _Layer, x: Array, runs: Sequence[Run]) -> None:
        """Add the output of self-attention to *x*, and normalize."""
        heads = self._config.heads
        key = self._product(layer.key, x, "key")
        query = self._product(layer.query, x, "query")
        value = self._product(layer.value, x, "value")
        query += layer.query_bias
        query *= np.float32((self._config.width // heads) ** -0.5)
        for run in runs:
            step = max(1, min(heads, ATTENTION_BLOCK // (run.texts * run.length**2)))
            for first in range(0, heads, step):
                part = slice(first, first + step)
                views = [self._split_heads(matrix, run, part) for matrix in (key, query, value)]
                _attend_run(*views, out=views[0])  # overwrites keys, once scores are known
        output = self._product(layer.attention_output, key, "query")
        output += layer.attention_output_bias
        x += output
        self._normalize(x, layer.attention_norm)

    def _split_heads(self, x: Array, run: Run, heads: slice) -> Array:
        """Return some heads of the texts of *run* as (texts, heads, features, length)."""
        count = self._config.heads
        size = self._config.width // count
        columns = x[:, run.columns].reshape(count, size, run.texts, run.length)
        return columns[heads].transpose(2, 0, 1, 3)

    def _feed_forward(self, layer: _Layer, x: Array) -> None:
        """Add the output of the feed-forward layers to *x*, and normalize."""
        tokens = x.shape[1]
        inner_size = self._config.inner
        inner = self._buffer("inner", inner_size, tokens)
        if self._order == "F":
            for i in range(0, tokens, BLOCK):
                part = np.matmul(layer.inner, x[:, i : i + BLOCK], out=inner[:, i : i + BLOCK])
                part += layer.inner_bias
                self._apply_gelu(part)
        else:
            step = max(48, BLOCK * inner_size // tokens)
            if tokens <= FEW_TOKENS:
                step = max(1, SMALL_PRODUCT // (self._config.width * tokens))
            for i in range(0, inner_size, step):
                part = np.matmul(layer.inner[i : i + step], x, out=inner[i : i + step])
                part += layer.inner_bias[i : i + step]
                self._apply_gelu(part)
        output = self._product(layer.output, inner, "query")
        output *= np.float32(0.5)  # `_apply_gelu` returns twice the GELU
        output += layer.output_bias
        x += output
        self._normalize(x, layer.norm)

    def _product(self, weights: Array, x: Array, name: str) -> Array:
        """Return the product of *weights* and *x*, in the buffer *name*."""
        rows, inner = weights.shape
        tokens = x.shape[1]
        out = self._buffer(name, rows, tokens)
        if tokens > FEW_TOKENS or self._order == "F":
            return np.matmul(weights, x, out=out)
        step = max(1, SMALL_PRODUCT // (inner * tokens))
        for i in range(0, rows, step):
            np.matmul(weights[i : i + step], x, out=out[i : i + step])
        return out

    def _apply_gelu(self, x: Array) -> None:
        """Replace *x* by twice its GELU: ``x * (1 + erf(x / sqrt 2))``."""
        square, p = self._buffer("square", *x.shape), self._buffer("p", *x.shape)
        np.multiply(x, x, out=square)
        np.multiply(square, GELU[0], out=p)
        for factor in GELU[1:-1]:
            p += factor
            p *= square
        p += GELU[-1]
        p *= x
        np.tanh(p, out=p)
        p *= x
        x += p

    def _normalize(self, x: Array, norm: tuple[Array, Array]) -> None:
        """Give each column of *x* mean 0 and variance 1, then scale and shift it."""
        scale, shift = norm
        x -= self._mean @ x
        square = self._buffer("square", *x.shape)
        variance = self._mean @ np.multiply(x, x, out=square)
        variance += np.float32(self._config.epsilon)
        x *= 1 / np.sqrt(variance)
        x *= scale
        x += shift

    def _buffer(self, name: str, rows: int, columns: int) -> Array:
        """Return an uninitialized matrix in reused memory; fresh pages would take 10 % longer."""
        size = rows * columns
        flat = self._buffers.get(name)
        if flat is None or flat.size < size:
            flat = self._buffers[name] = np.empty(size, np.float32)
        return flat[:size].reshape(rows, columns, order=self._order)


def _attend_run(key: Array, query: Array, value: Array, *, out: Array) -> None:
    """Write the mean of *value*, weighted by the softmax of the scores, to *out*."""
    scores = np.matmul(key.swapaxes(2, 3), query)
    weights = np.exp(scores)
    total = weights.sum(axis=2, keepdims=True)
    low, high = SAFE_SUMS
    if not (total.max() < high and total.min() > low):
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        total = weights.sum(axis=2, keepdims=True)
    np.matmul(value, weights, out=out)
    out /= total


def _find_runs(lengths: Sequence[int]) -> list[Run]:
    runs: list[Run] = []
    start = first = 0
    for i in range(1, len(lengths) + 1):
        if i == len(lengths) or lengths[i] != lengths[first]:
            texts = i - first
            end = start + texts * lengths[first]
            runs.append(Run(slice(start, end), texts, lengths[first]))
            start, first = end, i
    return runs


def make_batches(lengths: Sequence[int], max_tokens: int) -> Iterator[list[int]]:
    """Yield the indices of texts to encode together: similar lengths, at most *max_tokens*."""
    batch: list[int] = []
    total = 0
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batch and total + lengths[i] > max_tokens:
            yield batch
            batch, total = [], 0
        batch.append(i)
        total += lengths[i]
    if batch:
        yield batch


def load_tensors(buffer: Any) -> dict[str, Array]:
    """Return the float32 tensors of a memory-mapped safetensors file."""
    start = 8 + int.from_bytes(buffer[:8], "little")
    tensors = {}
    for name, tensor in json.loads(buffer[8:start]).items():
        if tensor.get("dtype") == "F32":
            first, end = tensor["data_offsets"]
            flat = np.frombuffer(buffer, "<f4", (end - first) // 4, start + first)
            tensors[name.removeprefix("bert.")] = flat.reshape(tensor["shape"])
    return tensors
