-- What happened in each workspace: append-only and hash-chained (journal/chain.py).

-- An entry. Its summary and payload can be purged; the salted digests that its hash covers stay.
create table journal_entries (
    seq integer not null primary key,       -- rowid in journal_entries_fts; follows the order of each chain
    id text not null,                       -- j_ and 12 base32 characters, or any imported id
    workspace_id text not null,
    crew_id text,                           -- slug
    agent_id text,                          -- slug
    mission_id text,
    chain text not null,                    -- the home or shared store to whose chain it belongs
    ts text not null,                       -- RFC 3339, UTC, milliseconds
    entry_type text not null,               -- dotted lower case
    severity text not null,                 -- info | notice | warn | error
    priority text not null,                 -- normal | high | pin | permanent; the current one
    actor_type text not null,               -- agent | user | system | keeper | sidecar | orchestrator
    actor_id text,
    origin text not null,                   -- operator | agent | external
    summary text not null,
    payload text not null,                  -- JSON object
    search_text text not null,              -- summary and values of payload, prepared by text.tokens
    salt text not null,                     -- of the digests; empty after a purge
    summary_digest text not null,           -- sha256 of salt and summary
    payload_digest text not null,
    refs text not null,                     -- JSON object
    trace_id text,                          -- session
    span_id text,
    expires_at text,
    prev_hash text not null,                -- hash of the previous entry in its chain; empty for the first
    entry_hash text not null,               -- over the fields as written and prev_hash
    unique (id, workspace_id)
) strict;

-- No index begins with the workspace: see the indexes of facts.
create index journal_entries_ts on journal_entries (ts, seq);
create index journal_entries_type on journal_entries (entry_type, ts);
create index journal_entries_agent on journal_entries (agent_id, ts) where agent_id is not null;
create index journal_entries_crew on journal_entries (crew_id, ts) where crew_id is not null;
create index journal_entries_trace on journal_entries (trace_id, ts, seq)
    where trace_id is not null;
create index journal_entries_expiring on journal_entries (expires_at)
    where expires_at is not null;

create virtual table journal_entries_fts using fts5 (
    search_text,
    content = 'journal_entries',
    content_rowid = 'seq',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Code that inserts entries also inserts into journal_entries_fts: a trigger would double the time.
create trigger journal_entries_deleted after delete on journal_entries
begin
    insert into journal_entries_fts (journal_entries_fts, rowid, search_text)
    values ('delete', old.seq, old.search_text);
    delete from episodes where seq = old.seq;
end;

create trigger journal_entries_reworded after update of search_text on journal_entries
begin
    insert into journal_entries_fts (journal_entries_fts, rowid, search_text)
    values ('delete', old.seq, old.search_text);
    insert into journal_entries_fts (rowid, search_text) values (new.seq, new.search_text);
end;

-- The end of each chain, to detect a truncated one. Signed like an entry.
create table journal_chains (
    workspace_id text not null,
    chain text not null,
    entries integer not null,               -- number ever appended
    last_hash text not null,
    signature text not null,
    primary key (workspace_id, chain)
) strict;

-- Entries that compaction removed from a chain, so that the gaps are valid. Signed like an entry.
create table journal_checkpoints (
    workspace_id text not null,
    chain text not null,
    number integer not null,                -- counted from 1 in each chain
    created_at text not null,
    reason text not null,                   -- compaction
    removed text not null,                  -- JSON: runs of entries, [[hash before, hash of the last, count], ...]
    signature text not null,
    primary key (workspace_id, chain, number)
) strict;

-- Entries that compaction moved out of the journal: shortened for reading, and complete.
create table journal_entries_archived (
    workspace_id text not null,
    id text not null,
    chain text not null,
    crew_id text,
    agent_id text,
    ts text not null,
    entry_type text not null,
    severity text not null,
    priority text not null,
    summary text not null,
    payload text not null,                  -- at most 400 characters, still valid JSON
    archived_at text not null,
    original blob not null,                 -- the full row as JSON, compressed; a purge rewrites it
    content_sha text not null,              -- sha256 of that JSON
    primary key (workspace_id, id)
) strict;

create index journal_entries_archived_ts on journal_entries_archived (workspace_id, ts);

-- Every change of a priority. Signed like an entry.
create table journal_entry_priorities (
    workspace_id text not null,
    entry_id text not null,
    number integer not null,                -- counted from 1 for each entry; homes that change it
                                            -- at the same time use the same number
    from_priority text not null,
    to_priority text not null,
    reason text not null,
    set_by text not null,                   -- actor: operator:kim
    set_at text not null,
    signature text not null,
    primary key (workspace_id, entry_id, number, set_at, set_by)
) strict;

-- Entries whose text was purged. Signed like an entry.
create table journal_purges (
    workspace_id text not null,
    entry_id text not null,
    purged_by text not null,
    purged_at text not null,
    signature text not null,
    primary key (workspace_id, entry_id)
) strict;

-- Relations made by people and consolidation.
create table entry_relations (
    workspace_id text not null,
    src_entry_id text not null,
    dst_entry_id text not null,
    relation text not null,                 -- supports | contradicts
    weight real not null,
    created_at text not null,
    primary key (workspace_id, src_entry_id, dst_entry_id, relation)
) strict;

create index entry_relations_back on entry_relations (workspace_id, dst_entry_id, relation);

-- The tables below are local to a host: derived data and counters.

-- Identities of this home. chain: its journal chain; pushed: the store that it moves its truth to.
create table home_names (
    name text not null primary key,
    value text not null
) strict;

-- Owners of episodes, with counts: a small id in place of four columns in a million rows.
create table episode_owners (
    id integer not null primary key,
    workspace_id text not null,
    crew_id text,
    agent_id text,
    actor_id text,
    episodes integer not null default 0
) strict;

create unique index episode_owners_unique on episode_owners
    (workspace_id, coalesce(crew_id, ''), coalesce(agent_id, ''), coalesce(actor_id, ''));

-- Entries selected for recall, with or without a vector. Narrow, without id or text, because the
-- nightly decay writes all rows.
create table episodes (
    seq integer not null primary key,       -- of journal_entries
    owner integer not null,                 -- of episode_owners
    vector_key integer not null,            -- of the embedded text
    indexed_ms integer not null,            -- when it was selected: Unix time in milliseconds
    base real not null,                     -- importance by type and severity
    floor real not null,                    -- minimum importance, by priority
    importance_score real not null default 0.5,
    reference_count integer not null default 0,
    last_referenced_at text
) strict;

create index episodes_vector on episodes (vector_key);

create trigger episodes_deleted after delete on episodes
begin
    update episode_owners set episodes = episodes - 1 where id = old.owner;
    delete from entry_similarities where src_seq = old.seq or dst_seq = old.seq;
end;

-- A higher priority raises the importance at once; a lower one takes effect at the next decay.
create trigger journal_entries_reprioritised after update of priority on journal_entries
begin
    update episodes
       set floor = case new.priority when 'pin' then 0.80 when 'high' then 0.85
                                     when 'permanent' then 0.95 else 0.0 end
     where seq = new.seq;
    update episodes set importance_score = floor where seq = new.seq and importance_score < floor;
end;

-- Relation "similar": from a new episode to the nearest earlier ones.
create table entry_similarities (
    src_seq integer not null,
    dst_seq integer not null,
    weight real not null,                   -- cosine
    created_at text not null,
    primary key (src_seq, dst_seq)
) strict, without rowid;

create index entry_similarities_back on entry_similarities (dst_seq, src_seq);
