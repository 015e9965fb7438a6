-- Who was told in which session that memory was not written for long: once is enough.
create table nudges (
    workspace_id text not null,
    agent_id text not null,
    session_id text not null,
    entries integer not null,           -- of the journal, since memory was written
    nudged_at text not null,
    primary key (workspace_id, agent_id, session_id)
) strict, without rowid;
