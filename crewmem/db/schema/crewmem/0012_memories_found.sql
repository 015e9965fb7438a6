-- How memories are found among a million, and how often they were delivered up to the
-- last night: what is delivered now changes no answer before the next.

create index memories_quarantined on memories (workspace_id, agent_id, crew_id)
    where status = 'quarantined';
create index memories_held
    on memories (workspace_id, agent_id, crew_id, importance, updated_at)
    where status = 'active';
create index memories_of_sessions on memories (workspace_id, agent_id, crew_id)
    where source_session is not null;
create index memories_by_importance on memories (workspace_id, importance, updated_at)
    where status = 'active';
create index memories_pinned on memories (workspace_id)
    where pin <> 'none';
create index memories_shared on memories (workspace_id, kind)
    where scope <> 'agent';
create index memories_by_subtype on memories (workspace_id, kind, subtype)
    where subtype is not null;

alter table memory_accesses add column settled_count integer not null default 0;
alter table memory_accesses add column settled_at text;

update memory_accesses
   set settled_count = injected_count, settled_at = last_injected_at;
