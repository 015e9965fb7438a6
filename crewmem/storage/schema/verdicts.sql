-- Cache of the scanner's findings, by content. Derived: verdicts.sqlite can be deleted.

create table meta (
    key text primary key not null,
    value any not null                  -- schema: definitions of the tables
) strict, without rowid;

create table verdicts (
    sha256 blob not null,
    own_tier integer not null,          -- 1: searched for attacks and secrets only
    rules text not null,                -- version of the rules
    findings text not null,             -- JSON
    primary key (sha256, own_tier)
) strict, without rowid;
