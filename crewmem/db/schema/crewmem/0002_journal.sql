-- What happened in each workspace, in order, never rewritten.

create table journal_entries (
    seq integer primary key,            -- its place in the chain and in the full text
    id text not null,                   -- j_ and 12 characters; any id that is imported
    workspace_id text not null,
    crew_id text,
    agent_id text,
    mission_id text,
    ts text not null,                   -- RFC 3339, UTC, milliseconds
    entry_type text not null,           -- dotted lower case
    severity text not null
        check (severity in ('info', 'notice', 'warn', 'error')),
    priority text not null              -- as it is now; every change is in the ledger
        check (priority in ('normal', 'high', 'pin', 'permanent')),
    actor_type text not null
        check (actor_type in
               ('agent', 'user', 'system', 'keeper', 'sidecar', 'orchestrator')),
    actor_id text,
    summary text not null,
    payload text not null,              -- a JSON object
    payload_text text not null,         -- the values of it, as indexed
    payload_sha text,                   -- of what payload was, once a purge emptied it
    refs text not null,                 -- a JSON object
    trace_id text,                      -- the session
    span_id text,
    expires_at text,
    prev_hash text not null,            -- the hash before it; '' for the first
    entry_hash text not null,           -- over its fields as written, and prev_hash
    unique (workspace_id, id)
) strict;

create index journal_by_time on journal_entries (workspace_id, ts, seq);
create index journal_by_type on journal_entries (workspace_id, entry_type, ts);
create index journal_by_agent on journal_entries (workspace_id, agent_id, ts)
    where agent_id is not null;
create index journal_by_crew on journal_entries (workspace_id, crew_id, ts)
    where crew_id is not null;
create index journal_by_actor on journal_entries (workspace_id, actor_id)
    where actor_id is not null;
create index journal_by_session on journal_entries (workspace_id, trace_id, ts)
    where trace_id is not null;

create virtual table journal_entries_fts using fts5 (
    summary,
    payload_text,
    content = 'journal_entries',
    content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

create virtual table journal_vocabulary using fts5vocab (journal_entries_fts, 'row');

-- Many rows at once go around the triggers: their full text is one statement.
create table journal_bulk (is_open integer not null check (is_open in (0, 1))) strict;

insert into journal_bulk values (0);

create trigger journal_entries_inserted after insert on journal_entries
when not (select is_open from journal_bulk)
begin
    insert into journal_entries_fts (rowid, summary, payload_text)
    values (new.seq, new.summary, new.payload_text);
end;

create trigger journal_entries_deleted after delete on journal_entries
begin
    insert into journal_entries_fts (journal_entries_fts, rowid, summary, payload_text)
    values ('delete', old.seq, old.summary, old.payload_text);
end;

create trigger journal_entries_updated
after update of summary, payload_text on journal_entries
begin
    insert into journal_entries_fts (journal_entries_fts, rowid, summary, payload_text)
    values ('delete', old.seq, old.summary, old.payload_text);
    insert into journal_entries_fts (rowid, summary, payload_text)
    values (new.seq, new.summary, new.payload_text);
end;

-- One row a workspace: where its chain ends, so that a cut tail is noticed.
create table journal_chains (
    workspace_id text primary key,
    entries integer not null,           -- ever appended
    last_seq integer not null,
    last_hash text not null,
    mac text not null                   -- over these, signed like an entry
) strict, without rowid;

-- One row a batch of entries that were taken out rightly; signed like an entry.
create table journal_checkpoints (
    id integer primary key,
    workspace_id text not null,
    created_at text not null,
    reason text not null,               -- compaction, purge
    removed text not null,              -- JSON: [[seq, entry_hash], ...], by seq
    mac text not null
) strict;

create index checkpoints_by_workspace on journal_checkpoints (workspace_id, id);

-- Aged entries that compaction took out: short to read, and whole.
create table journal_entries_archived (
    id text not null,
    workspace_id text not null,
    crew_id text,
    agent_id text,
    seq integer not null,
    ts text not null,
    entry_type text not null,
    severity text not null,
    priority text not null,
    summary text not null,
    payload text not null,              -- at most 400 characters, still valid JSON
    archived_at text not null,
    original blob not null,             -- the full row as JSON, compressed
    content_sha text not null,          -- of that JSON
    primary key (workspace_id, id)
) strict, without rowid;

create index archive_by_time on journal_entries_archived (workspace_id, ts, seq);
create unique index archive_by_seq on journal_entries_archived (seq);

-- Every change of a priority.
create table journal_entry_priorities (
    workspace_id text not null,
    entry_id text not null,
    change integer not null,            -- counted from 1, for each entry
    from_priority text not null,
    to_priority text not null,
    reason text not null,
    set_by text not null,
    set_at text not null,
    mac text not null,                  -- over these, signed like an entry
    primary key (workspace_id, entry_id, change)
) strict, without rowid;

create trigger priorities_are_history before update on journal_entry_priorities
begin
    select raise(abort, 'a change of a priority is never rewritten');
end;

-- What was asked and answered; kept 30 days.
create table recalls (
    id integer primary key,
    workspace_id text not null,
    at text not null,
    actor text not null,
    verb text not null,                 -- search, recall, memory search, ...
    query text not null,
    mode text not null,
    k integer not null,
    ids text not null,                  -- JSON arrays, in the order of the answer
    relevances text not null,
    cosines text not null,
    injected text not null,
    latency_ms real not null
) strict;

create index recalls_by_time on recalls (workspace_id, at);
