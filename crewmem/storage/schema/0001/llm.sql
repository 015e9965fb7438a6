-- Calls of the language model per day, for the daily budget. Local to a host.
create table llm_calls (
    day text not null primary key,        -- YYYY-MM-DD in UTC
    calls integer not null
) strict;
