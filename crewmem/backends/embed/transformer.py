"""The forward pass of all-MiniLM-L6-v2 (BERT: six layers, 384 wide) in numpy. Pure.

An activation has a row for each feature and a column for each token, so that weights
are the left factor as the file has them: they are neither transposed nor copied. The
texts of a batch stand side by side without padding: dense layers see one matrix,
attention one slice for each run of texts of the same length. Whether rows or columns
are contiguous (`order`, as numpy has it) is what suits the machine's BLAS.
"""

from __future__ import annotations

from crewmem.retrieval.numerics import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal

    from numpy.typing import NDArray

    Array = NDArray[np.float32]
    Order = Literal["C", "F"]

LAYERS, WIDTH, HEADS, INNER = 6, 384, 12, 1536

HEAD = WIDTH // HEADS
"""Features of one head."""

EPSILON = 1e-12
"""What the model's configuration adds to a variance."""

SMALL = 1_000_000
"""Most multiplications of a product that OpenBLAS does without packing its factors,
which takes longer than the product itself where there are few tokens."""

FEW = 24
"""Most tokens for which products are kept `SMALL`; with more, packing pays."""

BLOCK = 128 * INNER
"""Numbers of the inner layer that are worked on at once: they stay in the cache."""

SCORES = 65_536
"""Attention scores that are worked on at once, for the same reason."""

GELU = (
    1.1191009640106749e-06,
    -3.058131919287446e-05,
    -0.00012486013226222382,
    0.036468788812633095,
    0.7978281364002521,
)
"""p of erf(x / sqrt 2) = tanh(x p(x * x)), highest power first: a minimax fit, which
leaves the activation within 3.1e-6 everywhere. numpy has a fast tanh, and no erf."""


PACKLESS = {b"SkylakeX", b"Cooperlake", b"SapphireRapids"}
"""OpenBLAS's kernels that multiply `SMALL` matrices without packing them."""


def suited() -> Order:
    """Return the order of activations that is fastest here: a matter of the kernels.

    A query took 5.8 ms with Haswell's in order F and 8.5 in C; with SkylakeX's, 8.7
    and 4.3.
    """
    from ctypes import CDLL, c_char_p
    from importlib import import_module

    try:
        library = CDLL(import_module("numpy._core._multiarray_umath").__file__)
        name = library.scipy_openblas_get_corename64_
    except (AttributeError, ImportError, OSError):  # another BLAS, or another numpy
        return "F"
    name.restype = c_char_p
    return "C" if name() in PACKLESS else "F"


class Layer:
    """The weights of one layer, as the products below need them."""

    def __init__(self, tensors: Mapping[str, Array], number: int) -> None:
        """Take the tensors of layer *number*."""

        def named(name: str) -> Array:
            return tensors[f"encoder.layer.{number}.{name}"]

        def column(name: str) -> Array:
            return named(name)[:, None]

        self.key = named("attention.self.key.weight")
        self.query = named("attention.self.query.weight")
        self.value = named("attention.self.value.weight")
        self.query_bias = column("attention.self.query.bias")
        self.mix = named("attention.output.dense.weight")
        # A bias of keys changes no softmax. One of values is passed on whole by any
        # weights that add up to one: it may as well be added to the mix.
        bias = self.mix @ named("attention.self.value.bias")
        self.mix_bias = (bias + named("attention.output.dense.bias"))[:, None]
        self.mix_norm = (
            column("attention.output.LayerNorm.weight"),
            column("attention.output.LayerNorm.bias"),
        )
        self.widen = named("intermediate.dense.weight")
        self.widen_bias = column("intermediate.dense.bias")
        # Halved: the activation below is twice the one of the model.
        self.narrow = named("output.dense.weight")
        self.narrow_bias = column("output.dense.bias")
        self.norm = (column("output.LayerNorm.weight"), column("output.LayerNorm.bias"))


class Scratch:
    """Memory for activations, used over and over: fresh pages cost a tenth more."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._flat: dict[str, Array] = {}

    def matrix(self, name: str, rows: int, columns: int) -> Array:
        """Return the matrix *name* of that shape, filled with anything."""
        size = rows * columns
        flat = self._flat.get(name)
        if flat is None or flat.size < size:
            flat = self._flat[name] = np.empty(size, np.float32)
        return flat[:size].reshape(rows, columns, order=self._order)


class Transformer:
    """The model, ready to be run."""

    def __init__(self, tensors: Mapping[str, Array], order: Order) -> None:
        """Take the *tensors* of the model's file, by name."""
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._positions = tensors["embeddings.position_embeddings.weight"]
        self._kind = tensors["embeddings.token_type_embeddings.weight"][0]
        self._norm = (
            tensors["embeddings.LayerNorm.weight"][:, None],
            tensors["embeddings.LayerNorm.bias"][:, None],
        )
        self._layers = [Layer(tensors, number) for number in range(LAYERS)]
        self._order, self._scratch = order, Scratch(order)

    def embed(self, batch: Sequence[Sequence[int]]) -> Array:
        """Return the unit vectors of a *batch* of texts as tokens: (n, 384).

        It is fastest with texts of the same length next to each other.
        """
        runs = _runs([len(tokens) for tokens in batch])
        with np.errstate(over="ignore", invalid="ignore"):  # `_look` looks for it
            x = self._first(batch)
            for layer in self._layers:
                self._attend(layer, x, runs)
                self._think(layer, x)
            return _pooled(x, runs)

    def _first(self, batch: Sequence[Sequence[int]]) -> Array:
        tokens = [token for text in batch for token in text]
        places = [place for text in batch for place in range(len(text))]
        rows = self._words[tokens]
        rows += self._positions[places]
        rows += self._kind
        x = self._scratch.matrix("x", WIDTH, len(tokens))
        x[:] = rows.T
        self._normalise(x, self._norm)
        return x

    def _attend(self, layer: Layer, x: Array, runs: Sequence[Run]) -> None:
        """Add to *x* what its tokens attend to, and normalise."""
        key, query, value = (
            self._product(weights, x, name)
            for name, weights in (
                ("key", layer.key),
                ("query", layer.query),
                ("value", layer.value),
            )
        )
        query += layer.query_bias
        query *= np.float32(HEAD**-0.5)
        found = key  # a head's keys are not needed once its scores are known
        for run in runs:
            for heads in _heads(run):
                views = (_split(m, run, heads) for m in (key, query, value, found))
                _look(*views)
        mixed = self._product(layer.mix, found, "query")
        mixed += layer.mix_bias
        x += mixed
        self._normalise(x, layer.mix_norm)

    def _think(self, layer: Layer, x: Array) -> None:
        """Add to *x* what the inner layer makes of it, and normalise."""
        tokens = x.shape[1]
        inner = self._scratch.matrix("inner", INNER, tokens)
        if self._order == "F":
            step = max(1, BLOCK // INNER)
            for i in range(0, tokens, step):
                part = np.matmul(
                    layer.widen, x[:, i : i + step], out=inner[:, i : i + step]
                )
                part += layer.widen_bias
                self._activate(part)
        else:
            step = max(48, BLOCK // tokens)
            if tokens <= FEW:
                step = max(1, SMALL // (WIDTH * tokens))
            for i in range(0, INNER, step):
                part = np.matmul(layer.widen[i : i + step], x, out=inner[i : i + step])
                part += layer.widen_bias[i : i + step]
                self._activate(part)
        thought = self._product(layer.narrow, inner, "query")
        thought *= np.float32(0.5)
        thought += layer.narrow_bias
        x += thought
        self._normalise(x, layer.norm)

    def _product(self, weights: Array, x: Array, name: str) -> Array:
        """Return *weights* times *x*, as the matrix *name*."""
        rows, inner = weights.shape
        tokens = x.shape[1]
        out = self._scratch.matrix(name, rows, tokens)
        if tokens > FEW or self._order == "F":
            return np.matmul(weights, x, out=out)
        step = max(1, SMALL // (inner * tokens))
        for i in range(0, rows, step):
            np.matmul(weights[i : i + step], x, out=out[i : i + step])
        return out

    def _activate(self, x: Array) -> None:
        """Make of *x* twice its GELU: ``x * (1 + erf(x / sqrt 2))``."""
        square, p = (self._scratch.matrix(name, *x.shape) for name in ("square", "p"))
        np.multiply(x, x, out=square)
        np.multiply(square, GELU32[0], out=p)
        for factor in GELU32[1:-1]:
            p += factor
            p *= square
        p += GELU32[-1]
        p *= x
        np.tanh(p, out=p)
        p *= x
        x += p

    def _normalise(self, x: Array, norm: tuple[Array, Array]) -> None:
        """Give each column of *x* mean 0 and variance 1, then scale and bias."""
        scale, bias = norm
        x -= MEAN @ x
        square = self._scratch.matrix("square", *x.shape)
        variance = MEAN @ np.multiply(x, x, out=square)
        variance += np.float32(EPSILON)
        x *= 1 / np.sqrt(variance)
        x *= scale
        x += bias


class Run:
    """Texts of the same length that stand side by side.

    Attributes:
        columns: Where they are.
        texts: How many.
        length: Tokens of each.
    """

    def __init__(self, start: int, texts: int, length: int) -> None:
        self.columns = slice(start, start + texts * length)
        self.texts, self.length = texts, length


def _runs(lengths: Sequence[int]) -> list[Run]:
    runs: list[Run] = []
    start = first = 0
    for i in range(1, len(lengths) + 1):
        if i == len(lengths) or lengths[i] != lengths[first]:
            runs.append(Run(start, i - first, lengths[first]))
            start += (i - first) * lengths[first]
            first = i
    return runs


def _heads(run: Run) -> Iterator[slice]:
    """Yield the heads whose scores are worked on together."""
    step = max(1, min(HEADS, SCORES // (run.texts * run.length**2)))
    for i in range(0, HEADS, step):
        yield slice(i, i + step)


def _split(x: Array, run: Run, heads: slice) -> Array:
    """Return *heads* of the texts of *run*, as a view: (texts, heads, 32, length)."""
    columns = x[:, run.columns].reshape(HEADS, HEAD, run.texts, run.length)
    return columns[heads].transpose(2, 0, 1, 3)


def _look(key: Array, query: Array, value: Array, found: Array) -> None:
    """Put the mean of *value*, weighted by the softmax of the scores, into *found*.

    The scores are far from where exp overflows, so their greatest is not taken off
    first; where a text should ever come near, it is done over with it.
    """
    scores = np.matmul(key.swapaxes(2, 3), query)
    weights = np.exp(scores)
    total = weights.sum(axis=2, keepdims=True)
    if not (total.max() < LARGE and total.min() > SMALLEST):
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        total = weights.sum(axis=2, keepdims=True)
    np.matmul(value, weights, out=found)
    found /= total


LARGE, SMALLEST = np.float32(1e30), np.float32(1e-30)
"""Sums between which no exponential was lost to the ends of float32."""


GELU32 = tuple(np.float32(factor) for factor in GELU)

MEAN = np.full(WIDTH, 1 / WIDTH, np.float32)
"""Times a column: its mean."""


def _pooled(x: Array, runs: Sequence[Run]) -> Array:
    means = [
        x[:, run.columns].reshape(WIDTH, run.texts, run.length).mean(axis=2)
        for run in runs
    ]
    vectors = np.concatenate(means, axis=1).T
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.ascontiguousarray(vectors / lengths[:, None], dtype=np.float32)
