-- Facts: one structured statement a row, with kind, owner, trust, validity and history.

-- A fact. Its text changes in place; what it said before is in fact_revisions. The rowid is its
-- place in the full text: it stays when the file is vacuumed, because the table has an index.
create table facts (
    id text not null primary key,           -- f_ and 12 base32 characters
    workspace_id text not null,
    scope text not null check (scope in ('session', 'agent', 'crew', 'workspace')),
    agent_id text,                          -- slug of the owner; null: shared
    crew_id text,                           -- slug; null: not a crew's
    kind text not null,                     -- facts/fact.py: KINDS
    subtype text not null default '',       -- the word that was used for the kind
    title text not null,
    content text not null,                  -- empty after a purge
    tags text not null default '[]',        -- JSON list
    entities text not null default '[]',    -- JSON list: names of people, services, files …
    metadata text not null default '{}',    -- JSON object
    importance integer not null default 3 check (importance between 1 and 5),
    confidence real not null default 0.5,   -- 0 to 1, as written; votes are counted beside it
    base_quality real,                      -- 0 to 1; of shared facts only
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
    valid_until text,                       -- it has expired from then on
    verified_at text,                       -- when somebody last said that it holds
    source_session text,                    -- of a session note: the session that owns it
    source_project text,
    source_issue text,
    source_spans text not null default '[]',  -- JSON list: quotes and where they stand
    search_text text not null,              -- title, content and labels, as text.tokens prepares them
    vector_key integer not null,            -- of title and content; 0 after a purge
    created_by text not null,               -- actor: agent:ada
    created_at text not null,
    updated_at text not null
) strict;

-- An owner has only one active fact with a text, and one for each topic.
create unique index facts_content on facts (
    content_hash, workspace_id, scope, coalesce(agent_id, ''), coalesce(crew_id, ''),
    iif(scope = 'session', coalesce(source_session, ''), '')
) where status = 'active' and content_hash <> '';

create unique index facts_topic on facts (
    topic_key, workspace_id, scope, coalesce(agent_id, ''), coalesce(crew_id, ''),
    iif(scope = 'session', coalesce(source_session, ''), '')
) where status = 'active' and topic_key is not null;

-- No index begins with the workspace: most homes have one, and SQLite, which takes it for a rare
-- value, would prefer that index to the ids and rowids that a query names.
create index facts_created on facts (created_at, id);
create index facts_agent on facts (agent_id, created_at) where agent_id is not null;
create index facts_session on facts (source_session, created_at) where source_session is not null;
create index facts_vector on facts (vector_key) where vector_key <> 0;
create index facts_subtype on facts (subtype) where subtype <> '';
create index facts_superseded on facts (superseded_by) where superseded_by is not null;
create index facts_notes_end on facts (valid_until) where scope = 'session';

create virtual table facts_fts using fts5 (
    search_text,
    content = 'facts',
    content_rowid = 'rowid',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Code that inserts facts also writes their full text, as for journal entries.
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

-- What a fact was before each change of its text, status or validity. The fact at a time is the
-- first revision that was changed later, or the fact itself.
create table fact_revisions (
    workspace_id text not null,
    fact_id text not null,
    number integer not null,                -- counted from 1 for each fact
    title text,                             -- null, like content: the change kept the text
    content text,
    kind text not null,
    status text not null,
    valid_from text,
    valid_until text,
    superseded_by text,
    search_text text not null default '',   -- empty when the change kept the text
    changed_by text not null,
    changed_at text not null,               -- until then it was so
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

-- Votes on facts: the last one of each actor.
create table votes (
    workspace_id text not null,
    fact_id text not null,
    actor text not null,                    -- agent:ada; lead and agent of one name are one actor
    day text not null default '',           -- of an operator's down vote, which counts once a day
    vote integer not null check (vote in (-1, 1)),
    reason text not null default '',
    voted_at text not null,
    primary key (fact_id, actor, day)
) strict;

-- Relations that people and jobs made.
create table fact_relations (
    workspace_id text not null,
    src_id text not null,
    dst_id text not null,
    relation text not null,                 -- derived_from | supports | contradicts | part_of |
                                            -- promoted_from; supersedes is facts.superseded_by
    weight real not null default 1.0,
    created_by text not null,
    created_at text not null,
    primary key (src_id, dst_id, relation)
) strict;

create index fact_relations_back on fact_relations (dst_id, relation);

-- The rest of this page is local to a host: it is computed, or counts what happened here.

-- Uses of a fact, stored apart so that reading never changes the fact.
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
