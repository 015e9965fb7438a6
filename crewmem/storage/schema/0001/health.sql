-- Daily snapshots of the health metrics. Local to a host.
create table memory_health_snapshots (
    workspace_id text not null,
    crew_id text not null default '',     -- '' for the whole workspace
    snapshot_date text not null,          -- YYYY-MM-DD, in the timezone of the settings
    freshness real,                       -- each metric: 0 to 100; null if there is nothing to measure
    coverage real,
    coherence real,
    efficiency real,
    reachability real,
    score real,
    primary key (workspace_id, crew_id, snapshot_date)
) strict;
