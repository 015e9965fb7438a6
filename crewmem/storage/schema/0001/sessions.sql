-- Context losses of sessions. Each begins a new epoch of its session.
create table context_losses (
    id text not null primary key,           -- x_ and 12 base32 characters, from session and event
    workspace_id text not null,
    session_id text not null,               -- s_…
    native_id text not null,                -- the program's own id of the session, which hooks use
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

-- Agents of sessions, as the hooks of the programs named them. Local to a host.
create table session_agents (
    native_id text not null primary key,    -- the program's own id of the session
    workspace_id text not null,
    agent text not null                     -- slug
) strict, without rowid;

-- Watermarks of extraction from logs. Committed with the facts.
create table extraction_cursors (
    log_id text not null primary key,       -- l_…, as in sessions.sqlite
    workspace_id text not null,
    line integer not null,                  -- last line that was processed
    fingerprint text not null,              -- of a document, which is processed again if it changes
    updated_at text not null
) strict;

-- Beginnings of logs that `sessions sync --from-now` left out; the columns are those of `logs`.
create table skipped_logs (
    log_id text not null primary key,
    offset integer not null,
    line integer not null,
    mark text not null
) strict;

-- Turns that are evidence for extracted facts, of one session or several. Their quotes are in the
-- fact's source_spans and are deleted with it.
create table fact_evidence (
    fact_id text not null,
    session_id text not null,               -- s_…
    log_id text not null,
    line integer not null,
    part integer not null,
    statement text not null,                -- hash of the statement; makes extraction idempotent
    workspace_id text not null,
    primary key (fact_id, log_id, line, part, statement)
) strict;

create index fact_evidence_statement on fact_evidence (workspace_id, statement);
create index fact_evidence_session on fact_evidence (session_id);

-- Retry queue of windows of turns for which the language model failed.
create table extraction_retries (
    id text not null primary key,           -- w_ and 12 base32 characters, from log and lines
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

-- Forgotten sessions and their logs, which are not read again.
create table forgotten (
    id text not null primary key            -- s_… or l_…
) strict;
