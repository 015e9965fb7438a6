-- Versions of memory files: one row for each write through crewmem, and for each change outside
-- of it that a sweep found. A row is never updated. Contents are files below versions/, named by
-- stored_sha256, compressed; each is stored once.
create table file_versions (
    id text primary key not null,       -- v_ and 12 base32 characters
    workspace text not null,
    path text not null,                 -- crew:harbor/topics/deploys.md, agent:harbor/winch/AGENT.md
    tier text not null,
    number integer not null,            -- 1 for the first version of the file, then counted
    file_sha256 text not null,          -- of the file as it was: by it a change is noticed
    stored_sha256 text not null,        -- of what is stored, in which secrets are redacted
    bytes integer not null,             -- of the file
    parent text not null,               -- the version before; '' for the first
    origin text not null,               -- operator, agent, external
    written_at text not null,           -- RFC 3339, UTC, milliseconds
    written_by text not null,           -- agent:ada, operator:kim; unknown: outside crewmem
    operation text not null             -- append, replace, restore, import …; outside
) strict;

create index file_versions_by_path on file_versions (workspace, path, number);
create index file_versions_by_content on file_versions (stored_sha256);
