-- Retry queue of texts that could not be embedded. Local to a host.
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

-- The API key of a service to use next, so that processes rotate keys. Local to a host.
create table key_rotation (
    service text not null primary key,
    position integer not null
) strict;
