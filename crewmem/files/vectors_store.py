"""The vectors of one memory directory, in its index. The only SQL that maps them."""

from __future__ import annotations

from crewmem.db.connect import explained, fetch, fetch_one
from crewmem.db.migrate import steps
from crewmem.files.about_store import VECTOR_TABLES, has_vectors
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import apsw

    from crewmem.files.words_store import Filter
    from crewmem.vectors.store import VectorStore

SAYS = "trim(c.body) != ''"
"""What is so of a chunk that has something to embed."""

SCRIPTS = ("vectors", "chunks")
"""What makes the tables; an index has them once something was embedded."""

CARRIED = tuple(name for name in VECTOR_TABLES if name != "chunk_keys")
"""Tables that a new index takes over from the old one; its chunks have other ids."""


class Text(NamedTuple):
    """A chunk as it is embedded.

    Attributes:
        chunk: Its id.
        text: The file and the headings above it, then what it says.
    """

    chunk: int
    text: str

    @property
    def key(self) -> int:
        """What tells its text from any other, as SQLite holds a number.

        Of a million texts two meet once in thirty million indexes.
        """
        from _blake2 import blake2b  # what hashlib has, without OpenSSL

        text = self.text.encode("utf-8", "replace")
        return int.from_bytes(blake2b(text, digest_size=8).digest(), signed=True)


class ChunkVectors:
    """The vectors of the chunks of one index."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    @property
    def has_any(self) -> bool:
        """Tell whether anything was embedded here."""
        return has_vectors(self._db)

    @property
    def store(self) -> VectorStore:
        """The vectors, if `has_any`."""
        from crewmem.vectors.store import VectorStore

        return VectorStore(self._db)

    @property
    def model(self) -> str:
        """What made them; "" if there are none. It is known without the store."""
        from crewmem.vectors.pages_store import Pages

        there = [kept.space.model for kept in Pages(self._db).spaces() if kept.vectors]
        return there[0] if there else ""

    def prepare(self) -> None:
        """Make the tables, if they are not there; call it inside a change."""
        if not self.has_any:
            with explained(self._db):
                for _, sql in (step for each in SCRIPTS for step in steps(each)):
                    self._db.execute(sql).fetchall()

    def lacking(self) -> list[Text]:
        """Return the chunks whose text was not looked at yet, in order."""
        return self._texts(self._is_new)

    def every(self) -> list[Text]:
        """Return all chunks that say something, in order."""
        return self._texts(SAYS)

    def of_chunks(self, chunks: Iterable[int]) -> list[Text]:
        """Return those of *chunks* that are there, in order."""
        return self._texts(f"c.id in ({','.join(map(str, map(int, chunks)))})")

    def of_keys(self, keys: Iterable[int]) -> list[Text]:
        """Return the chunks that have one of *keys*, in order."""
        listed = ",".join(map(str, map(int, keys)))
        has_key = f"select 1 from chunk_keys where chunk = c.id and key in ({listed})"
        return self._texts(f"exists ({has_key})")

    def count_lacking(self) -> int:
        """Return how many chunks were not looked at yet."""
        sql = f"select count(*) from chunks c where {self._is_new}"
        return int(fetch_one(self._db, sql)[0])

    @property
    def _is_new(self) -> str:
        """What is so of a chunk that was not looked at; one without text never is."""
        if not self.has_any:
            return SAYS
        known = "select 1 from chunk_keys where chunk = c.id"
        return f"{SAYS} and not exists ({known})"

    @property
    def is_torn(self) -> bool:
        """Tell whether vectors that there should be are not, as far as rows tell."""
        sql = """
            select (select count(*) from vector_pages)
                   > (select count(*) from vector_codes)
                or (select count(distinct key) from chunk_keys)
                   > (select coalesce(sum(slots - removed), 0) from vector_pages
                       where space in (select id from vector_spaces))
                     + (select count(*) from vector_failures)
        """
        return bool(fetch_one(self._db, sql)[0])

    def mend(self) -> None:
        """Drop vectors that cannot be read, and whose they were; inside a change."""
        store, known = self.store, set[int]()
        self._db.execute(
            "delete from vector_pages where space not in (select id from vector_spaces)"
        )
        for space in [kept.space for kept in store.spaces()]:
            store.check(space)
            store.mend(space)
            known |= {*store.keys(space).tolist()}
            known |= {each.key for each in store.failures(space)}
        lost = [(key,) for key in self.keys() - known]
        self._db.executemany("delete from chunk_keys where key = ?", lost)

    def embedded(self, hidden: Collection[str] = ()) -> tuple[int, str]:
        """Return how many chunks have a vector, and of which model; if `has_any`.

        Chunks of files of the *hidden* tiers are not counted.
        """
        model = self.model
        if not model:
            return 0, ""
        from crewmem.files.words_store import marks

        sql = f"""
            select count(*)
              from chunk_keys k
              join chunks c on c.id = k.chunk
              join files f on f.id = c.file_id
             where f.tier not in ({marks(hidden)})
               and k.key not in (select key from vector_failures)
        """
        return int(fetch_one(self._db, sql, (*hidden,))[0]), model

    def _texts(self, condition: str) -> list[Text]:
        rows = fetch(
            self._db,
            f"""
            select c.id, f.name, c.heading, c.body
              from chunks c
              join files f on f.id = c.file_id
             where {condition}
             order by c.id
            """,
        )
        return [Text(chunk, text_of(*parts)) for chunk, *parts in rows]

    def keep_keys(self, keys: Mapping[int, int]) -> None:
        """Keep the key of each chunk."""
        self._db.executemany(
            "insert or replace into chunk_keys (chunk, key) values (?, ?)",
            keys.items(),
        )

    def keys(self) -> set[int]:
        """Return the keys of all chunks there are."""
        return {key for (key,) in fetch(self._db, "select key from chunk_keys")}

    def chunks(self, keys: Iterable[int], wanted: Filter) -> dict[int, int]:
        """Return the chunks that are *wanted* and have one of *keys*, with that key."""
        conditions, values = wanted.conditions
        listed = ",".join(map(str, map(int, keys)))
        sql = f"""
            select k.chunk, k.key
              from chunk_keys k
              join chunks c on c.id = k.chunk
              join files f on f.id = c.file_id
             where k.key in ({listed}) {"and " + conditions if conditions else ""}
             order by k.chunk
        """
        return dict(fetch(self._db, sql, values))

    def key_of(self, chunks: Collection[int]) -> dict[int, int]:
        """Return the key of each of *chunks* that was looked at."""
        listed = ",".join(map(str, map(int, chunks)))
        sql = f"select chunk, key from chunk_keys where chunk in ({listed})"
        return dict(fetch(self._db, sql))

    def key_at(self, directory: str, name: str, first: int, last: int) -> int | None:
        """Return the key of the chunk of these lines of a file; None without one."""
        sql = """
            select k.key
              from files f
              join chunks c on c.id >= f.first_chunk and c.id < f.first_chunk + f.chunks
              join chunk_keys k on k.chunk = c.id
             where (f.directory, f.name) = (?, ?)
               and (c.first_line, c.last_line) = (?, ?)
             limit 1
        """
        rows = fetch(self._db, sql, (directory, name, first, last))
        return next((key for (key,) in rows), None)

    def carry(self, old: ChunkVectors) -> None:
        """Take over what was embedded for an *old* index of the same directory.

        What of it cannot be read is left; chunks that say what they said have it.
        """
        self.prepare()
        for table in CARRIED:
            (width,) = fetch_one(
                self._db, "select count(*) from pragma_table_info(?)", (table,)
            )
            self._db.executemany(
                f"insert into {table} values ({','.join('?' * width)})",
                old._db.execute(f"select * from {table}"),
            )
        there = old.keys()
        keys = {each.chunk: key for each in self.every() if (key := each.key) in there}
        self.keep_keys(keys)
        self.mend()


def text_of(name: str, heading: str, body: str) -> str:
    """Return what of a chunk is embedded: where it stands, and what it says."""
    above = " > ".join(filter(None, (name.removesuffix(".md"), heading)))
    return f"{above}\n{body}"
