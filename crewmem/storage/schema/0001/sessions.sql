-- Context losses of sessions: one row an event. Each begins a new epoch of its session.
create table context_losses (
    id text not null primary key,           -- x_ and 12 base32 characters, of session and event
    workspace_id text not null,
    session_id text not null,               -- s_…
    native_id text not null,                -- the program's own id, by which hooks know a session
    agent text not null,                    -- slug; empty: the workspace's operator
    crew text not null,
    program text not null,
    at text not null,                       -- RFC 3339, UTC, milliseconds
    mark text not null,                     -- compact_boundary | compacted | compaction | drop | hook
    tokens_before integer,
    tokens_after integer,
    recovered_at text not null default '',  -- when a recovery block was last given
    recovered_tokens integer not null default 0
) strict;

create index context_losses_session on context_losses (workspace_id, native_id, at);

-- How far facts were extracted from each log. Committed with the facts.
create table extraction_cursors (
    log_id text not null primary key,       -- l_…, as in sessions.sqlite
    workspace_id text not null,
    line integer not null,                  -- lines up to it were looked at
    fingerprint text not null,              -- of a document: it is looked at whole when it changed
    updated_at text not null
) strict;

-- On which turns extracted facts rest. A fact may rest on several sessions. What was said there is
-- in the fact's source_spans, and goes with it.
create table fact_evidence (
    fact_id text not null,
    session_id text not null,               -- s_…
    log_id text not null,
    line integer not null,
    part integer not null,
    statement text not null,                -- hash of the statement: extraction again is a no-op
    workspace_id text not null,
    primary key (fact_id, log_id, line, part, statement)
) strict;

create index fact_evidence_statement on fact_evidence (workspace_id, statement);
create index fact_evidence_session on fact_evidence (session_id);

-- Windows of turns that a language model could not be asked about: tried again later.
create table extraction_retries (
    id text not null primary key,           -- w_ and 12 base32 characters, of log and lines
    workspace_id text not null,
    log_id text not null,
    session_id text not null,
    first_line integer not null,
    last_line integer not null,
    attempts integer not null,
    error text not null,
    next_at text not null
) strict;

create index extraction_retries_next on extraction_retries (workspace_id, next_at);

-- Sessions that were forgotten, and their logs: they are not read again.
create table forgotten (
    id text not null primary key            -- s_… or l_…
) strict;
