-- Vectors of texts. Derived: if the file is deleted, the next sweep embeds the texts again.

create table meta (
    key text not null primary key,
    value any not null                    -- schema: definitions of the tables
) strict, without rowid;

-- The vectors of one store of a workspace, all from one model.
create table collections (
    id integer not null primary key,
    workspace_id text not null,
    store text not null,                  -- memory, facts, journal, sessions
    model text not null,
    dim integer not null,
    state text not null default '',       -- of the store when all of its texts had vectors
    unique (workspace_id, store)
) strict;

-- Many vectors per row: reading 100,000 vectors from as many rows takes four times as long.
create table pages (
    id integer not null primary key,
    collection_id integer not null,
    keys blob not null,                   -- int64, little endian; 0 is a free slot
    vectors blob not null                 -- float32, little endian, of length 1
) strict;

create index pages_collection on pages (collection_id);

-- Where the vectors of a text are. A long text has one for each of its pieces.
create table slots (
    collection_id integer not null,
    key integer not null,                 -- hash of the text that was embedded
    page_id integer not null,
    slot integer not null,
    primary key (collection_id, key, page_id, slot)
) strict, without rowid;
