"""The memories within a filter and their words, as hybrid recall asks for them."""

from __future__ import annotations

from functools import cached_property

from crewmem.db.connect import fetch, fetch_one
from crewmem.hybrid.question import FEW
from crewmem.memories.draft import first_clause
from crewmem.memories.spaces import key_of, numbers_of, seq_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import apsw

    from crewmem.db.connect import Bound
    from crewmem.db.where import Where
    from crewmem.hybrid.words import Sides, Text
    from crewmem.memories.store import Filter, Memories

WIDER = 4
"""Times as many are ranked first, of whatever owner, as are wanted within the filter:
most of what matches is."""

ACTORS_MOST = 1_000
"""Names that may be meant by a question: more are no names of persons."""

WHEN = "coalesce(occurred_at, created_at)"

SPEAKER = """
    iif(kind = 'context' and source_session is not null
            and instr(content, ': ') between 2 and 40,
        substr(content, 1, instr(content, ': ') - 1), '')
"""
"""Who said it, where what was said in a session is written as "Caroline: Hello"."""


class Words:
    """The memories within a filter.

    Each is known by its key (see `spaces`), which says what it says now.

    Attributes:
        owners: Whose vectors are looked at; None: all there are.
    """

    def __init__(self, memories: Memories, wanted: Filter) -> None:
        self.owners = numbers_of(wanted)
        self._memories, self._db, self._wanted = memories, memories.db, wanted
        self._meant: frozenset[str] = frozenset()

    def mean(self, names: frozenset[str]) -> None:
        """Take *names* for those that the question is about.

        A memory may be about several, and stands for the one that is meant.
        """
        self._meant = names

    # How many there are

    def totals(self) -> tuple[int, int]:
        """Return how many memories the full text has, of whatever owner, and stems."""
        self._db.register_fts5_function("memory_totals", _totals)
        sql = "select memory_totals(memories_fts) from memories_fts limit 1"
        found = fetch(self._db, sql)
        rows, stems = found[0][0].split() if found else (0, 0)
        return int(rows), int(stems)

    @cached_property
    def _count(self) -> int:
        # Where whoever is asked holds many an index tells it; rows need not be read.
        bound = self._wanted.bound()
        many = self._counted(bound) > FEW
        return FEW + 1 if many else self._counted(self._wanted.where())

    def _counted(self, where: Where) -> int:
        sql = f"""
            select count(*) from (select 1 from memories {where} limit {FEW + 1})
        """
        return int(fetch_one(self._db, sql, tuple(where.values))[0])

    def count(self) -> int:
        """Return how many memories there are; of many, that they are."""
        return self._count

    def holding(self, stems: Collection[str]) -> dict[str, int]:
        """Return how many memories, of whatever owner, hold each of *stems*."""
        marks = ",".join("?" * len(stems))
        sql = f"select term, doc from memories_vocabulary where term in ({marks})"
        return dict(fetch(self._db, sql, tuple(stems)))

    def matching(self, expression: str) -> int:
        """Return how many of the memories match *expression*."""
        condition, values = self._mine()
        sql = f"""
            select count(*) from memories_fts
             where memories_fts match ? and {condition}
        """
        return int(fetch_one(self._db, sql, (expression, *values))[0])

    # Which they are

    def among(self, keys: Collection[int]) -> set[int]:
        """Return those of *keys* that are within the filter, and say the same still."""
        return {*keys} & {*self._visible([seq_of(key) for key in keys])}

    def _visible(self, seqs: Collection[int]) -> list[int]:
        """Return the keys of those of *seqs* that are within the filter, in order."""
        where = self._wanted.where()
        where.holds(f"seq in ({_listed(seqs)})")
        # By their places: an index of what is asked for may hold the whole table.
        sql = f"select seq, content_hash from memories not indexed {where}"
        found: dict[int, str] = dict(fetch(self._db, sql, tuple(where.values)))
        return [key_of(seq, found[seq]) for seq in seqs if seq in found]

    def best(self, expression: str, limit: int) -> list[int]:
        """Return up to *limit* memories that match *expression*, best first.

        Best is by SQLite's bm25; what a title or a label holds counts more.
        """
        wider = WIDER * limit
        some = self._ranked(expression, wider)
        found: list[int] = []
        for at in range(0, len(some), limit):
            found += self._visible(some[at : at + limit])
            if len(found) >= limit:
                return found[:limit]
        if len(some) == wider:
            found = self._visible(self._ranked(expression, limit, *self._mine()))
        return found[:limit]

    def _ranked(
        self,
        expression: str,
        limit: int,
        condition: str = "true",
        values: Sequence[object] = (),
    ) -> list[int]:
        sql = f"""
            select rowid from memories_fts
             where memories_fts match ? and {condition}
             order by bm25(memories_fts, 1.5, 1.0, 1.2), rowid
             limit ?
        """
        rows = fetch(self._db, sql, (expression, *values, limit))
        return [seq for (seq,) in rows]

    def _mine(self) -> tuple[str, list[Bound]]:
        where = self._wanted.where()
        where.holds("seq = memories_fts.rowid")
        return f"exists (select 1 from memories {where})", where.values

    # What they say, and what is around them

    def texts(self, keys: Collection[int]) -> list[Text]:
        """Return the texts of *keys*; they are of rows that the caller may see."""
        key_at = {seq_of(key): key for key in keys}
        sql = f"""
            select seq, title, content, labels, entities, tags, {SPEAKER}, agent_id,
                   coalesce(source_session, ''), {WHEN},
                   substr(rtrim(content, char(9, 10, 13, 32)), -1) = '?'
              from memories
             where seq in ({_listed(key_at)})
        """
        return [
            (
                key_at[seq],
                told(title, content, labels),
                self._actor(*row[4:8]),
                *row[8:],
            )
            for row in fetch(self._db, sql)
            for seq, title, content, labels in [row[:4]]
        ]

    def _actor(self, entities: str, tags: str, speaker: str, agent: str) -> str:
        """Return who a memory is about, or else whose it is."""
        names = [*_names(entities, tags, speaker), agent]
        return next((each for each in names if each in self._meant), names[0])

    def beside(self, keys: Collection[int], count: int) -> dict[int, Sides]:
        """Return up to *count* memories on each side of each of *keys* in its session.

        By time, then place; what is not within the filter is not there.
        """
        found: dict[int, Sides] = {}
        asked = {seq_of(key) for key in keys}
        for row in self._sessions(asked).values():
            for at, (_, seq, key) in enumerate(row):
                if seq in asked:
                    before = row[max(0, at - count) : at]
                    after = row[at + 1 : at + 1 + count]
                    found[key] = (
                        [each for *_, each in reversed(before)],
                        [each for *_, each in after],
                    )
        return found

    def _sessions(self, seqs: Collection[int]) -> dict[str, list[tuple[str, int, int]]]:
        """Return the memories of the sessions of *seqs*, in their order."""
        sql = f"""
            select distinct source_session from memories
             where seq in ({_listed(seqs)}) and source_session is not null
        """
        named = [name for (name,) in fetch(self._db, sql)]
        if not named:
            return {}
        where = self._wanted.where()
        where.any_of("source_session", named)
        where.holds("source_session is not null")
        sql = f"""
            select source_session, {WHEN}, seq, content_hash
              from memories indexed by memories_by_session
            {where}
             order by 2, 3
        """
        found: dict[str, list[tuple[str, int, int]]] = {}
        for name, at, seq, digest in fetch(self._db, sql, tuple(where.values)):
            found.setdefault(name, []).append((at, seq, key_of(seq, digest)))
        return found

    def actors(self) -> list[str]:
        """Return whom memories of sessions are about, and whose there are, by name.

        Not all of many: to look at a million takes seconds.
        """
        owners: list[tuple[str, str] | None] = [*self._wanted.view.owners()] or [None]
        names: set[str] = set()
        for owner in owners:
            where = self._wanted.where()
            where.holds("source_session is not null")
            if owner:  # one by one: an index has the sessions of each
                where.holds("agent_id = ? and crew_id = ?", *owner)
            sql = f"""
                select distinct *
                  from (select entities, tags, {SPEAKER}, agent_id
                          from memories {where} limit {FEW})
                 limit ?
            """
            for *labels, slug in fetch(self._db, sql, (*where.values, ACTORS_MOST)):
                names |= {*_names(*labels), slug}
        return sorted(names - {""})[:ACTORS_MOST]


def told(title: str, content: str, labels: str) -> str:
    """Return what a memory says; a title that nobody wrote only repeats it."""
    # Most titles are how the text begins: only of others it takes a closer look.
    is_start = content.startswith(title.removesuffix("…"))
    own = "" if is_start or title == first_clause(content) else title
    return "\n".join(filter(None, (own, content, labels)))


def _names(entities: str, tags: str, speaker: str) -> Iterable[str]:
    """Return the names that a memory is about.

    A tag is one, and what stands before its text, if it is written as names are.
    """
    names: list[str] = []
    if entities != "[]" or tags != "[]":
        from crewmem.decode import decoded

        names = [*decoded(entities), *filter(str.istitle, decoded(tags))]
    return [*names, speaker] if speaker.istitle() else names


def _listed(numbers: Collection[int]) -> str:
    """Return *numbers* for a list in SQL: they are our own, and may be thousands."""
    return ",".join(map(str, map(int, numbers)))


def _totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    stems = sum(api.column_total_size(column) for column in (1, 2))  # a title repeats
    return f"{api.row_count} {stems}"
