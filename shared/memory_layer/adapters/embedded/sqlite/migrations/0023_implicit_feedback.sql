-- Weak evidence of uncited runs on a memory, which only exploration reads; entries as JSON, a memory as project/id.
CREATE TABLE implicit_feedback (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    memory      TEXT NOT NULL,
    entries     TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    version     INTEGER NOT NULL,
    digest      BLOB,
    PRIMARY KEY (project_key, memory)
) STRICT, WITHOUT ROWID;

-- The run that asked, and how its list explored; NULL in older rows. A damaged row keeps a digest that tells it.
ALTER TABLE receipts ADD COLUMN run_id TEXT;
ALTER TABLE receipts ADD COLUMN exploration TEXT;
CREATE INDEX receipts_by_run ON receipts (project_key, run_id) WHERE run_id IS NOT NULL;
UPDATE receipts SET digest = row_digest(
    CAST(project_key AS BLOB), CAST(recall_id AS BLOB), CAST(principal AS BLOB), CAST(refs AS BLOB), CAST(at AS
    BLOB), NULL, NULL
) WHERE digest = row_digest(
    CAST(project_key AS BLOB), CAST(recall_id AS BLOB), CAST(principal AS BLOB), CAST(refs AS BLOB), CAST(at AS
    BLOB)
);

-- What a run was shown, the digest of its iterations, and the words that it is searched by; NULL in older rows.
ALTER TABLE runs ADD COLUMN is_vouched INTEGER;
ALTER TABLE runs ADD COLUMN shown TEXT;
ALTER TABLE runs ADD COLUMN history TEXT;
ALTER TABLE runs ADD COLUMN words TEXT;
UPDATE runs SET digest = row_digest(
    CAST(project_key AS BLOB), CAST(run_id AS BLOB), CAST(fingerprint AS BLOB), CAST(objective AS BLOB), CAST(status
    AS BLOB), CAST(outcome AS BLOB), CAST(task_type AS BLOB), CAST(iterations AS BLOB), CAST(mode AS BLOB),
    CAST(memories_used AS BLOB), CAST(staged_ids AS BLOB), CAST(created_by AS BLOB), CAST(persona AS BLOB),
    CAST(received_at AS BLOB), CAST(finished_at AS BLOB), CAST(result AS BLOB), CAST(version AS BLOB), NULL, NULL,
    NULL, NULL
) WHERE digest = row_digest(
    CAST(project_key AS BLOB), CAST(run_id AS BLOB), CAST(fingerprint AS BLOB), CAST(objective AS BLOB), CAST(status
    AS BLOB), CAST(outcome AS BLOB), CAST(task_type AS BLOB), CAST(iterations AS BLOB), CAST(mode AS BLOB),
    CAST(memories_used AS BLOB), CAST(staged_ids AS BLOB), CAST(created_by AS BLOB), CAST(persona AS BLOB),
    CAST(received_at AS BLOB), CAST(finished_at AS BLOB), CAST(result AS BLOB), CAST(version AS BLOB)
);
