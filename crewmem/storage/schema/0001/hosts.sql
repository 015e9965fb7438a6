-- How this home takes part in a shared store or in syncs. All tables are local to a host.

-- The shared store that this home mirrors: one row, or none.
create table shared_store (
    one integer not null primary key check (one = 1),
    store_id text not null,                 -- id of the store, and name of its journal chains
    host text not null,                     -- id of this mirror, h_ and 12 base32 characters
    position integer not null,              -- of the last change that was applied here
    hash text not null,                     -- of that change
    journal_seq integer not null,           -- highest seq of an entry in any workspace
    is_behind integer not null default 0    -- 1: file versions arrived that are not checked out
) strict;

-- The version that each file of a shared tier contains here.
create table file_bases (
    workspace_id text not null,
    path text not null,                     -- crew:harbor/CREW.md
    version_id text not null,
    primary key (workspace_id, path)
) strict, without rowid;

-- Commands that wait until the store can be reached.
create table outbox (
    id text not null primary key,           -- o_ and 12 base32 characters
    workspace_id text not null,
    actor text not null,
    arguments text not null,                -- JSON: the words of the command line
    input text not null,                    -- standard input
    queued_at text not null                 -- RFC 3339, UTC, milliseconds
) strict;

-- Batches that were read from each sync directory.
create table sync_batches (
    place text not null,                    -- id of the directory
    name text not null,                     -- home, number and hash of the batch
    primary key (place, name)
) strict, without rowid;

-- Entries of other homes' chains that were not stored, because a bundle had brought an entry with
-- the same id in another chain. Their hashes are kept to verify the rest of their chain.
create table passed_over_entries (
    workspace_id text not null,
    chain text not null,
    entry_id text not null,
    prev_hash text not null,
    entry_hash text not null,
    primary key (workspace_id, chain, entry_id)
) strict, without rowid;
