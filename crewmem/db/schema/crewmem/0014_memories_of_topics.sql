-- The word on a topic is found at once among a million, also where it is stale or warm.

create index memories_of_topics
    on memories (workspace_id, scope, agent_id, crew_id, topic_key, status)
    where topic_key is not null;
