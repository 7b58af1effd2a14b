-- When a record was said, and what its words about time mean by that. Of older records that is unknown: their times are
-- computed when they are changed.
ALTER TABLE memories ADD COLUMN said_at TEXT;
ALTER TABLE memories ADD COLUMN times TEXT NOT NULL DEFAULT '[]';
