"""A desk on which memories are changed, of any actor, in a database in memory."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count

from truths import truth

from crewmem.backends.llm.extractive import Extractive
from crewmem.journal.store import Journal
from crewmem.journal.tokenizer import tokenizer
from crewmem.knowledge.maintain import compared
from crewmem.knowledge.promotion import ALIKE
from crewmem.memories.desk import Desk
from crewmem.memories.draft import Draft
from crewmem.memories.likeness import Likeness
from crewmem.memories.memory import Owner
from crewmem.memories.overlaps import Overlaps
from crewmem.memories.remember import remember
from crewmem.memories.store import Memories
from crewmem.memories.summarise import Summariser
from crewmem.memories.view import View
from crewmem.scope import actor as actor_of
from crewmem.threats.scan import scan

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)

MIRA = Owner("agent", agent="mira")
TOR = Owner("agent", agent="tor")
HARBOR = Owner("crew", crew="harbor")
QUAY = Owner("crew", crew="quay")
ALL = Owner("workspace")

CREWS = {"mira": {"harbor"}, "tor": {"harbor", "quay"}, "pilot": {"harbor"}}
LEADS = {"pilot": {"harbor"}}

by_titles = Summariser(Extractive(), Extractive(), scan).extract
"""Tells what memories say together."""

TABLES = (
    "select * from memories order by seq",
    "select * from memory_revisions order by 1, 2",
    "select * from memory_votes order by 1, 2, 3",
    "select * from memory_edges order by 1, 2, 3",
)


class Bench:
    """Makes desks on one database."""

    def __init__(self):
        self.db = truth()
        self.journal = Journal(self.db)
        self._numbers = count()
        self.tokenize = tokenizer(self.db)

    def desk(self, who="operator:ada", *, days=0, restricted=True, workspace="default"):
        """Return the desk of *who*, some *days* from now."""
        actor = actor_of(who)
        view = View(workspace, restricted=restricted)
        if not actor.is_operator:
            is_lead = actor.role == "lead"
            view = View(
                workspace,
                actor.name,
                frozenset(CREWS[actor.name]),
                frozenset(LEADS.get(actor.name, ()) if is_lead else ()),
                restricted,
            )
        now = NOW + timedelta(days=days)
        return Desk(Memories(self.db), self.journal, actor, view, now, self._random)

    def remember(self, text, owner=MIRA, *, who="operator:ada", days=0, **fields):
        """Remember *text*, and return what came of it."""
        if_exists = fields.pop("if_exists", "skip")
        return remember(
            self.desk(who, days=days),
            Draft(text, owner, **fields),
            scan=scan,
            tokenize=self.tokenize,
            if_exists=if_exists,
        )

    def likeness(self, near=None):
        """Return what tells what says the same of all that the upkeep compares."""
        desk = self.desk()
        overlaps = Overlaps(compared(desk), self.tokenize, ALIKE)
        return Likeness(desk.memories, "default", overlaps, near)

    def _random(self, size):
        return sha256(str(next(self._numbers)).encode()).digest()[:size]

    def rows(self):
        """Return all that is in the tables of memories."""
        return {sql.split()[3]: self.db.execute(sql).fetchall() for sql in TABLES}

    def events(self):
        """Return the types of all entries, in order."""
        sql = "select entry_type from journal_entries order by seq"
        return [kind for (kind,) in self.db.execute(sql)]
