"""Straightforward programs that do the same work: python -m tests.benchmarks.baselines NAME …

Each imports what it needs itself, so that none pays for another.
"""

import os
import sys


def click_query(path: str, query: str) -> None:
    """A click program that opens SQLite, runs an FTS5 query and prints JSON."""
    import json

    import apsw
    import click

    @click.command()
    @click.argument("query")
    def main(query: str) -> None:
        db = apsw.Connection(path)
        rows = db.execute(
            "select rowid, bm25(texts) from texts where texts match ? order by 2 limit 10", (query,)
        ).fetchall()
        found = [
            db.execute("select text from contents where id = ?", (row,)).fetchone()[0]
            for row, _ in rows
        ]
        pairs = zip(rows, found, strict=True)
        click.echo(json.dumps([{"id": row, "text": text} for (row, _), text in pairs]))

    main([query])


def click_only() -> None:
    """A click program with one command."""
    import click

    @click.command()
    @click.version_option("1")
    def main() -> None:
        pass

    main(["--version"])


def index_tree(tree: str, target: str) -> None:
    """Index the sections of a tree in one transaction."""
    from pathlib import Path

    import apsw

    if os.path.exists(target):
        os.unlink(target)
    db = apsw.Connection(target)
    db.execute("pragma journal_mode = wal; pragma synchronous = normal")
    db.execute(
        "create table contents (id integer primary key, file text, text text);"
        "create virtual table texts using fts5(text, content='contents', content_rowid='id',"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )
    rows = []
    for path in Path(tree).rglob("*.md"):
        rows += [(str(path), section) for section in path.read_text().split("\n## ")]
    with db:
        db.executemany("insert into contents (file, text) values (?, ?)", rows)
        db.execute("insert into texts (rowid, text) select id, text from contents")


def import_entries(source: str, target: str) -> None:
    """Insert JSON lines with full text."""
    import json

    import apsw

    if os.path.exists(target):
        os.unlink(target)
    db = apsw.Connection(target)
    db.execute("pragma journal_mode = wal; pragma synchronous = full")
    db.execute(
        "create table contents (id integer primary key, name text unique, ts text, text text);"
        "create virtual table texts using fts5(text, content='contents', content_rowid='id',"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )
    with open(source, encoding="utf-8") as lines, db:
        rows = (json.loads(line) for line in lines)
        db.executemany(
            "insert into contents (name, ts, text) values (?, ?, ?)",
            ((row["id"], row["ts"], row["summary"]) for row in rows),
        )
        db.execute("insert into texts (rowid, text) select id, text from contents")


def two_steps(path: str, query: str) -> None:
    """Run a two-step query without a command line."""
    import apsw

    db = apsw.Connection(path)
    rows = db.execute(
        "select rowid, bm25(texts) from texts where texts match ? order by 2 limit 10", (query,)
    ).fetchall()
    for row, _ in rows:
        db.execute("select text from contents where id = ?", (row,)).fetchone()


def parse_log(path: str) -> None:
    """Read a log and parse each line."""
    import json

    with open(path, "rb") as lines:
        for line in lines:
            json.loads(line)


def read_files(tree: str) -> None:
    """Read every file once."""
    from pathlib import Path

    for path in Path(tree).rglob("*.md"):
        path.read_bytes()


def read_weights(path: str) -> None:
    """Import numpy and read the weights of a model once."""
    import numpy as np  # noqa: F401 - its import is measured

    with open(path, "rb") as weights:
        weights.read()


def durable_write(path: str) -> None:
    """Write a file durably."""
    temporary = path + ".tmp"
    with open(temporary, "wb") as file:
        file.write(b"x" * 2000)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, path)
    directory = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
