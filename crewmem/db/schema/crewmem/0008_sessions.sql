-- What was learned in one session stands together: a question is answered by what is
-- around the words that it asks for.
create index memories_by_session on memories (workspace_id, source_session)
    where source_session is not null;
