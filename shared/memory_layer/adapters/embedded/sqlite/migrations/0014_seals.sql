-- 16 bytes over the cells of a row as they lie, held against them whenever a record is read (record_rows.seal_of).
-- NULL: the row is older than this column; a reader goes by its digest, and the sweep `verify` seals it if that holds.
ALTER TABLE memories ADD COLUMN seal BLOB;
