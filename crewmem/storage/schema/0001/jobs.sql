-- The last run of each job that did something or failed. Local to a host. A run that found
-- nothing to do only updates the time of its lock file.
create table jobs (
    workspace_id text not null,
    job text not null,                      -- sweep | extract | housekeeping | rollup | …
    last_start text not null,               -- RFC 3339, UTC, milliseconds
    last_end text not null,
    result text not null,                   -- ok | failed | nothing-new (only after a failure)
    counts text not null,                   -- JSON: counts of what was done
    error text not null default '',         -- message of a failure
    failures integer not null default 0,    -- in a row
    next_due text not null,
    primary key (workspace_id, job)
) strict;
