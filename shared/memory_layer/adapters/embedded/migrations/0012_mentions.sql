-- What a record is tied to, as hashes (4 bytes each) of domain.mentions keys: `said` by its words, `named` by its
-- fields. Derived from the record, so no digest vouches for it; what is there already is filled in here.
CREATE TABLE mentions (
    memory_key INTEGER PRIMARY KEY REFERENCES memories (key) ON DELETE CASCADE,
    said       BLOB NOT NULL,
    named      BLOB NOT NULL
) STRICT;
INSERT INTO mentions (memory_key, said, named)
SELECT key, said_mentions(content), named_mentions(entities, relations, supersedes, superseded_by, source_recall_id,
    source_runs, source_run_id)
FROM memories;
