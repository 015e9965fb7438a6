-- The index of a workspace's memory files, or of a tree named by --path. Derived: if the file is
-- deleted, it is rebuilt. `meta` tells whether another program changed the tables.

create table meta (
    key text primary key not null,
    value any not null                  -- schema: definitions of the tables; indexed_at, settings
) strict, without rowid;

-- One row per memory directory.
create table directories (
    id integer primary key not null,
    path text not null unique           -- from the directory of the index, or absolute
) strict;

-- One row per folder below a memory directory. If the signature (names, sizes, times and inodes
-- of its files) is unchanged, so are the files.
create table folders (
    id integer primary key not null,
    directory_id integer not null,
    path text not null,                 -- below the memory directory; '': the directory itself
    signature blob not null,
    unique (directory_id, path)
) strict;

-- One row per markdown file, including those that could not be indexed.
create table files (
    id integer primary key not null,
    folder_id integer not null,
    directory_id integer not null,
    name text not null,
    path text not null,                 -- below the memory directory
    tier text not null,
    size integer not null,              -- bytes
    mtime_ns integer not null,          -- lower 64 bits; 0: compare the content next time
    inode integer not null,
    ctime_ns integer not null,
    sha256 blob not null,               -- of the content; empty if it was not read
    at text not null,                   -- time of the last change
    dated text not null,                -- day in front matter or file name, else `at`
    title text not null,                -- file name without .md
    chunks integer not null,
    first_chunk integer not null,       -- its chunks have consecutive ids
    skipped text not null,              -- why it is not indexed, or only in part
    recorded integer not null,          -- 1: this content is stored as a version
    unique (folder_id, name)
) strict;

create index files_to_record on files (directory_id) where recorded = 0;
create index files_skipped on files (directory_id) where skipped != '';

-- Tags and aliases of front matter, in lower case.
create table labels (
    file_id integer not null,
    kind text not null,                 -- tag, alias
    name text not null,
    shown text not null,                -- as written in the file
    primary key (kind, name, file_id)
) strict, without rowid;

create index labels_of_file on labels (file_id);

-- One row per chunk. Narrow, because filtered searches read many rows.
create table chunks (
    id integer primary key not null,
    file_id integer not null,
    first_line integer not null,
    last_line integer not null,
    vector_key integer not null         -- hash of what is embedded; 0: not embedded
) strict;

create index chunks_by_vector on chunks (vector_key) where vector_key != 0;

create table chunk_texts (
    id integer primary key not null,
    heading text not null,              -- path of headings
    text text not null
) strict;

-- Full-text index of chunks. `heading` has the file's name, its aliases and the path of headings.
-- It is second because FTS5 writes two more bytes for each word outside the first column.
create virtual table fulltext using fts5(
    text,
    heading,
    content = '',
    contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Bytes that FTS5 collects before it writes a segment. With its default, a megabyte, it writes and
-- merges many small segments, and inserting takes 1.4 times as long; with more, memory grows.
insert into fulltext (fulltext, rank) values ('hashsize', 4194304);
-- Number of segments of a level that are merged at once. With the default of 4, the index of 10,000
-- files is a fifteenth larger.
insert into fulltext (fulltext, rank) values ('automerge', 8);

-- Names that texts mention: people, services, files, projects (search/mentions.py).
create table entities (
    id integer primary key not null,
    key text not null unique,           -- normalized name: lower case, singular
    name text not null,                 -- as first written
    kind text not null                  -- search/entities.py: Entity
) strict;

-- Texts that mention them. Every text that was searched for names also mentions entity 0.
create table mentions (
    store text not null,                -- memory, facts, journal or sessions
    vector_key integer not null,        -- of the text, as in chunks, facts and episodes
    entity integer not null,
    is_sure integer not null,           -- 0: starts a sentence, so it counts only if other texts agree
    primary key (store, vector_key, entity)
) strict, without rowid;

create index mentions_of_entity on mentions (entity, store);

-- State of each store when all of its texts had been searched for names.
create table mentioned_stores (
    store text primary key not null,
    state text not null
) strict, without rowid;
