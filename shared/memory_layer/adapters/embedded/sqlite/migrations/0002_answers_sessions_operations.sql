-- An answer goes with the record that it carries when that is erased.
ALTER TABLE answers ADD COLUMN memory_id TEXT NOT NULL DEFAULT '';
UPDATE answers SET memory_id = coalesce(json_extract(body, '$.id'), '');
CREATE INDEX answers_by_memory ON answers (project_key, memory_id);

-- Positions are given out once, also to writers at the same time.
CREATE TABLE sessions (
    project_key   INTEGER NOT NULL REFERENCES projects (key),
    session_id    TEXT NOT NULL,
    next_position INTEGER NOT NULL,
    PRIMARY KEY (project_key, session_id)
) STRICT, WITHOUT ROWID;

-- The blob that says what an operation has to do, so that another process can take it up.
ALTER TABLE operations ADD COLUMN input TEXT;
CREATE INDEX operations_unfinished ON operations (id) WHERE status = 'running';
