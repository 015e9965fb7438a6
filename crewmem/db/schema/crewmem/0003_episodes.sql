-- Which entries are worth recalling, and how they weigh.

-- One row a place that entries belong to; small numbers for what is stored often.
create table owners (
    id integer primary key,
    workspace_id text not null,
    crew_id text not null default '',   -- '' for none
    agent_id text not null default '',
    episodes integer not null default 0,    -- how many are its own: a million take long
    unique (workspace_id, crew_id, agent_id)
) strict;

-- One row an entry that is selected, with or without a vector. Narrow and numeric: a
-- nightly job writes all of them.
create table episodes (
    seq integer primary key references journal_entries (seq) on delete cascade,
    owner integer not null references owners (id),
    indexed_ms integer not null,        -- when it first could be recalled, Unix time
    base real not null,                 -- importance by type and severity, in [0, 1]
    least real not null,                -- the floor of its priority; 0 for none
    importance_score real not null default 0.5,
    reference_count integer not null default 0,
    last_referenced_at text
) strict;

create index episodes_by_owner on episodes (owner);

create trigger episodes_deleted after delete on episodes
begin
    update owners set episodes = episodes - 1 where id = old.owner;
end;

-- What has an end: few entries do, so that it costs next to nothing to ask.
create index journal_expiring on journal_entries (seq, expires_at)
    where expires_at is not null;

create table memory_relations (
    src_seq integer not null references journal_entries (seq) on delete cascade,
    dst_seq integer not null references journal_entries (seq) on delete cascade,
    relation text not null check (relation in ('similar', 'supports', 'contradicts')),
    weight real not null,
    created_at text not null,
    primary key (src_seq, dst_seq, relation)
) strict, without rowid;

create index relations_back on memory_relations (dst_seq, src_seq, relation);

-- A new priority moves the floor at once; what it takes away, the nightly job does.
create trigger episodes_reprioritised after update of priority on journal_entries
begin
    update episodes
       set least = case new.priority
                       when 'pin' then 0.80
                       when 'high' then 0.85
                       when 'permanent' then 0.95
                       else 0.0
                   end
     where seq = new.seq;
    update episodes
       set importance_score = least
     where seq = new.seq and importance_score < least;
end;
