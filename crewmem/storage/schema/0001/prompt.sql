-- Logged recalls. Local to a host; rows are kept 30 days.
create table recalls (
    id text not null primary key,         -- q_ and 12 base32 characters
    workspace_id text not null,
    ts text not null,
    actor text not null,                  -- agent:ada, operator:kim
    session text not null default '',     -- session of the agent program, if known
    query text not null,                  -- secrets redacted
    use text not null,                    -- pull, push, search
    mode text not null,                   -- hybrid, sparse-only …
    k integer not null,                   -- maximum number of results requested
    refs text not null,                   -- JSON: refs of the hits, best first
    relevances text not null,             -- JSON: a number for each ref
    cosines text not null,                -- JSON: a number or null for each ref
    injected text not null,               -- JSON: refs shown as sure
    tokens integer not null default 0,    -- of the context block
    latency_ms real not null
) strict;

create index recalls_ts on recalls (workspace_id, ts);

-- Texts given to a session, so that none is given twice. Local to a host.
create table given (
    session text not null,
    ref text not null,
    content_hash text not null,           -- a changed text is given again
    epoch integer not null,               -- number of context losses before it was given
    given_at text not null,
    primary key (session, ref, content_hash, epoch)
) strict, without rowid;

-- Sessions that were reminded to write to memory; each is reminded once.
create table nudges (
    session text not null primary key,
    nudged_at text not null
) strict;
