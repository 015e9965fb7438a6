"""Files: can every one be read as what it should be, text in UTF-8?"""

from __future__ import annotations

from shlex import join

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.disk import NotReadableError, PathMissingError
from crewmem.files.folders import open_place
from crewmem.files.listing import unpack
from crewmem.files.walk import reason, visible, walk
from crewmem.health.check import by_hand
from crewmem.health.finding import failed, passed, skipped, warned
from crewmem.health.inside import NO_TREES
from crewmem.health.strays import Kind, strays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

NAME = "files.odd"
CATEGORY = "files"

MOST_BYTES = 1 << 30
"""As the setting `max_file_bytes` has it."""

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name what is no text in UTF-8: a search leaves it out, or finds it with loss."""
    if not scene.trees:
        return [skipped(NO_TREES)]
    return [finding for tree in scene.open_trees for finding in _in(scene, tree)] or [
        passed("every file is text in UTF-8, and can be read")
    ]


def _in(scene: Scene, tree: Tree) -> Iterator[Finding]:
    with open_place(tree.place) as root:
        for found in walk(root):
            for name in unpack(found.listing):
                file = f"{found.path}/{name}" if found.path else name
                if not tree.hides(file):
                    yield from _about(scene, tree, root, file)
        for stray in strays(root):
            hidden = tree.hides(f"{stray.file}/") or "/." in stray.file
            if stray.kind is Kind.LINK and not hidden and stray.file[0] != ".":
                yield warned(
                    "a link to a directory: what is behind it is not followed",
                    expected="a directory",
                    where=str(tree.path / stray.file),
                )


def _about(
    scene: Scene, tree: Tree, root: disk.Directory, file: str
) -> Iterator[Finding]:
    path = tree.path / visible(file)
    if visible(file) != file:
        expected = "a name in UTF-8"
        yield warned("its name is not UTF-8", expected=expected, where=str(path))
        return
    try:
        disk.read(root, file, limit=scene.settings.max_file_bytes).decode()
    except PathMissingError:
        pass  # gone since the walk
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        name = str(path)
        yield warned(
            f"bytes that are not UTF-8, the first in line {line}; they are replaced",
            expected="text in UTF-8",
            repair=join(["iconv", "-f", "ENCODING", "-t", "UTF-8", name])
            + f" > {join([f'{name}.new'])} && mv {join([f'{name}.new', name])}",
            where=name,
        )
    except InputTooLargeError as error:
        yield _too_large(scene, error, str(path))
    except NotReadableError as error:
        yield failed(
            f"it cannot be read: {error.reason}",
            expected="a file that whoever searches may read",
            repair=join(["chmod", "u+r", str(path)]),
            where=str(path),
        )
    except CrewmemError as error:
        yield warned(
            f"it is not followed or read: {reason(error)}",
            expected="a regular file",
            where=str(path),
        )


def _too_large(scene: Scene, error: InputTooLargeError, where: str) -> Finding:
    return warned(
        f"{error.size:,} bytes: no search finds it",
        expected=f"at most {error.limit:,} bytes, the setting max_file_bytes",
        repair=(
            scene.command("config", "set", "max_file_bytes", error.size)
            if error.size <= MOST_BYTES
            else ""
        ),
        where=where,
    )
