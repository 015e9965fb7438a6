-- Runs of evaluation suites.
create table eval_runs (
    id text not null primary key,         -- e_ and 12 base32 characters
    workspace_id text not null,
    ts text not null,
    suite text not null,                  -- name or path of the suite
    suite_hash text not null,
    use text not null,                    -- pull, push
    k integer not null,
    config text not null,                 -- JSON: settings changed for this run
    metrics text not null,                -- JSON: overall and per category
    gates text not null,                  -- JSON: name, limit, value, verdict
    verdict text not null                 -- passed, failed, not-measured
) strict;

create table eval_cases (
    run_id text not null,
    case_id text not null,
    result text not null,                 -- JSON: the hits shown, and their measures
    primary key (run_id, case_id)
) strict;

-- Changes that tuning made to tuned.toml, newest last, with its whole text before and after.
create table eval_configs (
    id text not null primary key,         -- e_ and 12 base32 characters
    workspace_id text not null,
    ts text not null,
    parameter text not null,
    old_value text not null,
    new_value text not null,
    before_toml text not null,
    after_toml text not null,
    rolled_back_at text
) strict;

-- Suites that `eval capture` created.
create table eval_suites (
    workspace_id text not null,
    name text not null,
    content text not null,                -- JSONL
    updated_at text not null,
    primary key (workspace_id, name)
) strict;
