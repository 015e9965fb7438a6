-- How healthy memory was, day by day: of each crew, and of each workspace as a whole.
-- A row is written once and again on its day, and stays as it is after.
create table memory_health_snapshots (
    workspace_id text not null,
    crew_id text not null default '',   -- '' for the whole workspace
    snapshot_date text not null         -- the day in UTC, as 2026-05-01
        check (snapshot_date glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
    freshness real check (freshness between 0 and 100),     -- null: nothing to judge by
    coverage real check (coverage between 0 and 100),
    coherence real check (coherence between 0 and 100),
    efficiency real check (efficiency between 0 and 100),
    reachability real check (reachability between 0 and 100),
    score real check (score between 0 and 100),     -- null where all of them are
    primary key (workspace_id, crew_id, snapshot_date),
    check ((score is null) =
           (coalesce(freshness, coverage, coherence, efficiency, reachability) is null))
) strict, without rowid;
