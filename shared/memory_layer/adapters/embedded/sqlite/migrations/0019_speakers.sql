-- The right that a verdict was given with; NULL: it is older than this column. A damaged row keeps a digest that tells it.
ALTER TABLE verdicts ADD COLUMN speaker TEXT;
UPDATE verdicts SET digest = row_digest(
    CAST(project_key AS BLOB), CAST(id AS BLOB), CAST(memory_id AS BLOB), CAST(result AS BLOB), CAST(principal AS BLOB),
    CAST(at AS BLOB), CAST(session_id AS BLOB), CAST(run_id AS BLOB), CAST(recall_id AS BLOB), CAST(note AS BLOB),
    CAST(score_moved AS BLOB), CAST(confidence_moved AS BLOB), CAST(replaced_by AS BLOB), NULL
) WHERE digest = row_digest(
    CAST(project_key AS BLOB), CAST(id AS BLOB), CAST(memory_id AS BLOB), CAST(result AS BLOB), CAST(principal AS BLOB),
    CAST(at AS BLOB), CAST(session_id AS BLOB), CAST(run_id AS BLOB), CAST(recall_id AS BLOB), CAST(note AS BLOB),
    CAST(score_moved AS BLOB), CAST(confidence_moved AS BLOB), CAST(replaced_by AS BLOB)
);
