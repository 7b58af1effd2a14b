-- SHA-256 of what a row says (domain.integrity), written with it. NULL: the row is older than this column. Such rows
-- are told apart from sound ones and get their digest when they are written next: a digest made now would vouch for
-- whatever damage is there already.
ALTER TABLE memories ADD COLUMN digest BLOB;
ALTER TABLE versions ADD COLUMN digest BLOB;
ALTER TABLE search_rows ADD COLUMN digest BLOB;

-- The version that a change was made of (0: of none), so that a lost line of a history shows; and a copy of the
-- record's place in the log, so that damage to either shows.
ALTER TABLE versions ADD COLUMN before_version INTEGER;
ALTER TABLE versions ADD COLUMN log_position INTEGER;
