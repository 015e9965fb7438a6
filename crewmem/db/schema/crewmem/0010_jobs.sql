-- The last run of each job that found something to do, or failed. One that found
-- nothing is not written down: it touches the lock file of its job.
create table jobs (
    name text primary key,              -- sweep; sweep@lab where it is of one workspace
    first_start text not null,          -- since when it is run here
    last_start text not null,
    last_end text not null,
    result text not null check (result in ('ok', 'partial', 'failed')),
    reason text not null default '',    -- of what failed, a sentence
    counts text not null default '{}',  -- JSON object: what was done
    failures integer not null default 0,    -- in a row
    next_due text                       -- as it was planned then; null: it is off
) strict, without rowid;
