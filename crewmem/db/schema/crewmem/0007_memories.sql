-- What is held to be true, by whom, and what became of it.

create table memories (
    seq integer primary key,            -- its place in the full text
    id text not null,                   -- m_ and 12 characters; any id that is imported
    workspace_id text not null,
    scope text not null check (scope in ('agent', 'crew', 'workspace')),
    agent_id text not null default '',  -- owner of an agent's memory, else ''
    crew_id text not null default '',   -- crew of a crew's memory, else ''
    kind text not null,
    subtype text,
    title text not null,
    content text not null,
    tags text not null default '[]',    -- JSON: list of texts
    entities text not null default '[]',
    labels text not null default '',    -- tags and entities, as the full text has them
    metadata text not null default '{}',    -- JSON object
    importance integer not null default 3 check (importance between 1 and 5),
    confidence real not null default 0.5 check (confidence between 0 and 1),
    base_quality real check (base_quality between 0 and 1),
    sensitivity text not null default 'internal'
        check (sensitivity in ('public', 'internal', 'restricted')),
    status text not null default 'active'
        check (status in
               ('active', 'warm', 'stale', 'superseded', 'archived', 'quarantined')),
    pin text not null default 'none' check (pin in ('none', 'pin', 'high', 'permanent')),
    state text check (state in ('open', 'done', 'dropped')),    -- of an action item
    topic_key text,
    superseded_by text,                 -- id of what took its place
    content_hash text not null,
    occurred_at text,
    expires_at text,
    verified_at text,
    stale_at text,                      -- when it became stale, or was confirmed after
    source_session text,
    source_project text,
    source_issue text,
    source_spans text not null default '[]',
    origin text not null,               -- cli, import, rollup, ...
    created_by text not null,           -- an actor
    created_at text not null,
    updated_at text not null,
    unique (workspace_id, id)
) strict;

create unique index memories_by_content
    on memories (workspace_id, scope, agent_id, crew_id, content_hash)
    where status = 'active';
create unique index memories_by_topic
    on memories (workspace_id, scope, agent_id, crew_id, topic_key)
    where status = 'active' and topic_key is not null;
create index memories_by_time on memories (workspace_id, updated_at, seq);
create index memories_by_owner on memories (workspace_id, agent_id, crew_id, updated_at);
create index memories_expiring on memories (seq, expires_at) where expires_at is not null;

create virtual table memories_fts using fts5 (
    title,
    content,
    labels,
    content = 'memories',
    content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- What is purged is overwritten, not marked as deleted.
insert into memories_fts (memories_fts, rank) values ('secure-delete', 1);

create virtual table memories_vocabulary using fts5vocab (memories_fts, 'row');

create trigger memories_inserted after insert on memories
begin
    insert into memories_fts (rowid, title, content, labels)
    values (new.seq, new.title, new.content, new.labels);
end;

create trigger memories_deleted after delete on memories
begin
    insert into memories_fts (memories_fts, rowid, title, content, labels)
    values ('delete', old.seq, old.title, old.content, old.labels);
end;

create trigger memories_rewritten after update of title, content, labels on memories
begin
    insert into memories_fts (memories_fts, rowid, title, content, labels)
    values ('delete', old.seq, old.title, old.content, old.labels);
    insert into memories_fts (rowid, title, content, labels)
    values (new.seq, new.title, new.content, new.labels);
end;

-- What a memory said before, oldest first.
create table memory_revisions (
    memory integer not null references memories (seq) on delete cascade,
    revision integer not null,          -- counted from 1
    title text not null,
    content text not null,
    replaced_at text not null,
    replaced_by text not null,          -- an actor
    reason text not null default '',
    primary key (memory, revision)
) strict, without rowid;

create table memory_votes (
    memory integer not null references memories (seq) on delete cascade,
    actor text not null,
    day text not null default '',       -- of an operator's vote against; else ''
    is_up integer not null check (is_up in (0, 1)),
    reason text not null default '',
    at text not null,
    primary key (memory, actor, day)
) strict, without rowid;

-- Counted apart, so that reading never rewrites a claim.
create table memory_accesses (
    memory integer primary key references memories (seq) on delete cascade,
    accessed_count integer not null default 0,
    last_accessed_at text,
    injected_count integer not null default 0,
    last_injected_at text
) strict;

create table memory_edges (
    src integer not null references memories (seq) on delete cascade,
    dst integer not null references memories (seq) on delete cascade,
    relation text not null
        check (relation in ('derived_from', 'supports', 'contradicts', 'supersedes',
                            'similar', 'part_of', 'promoted_from')),
    weight real not null default 1.0,
    created_at text not null,
    created_by text not null,
    primary key (src, dst, relation)
) strict, without rowid;

create index edges_back on memory_edges (dst, src, relation);

-- What a session works with, for a while; only who wrote it sees it.
create table scratch (
    seq integer primary key,
    id text not null,                   -- s_ and 12 characters
    workspace_id text not null,
    actor text not null,                -- who wrote it, as agent:mira
    session text not null,
    content text not null,
    created_at text not null,
    expires_at text not null,
    digested_into text,                 -- id of the memory that sums it up
    unique (workspace_id, id)
) strict;

create index scratch_by_session on scratch (workspace_id, session, actor, seq);
create index scratch_by_end on scratch (expires_at);

-- Changes that wait for a person, from whatever source.
create table proposals (
    seq integer primary key,
    id text not null,                   -- p_ and 12 characters
    workspace_id text not null,
    kind text not null,                 -- share, promote, ...
    scope text not null check (scope in ('agent', 'crew', 'workspace')),
    crew_id text not null default '',   -- crew of a crew's, else ''
    title text not null,
    body text not null,                 -- JSON object: what is to be done
    evidence text not null default '[]',    -- JSON: ids of what it rests on
    status text not null default 'open'
        check (status in ('open', 'approved', 'rejected')),
    created_by text not null,           -- an actor
    created_at text not null,
    decided_by text,
    decided_at text,
    reason text not null default '',
    outcome text,                       -- id of what came of it
    unique (workspace_id, id)
) strict;

create index proposals_by_status on proposals (workspace_id, status, seq);
