-- Digest of who asked, whose alone a receipt is; NULL in rows of earlier releases. A damaged row keeps a digest that
-- tells it.
ALTER TABLE receipts ADD COLUMN asker TEXT;
UPDATE receipts SET digest = row_digest(
    CAST(project_key AS BLOB), CAST(recall_id AS BLOB), CAST(principal AS BLOB), CAST(refs AS BLOB), CAST(at AS
    BLOB), CAST(run_id AS BLOB), CAST(exploration AS BLOB), CAST(signals AS BLOB), NULL
) WHERE digest = row_digest(
    CAST(project_key AS BLOB), CAST(recall_id AS BLOB), CAST(principal AS BLOB), CAST(refs AS BLOB), CAST(at AS
    BLOB), CAST(run_id AS BLOB), CAST(exploration AS BLOB), CAST(signals AS BLOB)
);
