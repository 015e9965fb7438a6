-- Texts that could not be embedded, and when to try again. Local to a host.
create table embedding_failures (
    workspace_id text not null,
    store text not null,
    vector_key integer not null,          -- hash of the text
    model text not null,
    tries integer not null,
    next_at text not null,
    error text not null,
    primary key (workspace_id, store, vector_key, model)
) strict;

-- Which key of a service is used next, so that processes take turns. Local to a host.
create table key_rotation (
    service text not null primary key,
    position integer not null
) strict;
