-- What a record is tied to, as hashes (4 bytes each) of domain.mentions keys: `said` by its words, `named` by its
-- fields. What is there already is filled in here, of words that lie in a body by their beginning.
CREATE TABLE mentions (
    memory_key INTEGER PRIMARY KEY REFERENCES memories (key) ON DELETE CASCADE,
    said       BLOB NOT NULL,
    named      BLOB NOT NULL,
    digest     BLOB NOT NULL
) STRICT;
INSERT INTO mentions (memory_key, said, named, digest)
SELECT key, said, named, row_digest(key, said, named)
FROM (
    SELECT
        key,
        said_mentions(content) AS said,
        named_mentions(
            entities, relations, supersedes, superseded_by, source_recall_id, source_runs, source_run_id
        ) AS named
    FROM memories
);
