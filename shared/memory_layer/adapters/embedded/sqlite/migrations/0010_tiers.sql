-- How many bytes the words of a record are that lie in a body of their own; `content` has their beginning.
ALTER TABLE memories ADD COLUMN body_bytes INTEGER;

-- Which records of a tier have not changed for how long, without a look at the others.
CREATE INDEX memories_by_tier ON memories (project_key, tier, pinned, id, updated_at);

-- What is cold is out of the RAM index: with the tier in it, the comparison reads this index alone.
DROP INDEX memories_by_log;
CREATE INDEX memories_by_log ON memories (project_key, log_position, tier);

-- Ids whose bodies are to be deleted since the commit that erased them; see body_rows.py.
CREATE TABLE erased_bodies (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    id          TEXT NOT NULL,
    erased_at   INTEGER NOT NULL,   -- seconds since 1970
    digest      BLOB NOT NULL,
    PRIMARY KEY (project_key, id)
) STRICT, WITHOUT ROWID;
