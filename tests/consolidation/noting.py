"""A crew whose agents note things, and what consolidation reads of it."""

from datetime import UTC, datetime, timedelta

from truths import truth

from crewmem.consolidation.gather import gather
from crewmem.consolidation.item import Outcome
from crewmem.consolidation.keep import keep
from crewmem.consolidation.sources import Sources
from crewmem.db.connect import transaction
from crewmem.files.place import Place
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal
from crewmem.journal.tokenizer import stemmer
from crewmem.scope import Scope
from crewmem.threats.scan import scan

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)

CANDIDATES = """
    select id, agent_id, kind, text, first_day, last_day, occurrences, status
      from consolidation_candidates order by id
"""

OCCURRENCES = """
    select candidate, ref, sha256, source, kind, day, agent_id, quote
      from consolidation_occurrences order by ref, sha256
"""


def day(number):
    """Return the day so many days before `NOW`."""
    return (NOW - timedelta(days=number)).date().isoformat()


class Crew:
    """A crew called harbor, in a database in memory and in real files."""

    def __init__(self, path, *agents):
        self.db = truth()
        self.journal = Journal(self.db)
        self.path = path
        self.places = [self._place(None), *(self._place(each) for each in agents)]
        self.sources = Sources(
            self.db,
            "default",
            self.places,
            frozenset(),
            scan,
            stemmer(self.db),
            UTC,
            8 << 20,
        )

    def _place(self, agent):
        below = f"agents/{agent}" if agent else "shared"
        directory = self.path / below / ".memory"
        (directory / "daily").mkdir(parents=True)
        scope = Scope.AGENT if agent else Scope.CREW
        return Place(directory, scope, "harbor", agent)

    def file(self, agent, name):
        """Return where a file of *agent*, None for the crew, lies."""
        (place,) = [each for each in self.places if each.agent == agent]
        return place.path / name

    def note(self, agent, when, *lines):
        """Add *lines* to the daily note of *when*, so many days ago."""
        path = self.file(agent, f"daily/{day(when)}.md")
        before = path.read_text("utf-8") if path.exists() else f"# {day(when)}\n\n"
        first = before.count("\n- ")
        added = [f"- {9 + at}:00 — {line}\n" for at, line in enumerate(lines, first)]
        path.write_text(before + "".join(added), "utf-8")
        return path

    def happened(self, kind, summary, when=0, **fields):
        """Add an entry of the crew, so many days ago; return it."""
        fields = {"crew_id": "harbor", "agent_id": "mira", **fields}
        draft = Draft(kind, summary, ts=NOW - timedelta(days=when), **fields)
        (entry,) = self.journal.append("default", [draft], now=NOW)
        return entry

    def gather(self, when=0, **asked):
        """Gather so many days ago; *sources* may differ."""
        sources = self.sources._replace(**asked.pop("sources", {}))
        now = NOW - timedelta(days=when)
        return gather(sources, "harbor", now=now, **asked)

    def keep(self, gathered, when=0, **became):
        """Keep what was gathered, and what became of items by their ids."""
        with transaction(self.db):
            outcome = Outcome(**{name: tuple(ids) for name, ids in became.items()})
            keep(self.db, gathered, outcome, NOW - timedelta(days=when))

    def read(self, when=0, **asked):
        """Gather, and keep that nothing became of it."""
        gathered = self.gather(when, **asked)
        self.keep(gathered, when)
        return gathered

    def rows(self):
        """Return candidates and occurrences, as they are kept."""
        return [self.db.execute(sql).fetchall() for sql in (CANDIDATES, OCCURRENCES)]


def texts(gathered):
    """Return what the items say."""
    return [each.text for each in gathered.items]
