-- Versions of memory files: one row per write through crewmem, and per outside change that a sweep
-- found. Only the path of a row changes, when its agent moves to another crew, and its number and
-- parent, when older versions arrive. Contents are compressed files below versions/, named by
-- stored_sha256; equal contents are stored once.
create table file_versions (
    id text primary key not null,       -- v_ and 12 base32 characters
    workspace text not null,
    path text not null,                 -- crew:harbor/topics/deploys.md, agent:harbor/winch/AGENT.md
    tier text not null,
    number integer not null,            -- counted from 1 for each file
    file_sha256 text not null,          -- of the file, to notice changes
    stored_sha256 text not null,        -- of the stored content, with secrets redacted
    bytes integer not null,             -- size of the file
    parent text not null,               -- id of the version before; '' for the first
    origin text not null,               -- operator, agent, external
    written_at text not null,           -- RFC 3339, UTC, milliseconds
    written_by text not null,           -- agent:ada, operator:kim; unknown: outside change
    operation text not null             -- append, replace, restore, import …; outside
) strict;

create index file_versions_by_path on file_versions (workspace, path, number);
create index file_versions_by_content on file_versions (stored_sha256);
