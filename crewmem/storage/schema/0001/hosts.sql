-- Participation of this home in a shared store or in syncs. All tables are local to a host.

-- The shared store that the home is a mirror of: one row, or none.
create table shared_store (
    one integer not null primary key check (one = 1),
    store_id text not null,                 -- name of the store, and of its journal chains
    host text not null,                     -- name of this mirror, h_ and 12 base32 characters
    position integer not null,              -- of the last change that is applied here
    hash text not null,                     -- of that change
    journal_seq integer not null,           -- highest place of an entry, in whatever workspace
    is_behind integer not null default 0    -- 1: file versions arrived that are not checked out
) strict;

-- Which version the file of a shared tier holds here.
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
    arguments text not null,                -- JSON: the words of the command
    input text not null,                    -- what was read from standard input
    queued_at text not null                 -- RFC 3339, UTC, milliseconds
) strict;

-- Batches that were read from each synced place.
create table sync_batches (
    place text not null,                    -- id of the directory
    name text not null,                     -- of a batch: home, number and hash
    primary key (place, name)
) strict, without rowid;

-- Entries of other homes' chains whose id an entry of another chain has here: a bundle brought it
-- before. Only their hashes are kept, so that the rest of their chain can be verified.
create table passed_over_entries (
    workspace_id text not null,
    chain text not null,
    entry_id text not null,
    prev_hash text not null,
    entry_hash text not null,
    primary key (workspace_id, chain, entry_id)
) strict, without rowid;
