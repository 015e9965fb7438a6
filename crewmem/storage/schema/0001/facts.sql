-- Facts: one structured statement per row, with kind, owner, trust, validity and history.

-- A fact. Its text changes in place; fact_revisions has the earlier texts. The rowid is also the
-- rowid in facts_fts. Vacuuming keeps it, because the table has an index.
create table facts (
    id text not null primary key,           -- f_ and 12 base32 characters
    workspace_id text not null,
    scope text not null check (scope in ('session', 'agent', 'crew', 'workspace')),
    agent_id text,                          -- slug of the owner; null: shared
    crew_id text,                           -- slug; null: not a crew's
    kind text not null,                     -- facts/kinds.py: KINDS
    subtype text not null default '',       -- the word by which the kind was given
    title text not null,
    content text not null,                  -- empty after a purge
    tags text not null default '[]',        -- JSON list
    entities text not null default '[]',    -- JSON list: names of people, services, files …
    metadata text not null default '{}',    -- JSON object
    importance integer not null default 3 check (importance between 1 and 5),
    confidence real not null default 0.5,   -- 0 to 1, as written; votes do not change it
    base_quality real,                      -- 0 to 1; null unless shared
    sensitivity text not null default 'internal',  -- public | internal | restricted
    status text not null default 'active',  -- active | warm | stale | superseded | archived | quarantined
    pin text not null default 'none',       -- none | pin | high | permanent
    state text not null default '',         -- of action items: open | done | dropped
    origin text not null,                   -- operator | agent | external
    topic_key text,
    superseded_by text,                     -- id of the fact that replaces it
    content_hash text not null,             -- sha256 of kind, title and content; empty after a purge
    occurred_at text,                       -- all times: RFC 3339, UTC, milliseconds
    valid_from text,
    valid_until text,                       -- expiry
    verified_at text,                       -- when somebody last confirmed it
    source_session text,                    -- the session that owns a session note
    source_project text,
    source_issue text,
    source_spans text not null default '[]',  -- JSON list: quotes and their locations
    search_text text not null,              -- title, content and labels, prepared by text.tokens
    vector_key integer not null,            -- of title and content; 0 after a purge
    created_by text not null,               -- actor: agent:ada
    created_at text not null,
    updated_at text not null
) strict;

-- An owner has at most one active fact per text, and one per topic.
create unique index facts_content on facts (
    content_hash, workspace_id, scope, coalesce(agent_id, ''), coalesce(crew_id, ''),
    iif(scope = 'session', coalesce(source_session, ''), '')
) where status = 'active' and content_hash <> '';

create unique index facts_topic on facts (
    topic_key, workspace_id, scope, coalesce(agent_id, ''), coalesce(crew_id, ''),
    iif(scope = 'session', coalesce(source_session, ''), '')
) where status = 'active' and topic_key is not null;

create index facts_aged_content on facts (content_hash)
where status in ('warm', 'stale') and content_hash <> '';
create index facts_aged_topic on facts (topic_key)
where status in ('warm', 'stale') and topic_key is not null;

-- No index begins with the workspace: most homes have only one workspace, but SQLite would assume
-- that it is selective and prefer such an index to the ids and rowids that a query names.
create index facts_created on facts (created_at, id);
create index facts_agent on facts (agent_id, created_at) where agent_id is not null;
create index facts_session on facts (source_session, created_at) where source_session is not null;
-- Not only those with a text: SQLite would read all facts in the order of the smaller index.
create index facts_vector on facts (vector_key);
create index facts_subtype on facts (subtype) where subtype <> '';
create index facts_superseded on facts (superseded_by) where superseded_by is not null;
create index facts_notes_end on facts (valid_until) where scope = 'session';

create virtual table facts_fts using fts5 (
    search_text,
    content = 'facts',
    content_rowid = 'rowid',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Code that inserts facts also inserts into facts_fts, as for journal entries.
create trigger facts_deleted after delete on facts
begin
    insert into facts_fts (facts_fts, rowid, search_text)
    values ('delete', old.rowid, old.search_text);
    delete from fact_accesses where fact_id = old.id;
    delete from fact_similarities where src_id = old.id or dst_id = old.id;
end;

create trigger facts_reworded after update of search_text on facts
when old.search_text is not new.search_text
begin
    insert into facts_fts (facts_fts, rowid, search_text)
    values ('delete', old.rowid, old.search_text);
    insert into facts_fts (rowid, search_text) values (new.rowid, new.search_text);
end;

-- The state of a fact before each change of its text, status or validity. The state at a time is
-- the first revision with a later changed_at; if there is none, the fact itself.
create table fact_revisions (
    workspace_id text not null,
    fact_id text not null,
    number integer not null,                -- counted from 1 for each fact
    title text,                             -- title and content are null if the change kept them
    content text,
    kind text not null,
    status text not null,
    valid_from text,
    valid_until text,
    superseded_by text,
    search_text text not null default '',   -- empty if the change kept the text
    changed_by text not null,
    changed_at text not null,               -- end of this state
    reason text not null default '',
    primary key (fact_id, number)
) strict;

create virtual table fact_revisions_fts using fts5 (
    search_text,
    content = 'fact_revisions',
    content_rowid = 'rowid',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

create trigger fact_revisions_inserted after insert on fact_revisions
when new.search_text <> ''
begin
    insert into fact_revisions_fts (rowid, search_text) values (new.rowid, new.search_text);
end;

create trigger fact_revisions_deleted after delete on fact_revisions
when old.search_text <> ''
begin
    insert into fact_revisions_fts (fact_revisions_fts, rowid, search_text)
    values ('delete', old.rowid, old.search_text);
end;

create trigger fact_revisions_blanked after update of search_text on fact_revisions
when old.search_text is not new.search_text
begin
    insert into fact_revisions_fts (fact_revisions_fts, rowid, search_text)
    select 'delete', old.rowid, old.search_text where old.search_text <> '';
    insert into fact_revisions_fts (rowid, search_text)
    select new.rowid, new.search_text where new.search_text <> '';
end;

-- Votes on facts: the last one by each actor.
create table votes (
    workspace_id text not null,
    fact_id text not null,
    actor text not null,                    -- agent:ada, also when that agent votes as lead
    day text not null default '',           -- set for an operator's down vote: one per day counts
    vote integer not null check (vote in (-1, 1)),
    reason text not null default '',
    voted_at text not null,
    primary key (fact_id, actor, day)
) strict;

-- Relations made by people and jobs.
create table fact_relations (
    workspace_id text not null,
    src_id text not null,
    dst_id text not null,
    relation text not null,                 -- derived_from | supports | contradicts | part_of |
                                            -- promoted_from; supersedes is facts.superseded_by
    created_by text not null,
    created_at text not null,
    primary key (src_id, dst_id, relation)
) strict;

create index fact_relations_back on fact_relations (dst_id, relation);

-- The tables below are local to a host: derived data and counters.

-- Uses of a fact, stored separately so that reading never changes the fact.
create table fact_accesses (
    fact_id text not null primary key,
    accessed integer not null default 0,    -- by fact show, and by votes
    injected integer not null default 0,    -- by recalls that showed it as sure
    last_used_at text not null
) strict, without rowid;

-- Relation "similar": from a new fact to an earlier one.
create table fact_similarities (
    src_id text not null,
    dst_id text not null,
    weight real not null,                   -- Jaccard index or cosine
    created_at text not null,
    primary key (src_id, dst_id)
) strict, without rowid;

create index fact_similarities_back on fact_similarities (dst_id, src_id);
