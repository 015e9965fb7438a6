-- What memory files held: every write, and every outside change that was met.

create table memory_versions (
    seq integer primary key,            -- a later version has a larger one
    id text not null unique,            -- v_ and 12 characters
    workspace_id text not null,
    path text not null,                 -- as agent:harbor/mira/AGENT.md
    tier text not null,
    sha256 text not null,               -- of the bytes on disk; '' where the file is gone
    bytes integer not null,
    parent text,                        -- id of the version before; null for the first
    written_at text not null,           -- RFC 3339, UTC, milliseconds
    written_by text not null,           -- an actor, or unknown
    operation text not null,            -- append, replace, restore, outside, removed, ...
    kept text                           -- sha256 of what lies under versions/: another one
                                        -- where secrets were left out; null for nothing
) strict;

-- The versions of a file are one chain: none has two successors, and one is the first.
create unique index versions_in_order
    on memory_versions (workspace_id, path, coalesce(parent, ''));
create index versions_by_path on memory_versions (workspace_id, path, seq);
create index versions_by_content on memory_versions (kept) where kept is not null;

-- One row a directory of memory files: what lay there when its files were last compared
-- with their newest versions. A sweep that finds the same has nothing to record.
create table memory_listings (
    workspace_id text not null,
    place text not null,                -- the memory directory, as agent:harbor/mira/
    directory text not null,            -- below it; '' for itself
    listing blob not null,              -- names and stamps, packed as in an index
    primary key (workspace_id, place, directory)
) strict, without rowid;
