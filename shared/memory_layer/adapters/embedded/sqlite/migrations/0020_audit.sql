-- The audit log of a project: a chain of digests, and beside each the readable part and its salt, which an erasure removes.
-- The head is kept apart, in the project's row. Nothing is told of what was written before this table was there.
CREATE TABLE audit (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    position INTEGER NOT NULL,
    at TEXT NOT NULL,
    about TEXT NOT NULL,
    sealed TEXT NOT NULL,
    digest TEXT NOT NULL,
    payload TEXT,
    salt BLOB,
    PRIMARY KEY (project_key, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_about ON audit (project_key, about) WHERE about <> '';
ALTER TABLE projects ADD COLUMN audit_position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN audit_digest TEXT NOT NULL DEFAULT '';
