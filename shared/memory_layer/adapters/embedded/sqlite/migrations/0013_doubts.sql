-- What agents say against a record that people trust, for the person who decides (domain.memory.Doubt, as JSON).
ALTER TABLE memories ADD COLUMN doubted TEXT;
CREATE INDEX memories_by_doubt ON memories (project_key, created_at, id) WHERE doubted IS NOT NULL;

-- Whether an agent told, and for which persona; NULL: it was told before this was kept. A damaged row keeps a digest
-- that tells it.
ALTER TABLE entity_events ADD COLUMN by_agent INTEGER;
ALTER TABLE entity_events ADD COLUMN persona TEXT;
UPDATE entity_events SET digest = row_digest(
    CAST(project_key AS BLOB), CAST(id AS BLOB), CAST(urn AS BLOB), CAST(event AS BLOB), CAST(target AS BLOB),
    CAST(detail AS BLOB), CAST(occurred_at AS BLOB), CAST(received_at AS BLOB), CAST(created_by AS BLOB),
    CAST(applied_at AS BLOB), CAST(marked AS BLOB), CAST(is_known AS BLOB), CAST(version AS BLOB), NULL, NULL
) WHERE digest = row_digest(
    CAST(project_key AS BLOB), CAST(id AS BLOB), CAST(urn AS BLOB), CAST(event AS BLOB), CAST(target AS BLOB),
    CAST(detail AS BLOB), CAST(occurred_at AS BLOB), CAST(received_at AS BLOB), CAST(created_by AS BLOB),
    CAST(applied_at AS BLOB), CAST(marked AS BLOB), CAST(is_known AS BLOB), CAST(version AS BLOB)
);
