-- Calls of the language model, to keep within the budget of a day. Local to a host.
create table llm_calls (
    day text not null primary key,        -- YYYY-MM-DD in UTC
    calls integer not null
) strict;
