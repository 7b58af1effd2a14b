-- The record of a version as version_packing.py packs it; `record` is then empty. NULL: the row is older, and its
-- record lies in `record`. Digests are taken of the record as a text, whichever way it lies.
ALTER TABLE versions ADD COLUMN packed BLOB;
