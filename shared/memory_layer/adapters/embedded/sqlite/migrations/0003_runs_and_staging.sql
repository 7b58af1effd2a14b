-- One column per field of domain.run.RunRecord and of domain.staging.Staged (a test holds them together);
-- lists, results and learnings as JSON.
CREATE TABLE runs (
    project_key   INTEGER NOT NULL REFERENCES projects (key),
    run_id        TEXT NOT NULL,
    fingerprint   TEXT NOT NULL,
    objective     TEXT NOT NULL,
    status        TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    task_type     TEXT NOT NULL,
    iterations    INTEGER NOT NULL,
    mode          TEXT NOT NULL,
    memories_used TEXT NOT NULL,
    staged_ids    TEXT NOT NULL,
    created_by    TEXT NOT NULL,
    persona       TEXT,
    received_at   TEXT NOT NULL,
    finished_at   TEXT,
    result        TEXT,
    version       INTEGER NOT NULL,
    PRIMARY KEY (project_key, run_id)
) STRICT;
CREATE INDEX runs_by_age ON runs (project_key, received_at, run_id);

CREATE TABLE staged (
    project_key      INTEGER NOT NULL REFERENCES projects (key),
    id               TEXT NOT NULL,
    run_id           TEXT NOT NULL,
    learning         TEXT NOT NULL,
    status           TEXT NOT NULL,
    rejection_reason TEXT,
    staged_at        TEXT NOT NULL,
    validated_at     TEXT,
    decided_by       TEXT,
    decided_at       TEXT,
    memory_id        TEXT,
    is_merged        INTEGER NOT NULL,
    created_by       TEXT NOT NULL,
    persona          TEXT,
    version          INTEGER NOT NULL,
    kept_until       TEXT,   -- of what was promoted or rejected
    PRIMARY KEY (project_key, id)
) STRICT;
-- With the persona, so that counts need not touch the rows.
CREATE INDEX staged_by_status ON staged (project_key, status, staged_at, id, persona);
CREATE INDEX staged_by_end ON staged (kept_until) WHERE kept_until IS NOT NULL;
