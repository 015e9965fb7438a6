-- The index of a workspace's memory files, or of a tree named by --path. Derived: delete the
-- file and it comes back. Outside changes of its tables are noticed by `meta`.

create table meta (
    key text primary key not null,
    value any not null                  -- schema: definitions of the tables; indexed_at, settings
) strict, without rowid;

-- One row a memory directory.
create table directories (
    id integer primary key not null,
    path text not null unique
) strict;

-- One row a folder below a memory directory. As long as the signature (names, sizes, times and
-- inodes of its files) is the same, nothing in it has changed.
create table folders (
    id integer primary key not null,
    directory_id integer not null,
    path text not null,                 -- below the memory directory; '' is that itself
    signature blob not null,
    unique (directory_id, path)
) strict;

-- One row a markdown file that was seen, also one that could not be indexed.
create table files (
    id integer primary key not null,
    folder_id integer not null,
    directory_id integer not null,
    name text not null,
    path text not null,                 -- below the memory directory
    tier text not null,
    size integer not null,              -- bytes
    mtime_ns integer not null,          -- lower 64 bits; 0 is compared by content next time
    inode integer not null,
    ctime_ns integer not null,
    sha256 blob not null,               -- of the bytes; empty when it was not read
    at text not null,                   -- when it was updated
    dated text not null,                -- its day by front matter or name, else `at`
    title text not null,                -- its name without .md
    chunks integer not null,
    first_chunk integer not null,       -- its chunks have consecutive ids
    skipped text not null,              -- why it is not indexed, or with what loss
    recorded integer not null,          -- 1: its content is known to be a version
    unique (folder_id, name)
) strict;

create index files_to_record on files (directory_id) where recorded = 0;
create index files_skipped on files (directory_id) where skipped != '';

-- Tags and aliases of front matter, in lower case.
create table labels (
    file_id integer not null,
    kind text not null,                 -- tag, alias
    name text not null,
    shown text not null,                -- as it is written
    primary key (kind, name, file_id)
) strict, without rowid;

create index labels_of_file on labels (file_id);

-- One row a chunk. Narrow, because searches with filters read many of them.
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
    heading text not null,              -- breadcrumb below the file
    text text not null
) strict;

-- The full text of chunks: `heading` has the file's name, aliases and breadcrumb. It stands second,
-- because FTS5 writes two bytes more for each word of a row that is not in its first column.
create virtual table fulltext using fts5(
    text,
    heading,
    content = '',
    contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Bytes of words that FTS5 collects before it writes them. With its default, a megabyte, it writes
-- and merges many small lists, and inserting takes 1.4 times as long; with more, memory grows.
insert into fulltext (fulltext, rank) values ('hashsize', 4194304);
-- How many lists of words of a level it merges as it goes. With its default of 4 the index of 10,000
-- files is a fifteenth larger.
insert into fulltext (fulltext, rank) values ('automerge', 8);

-- Names that texts mention: people, services, files, projects (search/mentions.py).
create table entities (
    id integer primary key not null,
    key text not null unique,           -- by which it is recognised: lower case, singular
    name text not null,                 -- as it was written first
    kind text not null                  -- search/entities.py: Entity
) strict;

-- Which texts mention them. The entity 0 stands for a text that was read.
create table mentions (
    store text not null,                -- memory, facts, journal or sessions
    vector_key integer not null,        -- of the text, as in chunks, facts and episodes
    entity integer not null,
    is_sure integer not null,           -- 0: it begins a sentence; a name if another text says so
    primary key (store, vector_key, entity)
) strict, without rowid;

create index mentions_of_entity on mentions (entity, store);

-- State of each store when all of its texts had been read.
create table mentioned_stores (
    store text primary key not null,
    state text not null
) strict, without rowid;
