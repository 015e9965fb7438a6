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
    k integer not null,                   -- most results that were asked for
    refs text not null,                   -- JSON: what was found, best first
    relevances text not null,             -- JSON: one number a ref
    cosines text not null,                -- JSON: one number or null a ref
    injected text not null,               -- JSON: the refs that were shown as sure
    tokens integer not null default 0,    -- of the context block
    latency_ms real not null
) strict;

create index recalls_ts on recalls (workspace_id, ts);

-- Texts that a session already got, so that it gets nothing twice. Local to a host.
create table given (
    session text not null,
    ref text not null,
    content_hash text not null,           -- a text that changed is given again
    epoch integer not null,               -- context losses of the session before it was given
    given_at text not null,
    primary key (session, ref, content_hash, epoch)
) strict, without rowid;

-- Sessions that were advised to write to memory, once each.
create table nudges (
    session text not null primary key,
    nudged_at text not null
) strict;
