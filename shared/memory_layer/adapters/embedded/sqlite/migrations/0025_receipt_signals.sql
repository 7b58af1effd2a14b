-- Signals of a context's fragments, at the note that feedback finds it by; NULL in all other rows. A damaged row keeps
-- a digest that tells it.
ALTER TABLE receipts ADD COLUMN signals TEXT;
UPDATE receipts SET digest = row_digest(
    CAST(project_key AS BLOB), CAST(recall_id AS BLOB), CAST(principal AS BLOB), CAST(refs AS BLOB), CAST(at AS
    BLOB), CAST(run_id AS BLOB), CAST(exploration AS BLOB), NULL
) WHERE digest = row_digest(
    CAST(project_key AS BLOB), CAST(recall_id AS BLOB), CAST(principal AS BLOB), CAST(refs AS BLOB), CAST(at AS
    BLOB), CAST(run_id AS BLOB), CAST(exploration AS BLOB)
);
