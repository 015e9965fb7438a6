-- How far consolidation has read, and what waits to come again.

-- One row a source of a crew or an agent: up to where it was read.
create table consolidation_marks (
    workspace_id text not null,
    crew_id text not null,
    agent_id text not null default '',  -- '' for the crew's own
    source text not null check (source in ('journal', 'pins')),
    mark text not null,                 -- a place in the journal; ids that were read
    primary key (workspace_id, crew_id, agent_id, source)
) strict, without rowid;

-- One row a note or list of lessons that was read: which of its lines are not new.
create table consolidation_notes (
    workspace_id text not null,
    place text not null,                -- the memory directory, as agent:harbor/mira/
    file text not null,                 -- below it, as daily/2026-04-14.md
    day text not null,                  -- '' of a list of lessons
    size integer not null,
    mtime_ns integer not null,          -- 0: it was so new that it is read again
    sha256 text not null,               -- of its bytes
    lines blob not null,                -- a checksum of four bytes a line
    primary key (workspace_id, place, file)
) strict, without rowid;

-- One row a thing that may be kept: one that waits, or what became of it.
create table consolidation_candidates (
    workspace_id text not null,
    crew_id text not null,
    id text not null,                   -- c_ and 12 characters, of what it says
    agent_id text not null default '',  -- whose it is; '' for the crew's
    kind text not null check (kind in ('observation', 'rule')),
    text text not null,
    first_day text not null,
    last_day text not null,
    occurrences integer not null,       -- how often it was said, of what is kept
    status text not null
        check (status in ('open', 'proposed', 'applied', 'rejected')),
    changed_at text not null,           -- RFC 3339, UTC, milliseconds
    primary key (workspace_id, crew_id, id)
) strict, without rowid;

create index candidates_by_status
    on consolidation_candidates (workspace_id, crew_id, status);

-- One row a place that says what an open or proposed candidate does.
create table consolidation_occurrences (
    workspace_id text not null,
    crew_id text not null,
    ref text not null,                  -- a file and its line; the id of an entry
    sha256 text not null,               -- of the line, or of the entry
    candidate text not null,            -- its id
    source text not null check (source in ('daily', 'journal', 'lesson')),
    kind text not null,                 -- the heading above it, or the entry's type
    day text not null,
    agent_id text not null,
    quote text not null,
    primary key (workspace_id, crew_id, ref, sha256)
) strict, without rowid;
