"""Archives made by hand, and opened as sources."""

import gzip
import io
import tarfile
import zipfile

from crewmem.bundles.limits import USUAL
from crewmem.bundles.source import open_stream


def tarred(members, *, packed=True, end=True):
    """Return a tar of (name, content) or of `tarfile.TarInfo` with its content."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, content in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    content = raw.getvalue()
    if not end:
        content = content.rstrip(b"\0")
        content += bytes(-len(content) % 512)
    return gzip.compress(content, mtime=0) if packed else content


def zipped(files):
    """Return a zip of *files*."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return raw.getvalue()


def opened(content, *, limits=USUAL, name="bundle"):
    """Return *content*, a file, as a source."""
    return open_stream(name, io.BytesIO(content), len(content), limits)
