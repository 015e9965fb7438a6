-- How well recall did, run by run and case by case, and which settings were tuned.

create table eval_runs (
    seq integer primary key,
    id text not null,                   -- r_ and 12 characters
    workspace_id text not null,
    at text not null,
    actor text not null,
    verb text not null,                 -- run, gate or tune
    suite text not null,                -- where it was read
    suite_hash text not null,           -- of its cases: runs of others are not compared
    k integer not null,
    seed integer not null,
    cases integer not null,
    embedder text not null,             -- the model; '' for words alone
    config text not null,               -- JSON: the settings of recall that were in force
    is_trial integer not null,          -- 1: some of them were given for this run alone
    metrics text not null,              -- JSON: by name value, cases, low, high
    categories text not null,           -- JSON: the same by category
    gates text not null,                -- JSON: as they were shown
    missed text not null,               -- JSON: names of the gates that it missed
    violations text not null,           -- JSON: refs of what nobody there may read
    snapshot text,                      -- the tuned settings that were in force
    unique (workspace_id, id)
) strict;

create index eval_runs_of_suites on eval_runs (workspace_id, suite_hash, seq);

create table eval_cases (
    run integer not null references eval_runs (seq) on delete cascade,
    place integer not null,
    case_id text not null,
    outcome text not null,              -- JSON
    primary key (run, place)
) strict, without rowid;

-- What tune did to the settings of the home: the file tuned.toml before and after.
create table config_snapshots (
    seq integer primary key,
    id text not null unique,            -- c_ and 12 characters
    at text not null,
    workspace_id text not null,         -- whose journal tells of it
    actor text not null,
    key text not null,                  -- the one setting that was changed
    old real not null,
    new real not null,
    before text,                        -- the file, byte for byte; null: there was none
    after text not null,
    reason text not null,
    baseline text,                      -- the run that it was compared with
    candidate text,                     -- the run that it was applied for
    state text not null check (state in ('begun', 'applied', 'failed', 'rolled back')),
    ended_at text                       -- when it was rolled back, or failed
) strict;
