-- Which vectors are of which chunks: beside the tables of an index that has any.

-- One row a chunk whose text was looked at. Its key is of the text that is embedded, so
-- a chunk that moved, or that another file has as well, is not embedded again.
create table chunk_keys (
    chunk integer primary key,   -- its id in chunks
    key integer not null         -- in the tables of vectors
) strict;

create index chunks_by_key on chunk_keys (key);

create trigger chunk_keys_gone after delete on chunks
begin
    delete from chunk_keys where chunk = old.id;
end;
