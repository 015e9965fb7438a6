"""Files: is every line there that another file names, as ``CREW.md:12``?

Only of memory files that are looked at is anything claimed: a path of a repository,
or of a file that nobody ever kept here, may be right.
"""

from __future__ import annotations

from crewmem.files.tiers import Tier
from crewmem.files.version import GONE
from crewmem.files.version_store import VersionStore
from crewmem.health.advice import counted
from crewmem.health.check import by_hand
from crewmem.health.citations import citations, put_away
from crewmem.health.finding import passed, skipped, warned
from crewmem.health.inside import NO_TREES, of_truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import apsw

    from crewmem.files.contents import Entry
    from crewmem.health.citations import Citation
    from crewmem.health.finding import Finding
    from crewmem.health.scene import Scene, Tree

NAME = "files.citations"
CATEGORY = "files"

mend = by_hand


def look(scene: Scene) -> list[Finding]:
    """Name files that cite a line which is not there any more.

    Notes of a day are left out: they say what was so then.
    """
    if not scene.trees:
        return [skipped(NO_TREES)]
    search = _Search(scene)
    cited = 0
    found = []
    for tree in scene.open_trees:
        lasting = (each for each in tree.entries if each.tier != Tier.DAILY)
        for entry, text in scene.texts(tree, lasting):
            every = [*citations(text)]
            cited += len(every)
            stale = [(each, why) for each in every if (why := search(tree, each))]
            if stale:
                found.append(_finding(scene, tree, entry, stale))
    told = counted(cited, "citation is", "citations are")
    return found or [passed(f"{told} of lines that are there, or of other things")]


class _Search:
    """Looks for what is cited, and remembers how long each file is."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._trees = {
            (scene.workspace_of(tree), tree.place.ref("")): tree
            for tree in scene.open_trees
        }
        self._lines: dict[tuple[str, str], int | None] = {}
        self._known: dict[str, dict[str, Entry]] = {}
        self._gone = _gone(scene)

    def __call__(self, tree: Tree, cited: Citation) -> str:
        """Return why what *tree* cites is stale; "" where nothing is known of it."""
        lengths = []
        for at, file in self._candidates(tree, cited.path):
            length = self._length(at, file)
            if length is not None and cited.line <= length:
                return ""
            archived = self._length(at, put_away(file)) if put_away(file) else None
            if archived is not None and cited.line <= archived:
                return ""
            lengths += [each for each in (length, archived) if each is not None]
        if lengths:
            return f"has {counted(max(lengths), 'line')}"
        was_there = any(
            (self.scene.workspace_of(at), at.place.ref(file)) in self._gone
            for at, file in self._candidates(tree, cited.path)
        )
        return "is gone" if was_there else ""

    def _candidates(self, tree: Tree, path: str) -> Iterator[tuple[Tree, str]]:
        """Yield where *path*, which stands in a file of *tree*, may be."""
        workspace = self.scene.workspace_of(tree)
        if ":" in path:
            for (where, prefix), other in self._trees.items():
                if where == workspace and path.startswith(prefix):
                    yield from self._unless_hidden(other, path[len(prefix) :])
            return
        crew = tree.place.crew
        owners = (tree.place.ref(""), f"crew:{crew}/", "workspace:")
        for prefix in dict.fromkeys(owners):
            if near := self._trees.get((workspace, prefix)):
                yield from self._unless_hidden(near, path)

    def _unless_hidden(self, tree: Tree, file: str) -> Iterator[tuple[Tree, str]]:
        if file and not tree.hides(file):
            yield tree, file

    def _files(self, tree: Tree) -> dict[str, Entry]:
        """Return the files of *tree*, gathered once."""
        key = str(tree.path)
        if key not in self._known:
            self._known[key] = {each.file: each for each in tree.entries}
        return self._known[key]

    def _length(self, tree: Tree, file: str) -> int | None:
        """Return how many lines *file* has; None if it is not there."""
        key = str(tree.path), file
        if key not in self._lines:
            entry = self._files(tree).get(file)
            self._lines[key] = self._counted(tree, entry) if entry else None
        return self._lines[key]

    def _counted(self, tree: Tree, entry: Entry) -> int:
        texts = self.scene.texts(tree, [entry])
        return sum(len(text.splitlines()) for _, text in texts)


def _gone(scene: Scene) -> set[tuple[str | None, str]]:
    """Return workspace and ref of files that versions say were removed."""
    found: set[tuple[str | None, str]] = set()

    def read(db: apsw.Connection) -> list[Finding]:
        for tree in scene.open_trees:
            workspace = scene.workspace_of(tree)
            if workspace is not None:
                hashes = VersionStore(db, workspace).hashes(tree.place.ref(""))
                found.update((workspace, ref) for ref, h in hashes.items() if h == GONE)
        return []

    of_truth(scene, read, by_all=True)
    return found


def _finding(
    scene: Scene, tree: Tree, entry: Entry, stale: list[tuple[Citation, str]]
) -> Finding:
    (first, why), *more = stale
    rest = f", and {counted(len(more), 'other', 'others')} so" if more else ""
    return warned(
        f"line {first.at} cites {first}, which {why}{rest}",
        expected="citations of lines that are there",
        look=scene.reading(tree, entry.path),
        where=str(entry.path),
    )
