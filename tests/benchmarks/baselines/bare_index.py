"""A straightforward script that indexes a tree: ``python bare_index.py TREE DATABASE``.

It has no command line, no transactions but one, and no tricks: it walks, reads,
cuts into the chunks that crewmem cuts, and inserts row by row; triggers keep the
full text.
"""

import os
import sys

import apsw

from crewmem.files.chunks import chunks

SCHEMA = """
create table files (
    id integer primary key, path text unique, size integer, mtime_ns integer,
    inode integer
);
create table chunks (
    id integer primary key, file_id integer, first_line integer, last_line integer,
    heading text, body text
);
create virtual table words using fts5(
    heading, body, content = 'chunks', content_rowid = 'id',
    tokenize = 'porter unicode61'
);
create trigger chunk_added after insert on chunks begin
    insert into words (rowid, heading, body) values (new.id, new.heading, new.body);
end;
create trigger chunk_removed after delete on chunks begin
    insert into words (words, rowid, heading, body)
    values ('delete', old.id, old.heading, old.body);
end;
"""


def index(tree: str, database: str) -> None:
    """Index the markdown files below *tree* in the new *database*."""
    db = apsw.Connection(database)
    db.execute(SCHEMA)
    with db:
        for directory, _, names in os.walk(tree):
            for name in names:
                if name.endswith(".md"):
                    add(db, os.path.join(directory, name))  # noqa: PTH118 - as fast as it goes
    db.close()


def add(db: apsw.Connection, path: str) -> None:
    """Add the file *path* and its chunks."""
    stat = os.stat(path)  # noqa: PTH116 - as above
    db.execute(
        "insert into files (path, size, mtime_ns, inode) values (?, ?, ?, ?)",
        (path, stat.st_size, stat.st_mtime_ns, stat.st_ino),
    )
    file_id = db.last_insert_rowid()
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as above
        text = file.read()
    for chunk in chunks(text):
        db.execute(
            "insert into chunks (file_id, first_line, last_line, heading, body) "
            "values (?, ?, ?, ?, ?)",
            (file_id, chunk.first, chunk.last, chunk.heading, chunk.text),
        )


if __name__ == "__main__":
    index(sys.argv[1], sys.argv[2])
