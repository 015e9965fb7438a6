"""What memory files say already, and what waits to be said there."""

from __future__ import annotations

from crewmem import disk
from crewmem.consolidation.candidate import APPLIED, REJECTED
from crewmem.consolidation.normal import OPPOSITE, SAME, compared, jaccard
from crewmem.consolidation.observation import bare, observations
from crewmem.consolidation.piece import decoded, place_of
from crewmem.consolidation.sighting import line_in, numbers_inside
from crewmem.consolidation.wording import without_seen
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.files.listing import ODD, unpack
from crewmem.files.walk import walk
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crewmem.consolidation.candidate import Candidate
    from crewmem.consolidation.item import Item
    from crewmem.consolidation.leaders import Relate
    from crewmem.consolidation.normal import Form, Reader
    from crewmem.consolidation.sighting import Line
    from crewmem.files.place import Place

OWN = ("AGENT.md",)
"""What is read of an agent, besides what its crew says."""

SHARED = ("CREW.md", "learned", "topics")
"""What is read of a crew: a file, and all that is in folders."""

RULE = "## Rule: "

ALIKE = 0.6
"""Part of all words of both that two texts share that say the same."""

HELD = 0.8
"""Part of the words of a text that a longer one holds that says it as well."""

PROPOSED = "proposed"

WINS = (REJECTED, "", PROPOSED, APPLIED)
"""Of several that say the same, whose word is told: what a person rejected, what stands
in a file, what waits; and last what was applied, which a file may say still."""


class Said(NamedTuple):
    """Something that is said, or was.

    Attributes:
        where: The file and the line, the id of a proposal, or of a candidate.
        status: Empty for what stands in a file; proposed, applied or rejected.
        agent: Whose memory it is in; "" for the crew's.
        at: Since when, of what was rejected.
        line: What it is of ours, if it stands in a file since it was learned.
    """

    where: str
    status: str
    agent: str
    form: Form
    id: str = ""
    at: str = ""
    line: Line | None = None


class Verdict(NamedTuple):
    """What others say of an item.

    Attributes:
        why: Why it is not kept; "" if it may be.
        against: Places that say the opposite.
        consolidated: Other memories that keep the same.
        waits: Whether it is left because it waits in a proposal.
        line: What of ours says it already.
        said: In which words.
    """

    why: str
    against: tuple[str, ...]
    consolidated: int
    waits: bool = False
    line: Line | None = None
    said: str = ""


class Targets:
    """What is said already, found by its rarest words."""

    def __init__(self, said: Iterable[Said], relate: Relate = compared) -> None:
        self._relate = relate
        self.has_lines = False
        self._by_word: dict[str, list[Said]] = {}
        for each in said:
            self.has_lines |= each.line is not None
            for word in each.form.subject:
                self._by_word.setdefault(word, []).append(each)

    def verdict(self, item_id: str, agent: str, form: Form) -> Verdict:
        """Say what becomes of what *agent*, "" for the crew, would keep."""
        against: list[str] = []
        kept: set[str] = set()
        found: Said | None = None
        for each in self._near(form):
            is_here = each.agent in {"", agent}
            if each.id == item_id or (is_here and self._says(each.form, form)):
                if not found or WINS.index(each.status) < WINS.index(found.status):
                    found = each
            elif each.status == APPLIED and not is_here:
                if self._says(each.form, form):
                    kept.add(each.id)
            elif is_here and not each.status:
                alike = jaccard(each.form.subject, form.subject) >= ALIKE
                if alike and self._relate(each.form, form) == OPPOSITE:
                    against.append(each.where)
        if found is None:
            return Verdict("", (*against,), len(kept))
        return Verdict(
            _why(found),
            (*against,),
            len(kept),
            waits=found.status == PROPOSED,
            line=found.line,
            said=found.form.text,
        )

    def _says(self, said: Form, form: Form) -> bool:
        """Tell whether *said* says what *form* does, alone or among other things."""
        if said.is_negated is not form.is_negated:
            return False
        if not (form.values <= said.values and form.names <= said.names | said.subject):
            return False
        held = len(said.subject & form.subject) >= HELD * len(form.subject)
        if not held and jaccard(said.subject, form.subject) < ALIKE:
            return False
        return self._relate(said, form) == SAME

    def _near(self, form: Form) -> Iterator[Said]:
        """Yield what may say the same, or the opposite: it holds a rare word of it."""
        lists = sorted((self._by_word.get(word, ()) for word in form.subject), key=len)
        size = len(form.subject)
        seen: set[int] = set()
        for held in lists[: size - int(ALIKE * size + 0.999) + 1]:
            for each in held:
                if id(each) not in seen:
                    seen.add(id(each))
                    yield each


def _why(said: Said) -> str:
    if said.status == REJECTED:
        return f"it was rejected on {said.at[:10]}"
    if said.status == PROPOSED:
        return f"it waits in the proposal {said.where}"
    if said.status == APPLIED:
        return f"it was kept on {said.at[:10]}, and taken out since"
    return f"{said.where} says so already"


def settled(found: Iterable[Candidate], reader: Reader) -> Iterator[Said]:
    """Yield what was applied or rejected before."""
    for each in found:
        form = reader.form(each.text)
        yield Said(each.id, each.status, each.agent, form, each.id, each.changed_at)


def proposed(items: Iterable[tuple[str, Item]], reader: Reader) -> Iterator[Said]:
    """Yield what waits in proposals, each given with the proposal's id."""
    for name, item in items:
        form = reader.form(item.title or item.text)
        yield Said(name, PROPOSED, item.agent, form, item.id)


def in_files(place: Place, reader: Reader, limit: int) -> Iterator[Said]:
    """Yield what the memory files of *place* say that consolidation adds to.

    What cannot be read says nothing; whoever writes there will say why.
    """
    wanted = OWN if place.agent else SHARED
    try:
        with open_place(place) as root:
            names = [*_files(root, wanted)]
            texts = [(name, _text(root, name, limit)) for name in names]
    except CrewmemError:
        return
    for name, text in texts:
        lines, ref = text.split("\n"), place.ref(name)
        ours = numbers_inside(ref, text)
        for number, said in _lines(text):
            form = reader.form(said)
            if form.subject:
                where = place_of(ref, number, number)
                line = line_in(ref, lines, number) if number in ours else None
                yield Said(where, "", place.agent or "", form, line=line)


def _files(root: int, wanted: Sequence[str]) -> Iterator[str]:
    """Yield the files *wanted*, and those in folders that are, by their paths."""
    for path in wanted:
        if path.endswith(".md"):
            yield path
            continue
        try:
            with disk.open_directory(root, path) as folder:
                yield from sorted(f"{path}/{name}" for name in _below(folder))
        except CrewmemError:
            continue


def _below(folder: int) -> Iterator[str]:
    for found in walk(folder):
        for name, stamp in unpack(found.listing).items():
            if stamp[0] != ODD:
                yield f"{found.path}/{name}".lstrip("/")


def _text(root: int, name: str, limit: int) -> str:
    try:
        return decoded(disk.read(root, name, limit=limit))
    except CrewmemError:
        return ""


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield what each line says, and the titles of rules."""
    for first, _, _, said in observations(text):
        yield first, without_seen(said)
    for at, line in enumerate(text.split("\n"), 1):
        if line.startswith(RULE) and (title := bare(line.removeprefix(RULE).strip())):
            yield at, title
