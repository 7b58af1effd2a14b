-- One column per field of domain.pairs.Pair (a test holds them together); scores in thousandths.
CREATE TABLE pairs (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    id          TEXT NOT NULL,
    kind        TEXT NOT NULL,
    first_id    TEXT NOT NULL,
    second_id   TEXT NOT NULL,
    first_hash  TEXT NOT NULL,
    second_hash TEXT NOT NULL,
    similarity  INTEGER NOT NULL,
    severity    INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    status      TEXT NOT NULL,
    resolution  TEXT,
    resolved_by TEXT,
    resolved_at TEXT,
    persona     TEXT,
    found_at    TEXT NOT NULL,
    version     INTEGER NOT NULL,
    digest      BLOB NOT NULL,
    PRIMARY KEY (project_key, id)
) STRICT;
CREATE INDEX pairs_by_status ON pairs (project_key, kind, status, found_at, id);
-- A record that is erased takes its pairs along: their reasons quote it.
CREATE INDEX pairs_by_first ON pairs (project_key, first_id);
CREATE INDEX pairs_by_second ON pairs (project_key, second_id);
