-- Vectors, packed for scanning. Derived: delete the file and sweep, and they are back.
-- The same tables stand in the index of a memory directory, for its chunks.

-- One row a kind of thing, a workspace, a model and its dimension: what may be compared.
create table vector_spaces (
    id integer primary key,
    kind text not null,                 -- entries, memories, chunks
    workspace_id text not null,
    model text not null,
    dim integer not null,
    mark integer not null default 0,    -- how far the sweep has looked
    unique (kind, workspace_id, model, dim)
) strict;

-- One row a page of vectors, in the order in which they were added. What is in it is
-- told here, so that pages are counted and chosen without being read.
create table vector_pages (
    id integer primary key,
    space integer not null,
    slots integer not null,             -- vectors in it, removed ones included
    removed integer not null,
    first_key integer not null,         -- the smallest and the greatest of its keys
    last_key integer not null,
    slack real not null                 -- how far its codes are from its vectors, at most
) strict;

create index vector_pages_by_space on vector_pages (space, id);

-- One row a page, for the first pass: keys (int64), owners (int32), scales (float32) of
-- its slots, then their codes (int8, dim each). All numbers are little-endian.
create table vector_codes (
    page integer primary key,
    packed blob not null
) strict;

-- The vectors themselves (float32, little-endian, unit length), as many to a row as fit
-- one page of the database: part n of a page is row page * 64 + n.
create table vector_parts (
    id integer primary key,
    vectors blob not null
) strict;

-- One row a thing that could not be embedded.
create table vector_failures (
    space integer not null,
    key integer not null,
    tries integer not null,
    due_ms integer not null,            -- Unix time: not to be tried again before
    error text not null,
    primary key (space, key)
) strict, without rowid;
