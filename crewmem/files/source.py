"""The chunks of memory files, as a store for search, within the actor's access filter."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from crewmem.access import Filter
from crewmem.context import Context
from crewmem.documents import BREADCRUMB, Document, embedding_input
from crewmem.errors import DamagedError
from crewmem.files.directories import FileOwner, MemoryDirectory, find_readable, is_wanted
from crewmem.files.index import Index
from crewmem.files.origins import find_origins
from crewmem.files.references import format_lines
from crewmem.files.tiers import day_of, prior_of
from crewmem.protocols import SearchStore, VectorSource
from crewmem.storage.fulltext import FullText
from crewmem.storage.sqlite import Database
from crewmem.times import format_time, parse_time

JOIN = "chunks on chunks.id = hits.key join files on files.id = chunks.file_id"


class _ChunkRow(NamedTuple):
    """A chunk with its file, as the index stores them."""

    key: int
    first_line: int
    last_line: int
    vector_key: int
    heading: str
    text: str
    directory_id: int
    path: str
    tier: str
    at: str
    dated: str
    title: str
    file_id: int
    size: int
    sha256: bytes


def _make_document(
    row: _ChunkRow,
    directory: MemoryDirectory,
    origins: Mapping[str, tuple[str, str]],
    aliases: Mapping[int, Sequence[str]],
) -> Document:
    """Return the document of a chunk.

    Args:
        origins: Origin class and author by file.
        aliases: By id of the file.
    """
    file = directory.prefix + row.path
    origin, author = origins[file]
    name = row.path.rpartition("/")[2]
    labels = (row.title, row.heading.rpartition(BREADCRUMB)[2], *aliases.get(row.file_id, ()))
    return Document(
        store="memory",
        key=row.key,
        ref=format_lines(file, row.first_line, row.last_line),
        title=f"{name}{BREADCRUMB}{row.heading}" if row.heading else name,
        text=row.text,
        at=_find_moment(row.path, row.at, row.dated),
        scope=str(directory.scope),
        owner=directory.owner,
        kind=row.tier,
        origin=origin,
        author=author,
        group=file,
        vector_key=row.vector_key,
        labels=tuple(label for label in labels if label),
        prior=prior_of(row.path, row.tier),
        is_of_day=day_of(row.path) is not None,
        extra={
            "file": file,
            "path": f"{directory.path}/{row.path}",
            "first_line": row.first_line,
            "last_line": row.last_line,
            "heading": row.heading,
            "file_size": row.size,
            "sha256": row.sha256,
        },
    )


class ChunkSource(SearchStore, VectorSource):
    """The chunks of the memory files that the actor may read."""

    def __init__(
        self,
        context: Context,
        load_index: Callable[[], Index],
        discard: Callable[[DamagedError], bool],
    ) -> None:
        self._context = context
        self._load_index, self._discard = load_index, discard

    def reset(self) -> None:
        """Discard cached values after the index changed."""
        for name in ("_fulltext", "_total", "_allowed"):
            vars(self).pop(name, None)

    def discard_damaged(self, error: DamagedError) -> bool:
        """Discard the index if *error* is about it; the next search rebuilds it."""
        return self._discard(error)

    @property
    def _index(self) -> Index:
        return self._load_index()

    @property
    def _db(self) -> Database:
        return self._index.db

    @cached_property
    def _fulltext(self) -> FullText:
        return FullText(self._db, "fulltext")

    def documents(self, keys: Sequence[int]) -> list[Document]:
        """Return the documents of chunks, without those that are deleted or out of scope."""
        index = self._index
        found = index.db.all(
            "select chunks.id, chunks.first_line, chunks.last_line, chunks.vector_key,"
            " chunk_texts.heading, chunk_texts.text, files.directory_id, files.path, files.tier,"
            " files.at, files.dated, files.title, files.id, files.size, files.sha256"
            " from json_each(:keys) as wanted join chunks on chunks.id = wanted.value"
            " left join chunk_texts on chunk_texts.id = chunks.id"
            " join files on files.id = chunks.file_id",
            {"keys": keys},
        )
        rows = [_ChunkRow(*row) for row in found]
        if any(row.text is None for row in rows):
            index.raise_incomplete()
        rows = [row for row in rows if row.directory_id in self._allowed]
        aliases = self._aliases({row.file_id for row in rows})
        files = {}
        for row in rows:
            directory = index.directories[row.directory_id]
            files[directory.prefix + row.path] = directory, row.tier
        origins = find_origins(self._context, files)
        return [
            _make_document(row, index.directories[row.directory_id], origins, aliases)
            for row in rows
        ]

    def _aliases(self, files: Collection[int]) -> dict[int, list[str]]:
        return self._db.group(
            "select file_id, shown from labels where kind = 'alias'"
            " and file_id in (select value from json_each(?))",
            (files,),
        )

    def match(self, expression: str, limit: int, **filters: Any) -> list[tuple[int, float]]:
        """Return (key, bm25) of chunks that match an FTS5 expression, best first.

        Raises:
            RefusedError: If the filters name only directories that the actor may not read.
        """
        find_readable(self._context.access, self._index.wanted, **_get_owner(filters))
        condition = self._filter(filters)
        share = 1.0
        if condition.sql != "1":
            share = self.count(**filters) / max(self._total, 1)
        return self._fulltext.match(
            expression, join=JOIN, condition=condition, limit=limit, share=share
        )

    def frequencies(self, terms: Collection[str], **filters: Any) -> dict[str, int]:
        """Return how many chunks in scope contain each of *terms*, which are stems."""
        condition = self._filter(filters)
        if condition.sql == "1":
            return self._fulltext.frequencies(terms)
        share = self.count(**filters) / max(self._total, 1)
        return self._fulltext.frequencies(terms, join=JOIN, condition=condition, share=share)

    def complete(self, beginning: str, limit: int) -> list[str]:
        return self._fulltext.complete(beginning, limit)

    def mean_words(self) -> float:
        return self._fulltext.mean_words()

    @cached_property
    def _total(self) -> int:
        return self._index.report().chunks

    def count(self, **filters: Any) -> int:
        """Return the number of chunks in scope."""
        condition = self._filter(filters)
        if condition.sql == "1":
            return self._total
        return (
            self._db.value(
                f"select coalesce(sum(chunks), 0) from files where {condition.sql}",
                condition.params,
            )
            or 0
        )

    def count_all(self) -> int:
        """Return the number of chunks of all directories."""
        return self._total

    def newest(self, limit: int, *, of_day: bool = False, **filters: Any) -> list[int]:
        """Return the newest chunks.

        Args:
            of_day: Only chunks of files with a date in their name or front matter.
        """
        condition = self._filter(filters)
        only = "files.dated <> files.at and " if of_day else ""
        return self._db.column(
            "select chunks.id from files join chunks"
            " on chunks.id between files.first_chunk and files.first_chunk + files.chunks - 1"
            f" where {only}{condition.sql}"
            " order by files.dated desc, chunks.id limit :limit",
            {**condition.params, "limit": limit},
        )

    def keys_of_vectors(self, vector_keys: Collection[int], **filters: Any) -> dict[int, list[int]]:
        """Return the chunks in scope for each of *vector_keys*; equal texts share a key."""
        condition = self._filter(filters)
        return self._db.group(
            "select chunks.vector_key, chunks.id from json_each(:vector_keys) as wanted"
            " join chunks on chunks.vector_key = wanted.value and chunks.vector_key != 0"
            f" join files on files.id = chunks.file_id where {condition.sql} order by chunks.id",
            {"vector_keys": vector_keys, **condition.params},
        )

    def visible_vector_keys(self, **filters: Any) -> dict[int, int]:
        """Return all vector keys in scope, each with one of its chunks."""
        condition = self._filter(filters)
        if condition.sql == "1":
            rows = self._db.execute("select vector_key, id from chunks where vector_key != 0")
        else:
            rows = self._db.execute(
                "select chunks.vector_key, chunks.id from files join chunks"
                " on chunks.id between files.first_chunk and files.first_chunk + files.chunks - 1"
                f" where chunks.vector_key != 0 and {condition.sql}",
                condition.params,
            )
        return {vector_key: key for vector_key, key in rows}  # noqa: C416 - typed so

    def sample_texts(self, limit: int) -> list[str]:
        """Return the texts of some chunks."""
        return self._db.column(
            "select text from chunks join chunk_texts on chunk_texts.id = chunks.id"
            " where vector_key <> 0 order by vector_key limit ?",
            (limit,),
        )

    def vector_state(self) -> str:
        """Return a text that changes if a chunk is added, changed or removed."""
        return self._index.get_state()

    def texts_of_vectors(self, vector_keys: Collection[int]) -> Iterator[tuple[int, str]]:
        """Yield (vector key, text to embed) for *vector_keys*."""
        rows = self._db.execute(
            "select chunks.vector_key, files.title, chunk_texts.heading, chunk_texts.text"
            " from json_each(:keys) as wanted"
            " join chunks on chunks.vector_key = wanted.value and chunks.vector_key != 0"
            " join chunk_texts on chunk_texts.id = chunks.id"
            " join files on files.id = chunks.file_id group by chunks.vector_key",
            {"keys": vector_keys},
        )
        for key, title, heading, text in rows:
            yield key, embedding_input(title, heading, text)

    # Filters

    @cached_property
    def _allowed(self) -> frozenset[int]:
        """Row numbers of the directories that the actor may read."""
        access = self._context.access
        return frozenset(
            row for row, each in self._index.directories.items() if not each.read_rule(access)
        )

    def _filter(self, filters: Mapping[str, Any]) -> Filter:
        """Return the condition on `files` for the actor's scope and the *filters* of a search.

        Filters: scope, crew, agent, kinds (tiers), tags, since, until. Others are ignored.
        """
        owner = _get_owner(filters)
        wanted = [
            row for row in sorted(self._allowed) if is_wanted(self._index.directories[row], **owner)
        ]
        conditions: list[str] = []
        params: dict[str, Any] = {}
        if len(wanted) < len(self._index.directories):
            conditions.append(f"files.directory_id in ({', '.join(map(str, wanted))})")
        tiers = filters.get("kinds")
        if tiers:
            conditions.append("files.tier in (select value from json_each(:tiers))")
            params["tiers"] = [tiers] if isinstance(tiers, str) else tiers
        tags = filters.get("tags") or ()
        for number, tag in enumerate([tags] if isinstance(tags, str) else tags):
            conditions.append(
                "exists (select 1 from labels where labels.file_id = files.id"
                f" and labels.kind = 'tag' and labels.name = :tag_{number})"
            )
            params[f"tag_{number}"] = tag.lstrip("#").lower()
        for name, operator in (("since", ">="), ("until", "<=")):
            moment = filters.get(name)
            if moment is not None:
                conditions.append(f"files.dated {operator} :{name}")
                params[name] = format_time(moment) if isinstance(moment, datetime) else moment
        return Filter(" and ".join(conditions) or "1", params)


def _find_moment(path: str, at: str, dated: str) -> str:
    """Return when a file was written. The date in its name wins over the modification time.

    Args:
        at: Modification time.
        dated: Start of the day in its name or front matter.
    """
    if day_of(path) is None:
        return at
    is_of_day = parse_time(at) - parse_time(dated) < timedelta(days=1)
    return at if is_of_day else dated


def _get_owner(filters: Mapping[str, Any]) -> FileOwner:
    return {
        "scope": filters.get("scope"),
        "crew": filters.get("crew"),
        "agent": filters.get("agent"),
    }
