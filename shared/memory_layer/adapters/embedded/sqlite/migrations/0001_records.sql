-- Projects are numbered, so that a million rows and their indexes carry eight bytes and not two names.
CREATE TABLE projects (
    key      INTEGER PRIMARY KEY,
    tenant   TEXT NOT NULL,
    project  TEXT NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,   -- of the project's log: one up at every record written or erased
    policy   TEXT,
    UNIQUE (tenant, project)
) STRICT;

-- One column per field of domain.memory.Memory (a test holds them together); scores in thousandths.
-- Only what recalls count lives apart, in `accesses`: it changes often and is no change of the record.
CREATE TABLE memories (
    key                 INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used twice: the RAM index goes by it
    project_key         INTEGER NOT NULL REFERENCES projects (key),
    log_position        INTEGER NOT NULL,
    id                  TEXT NOT NULL,
    type                TEXT NOT NULL,
    category            TEXT NOT NULL,
    dimension           TEXT NOT NULL,
    task_type           TEXT,
    content             TEXT NOT NULL,
    summary             TEXT,
    detail              TEXT NOT NULL,
    context             TEXT,
    session_id          TEXT,
    position            INTEGER,
    source              TEXT NOT NULL,
    source_run_id       TEXT,
    source_runs         TEXT NOT NULL,
    source_recall_id    TEXT,
    created_by          TEXT NOT NULL,
    persona             TEXT,
    tags                TEXT NOT NULL,
    entities            TEXT NOT NULL,
    relations           TEXT NOT NULL,
    relevance_score     INTEGER NOT NULL,
    confidence          INTEGER NOT NULL,
    success_rate        INTEGER,
    outcome_score       INTEGER NOT NULL,
    worked              INTEGER NOT NULL,
    failed              INTEGER NOT NULL,
    partial             INTEGER NOT NULL,
    worked_weight       INTEGER NOT NULL,
    failed_weight       INTEGER NOT NULL,
    unseconded          INTEGER NOT NULL,
    use_count           INTEGER NOT NULL,
    last_used_at        TEXT,
    status              TEXT NOT NULL,
    status_reason       TEXT,
    superseded_by       TEXT,
    supersedes          TEXT,
    expires_at          TEXT,
    approved_by         TEXT,
    approved_at         TEXT,
    valid_from          TEXT,
    valid_to            TEXT,
    tier                TEXT NOT NULL,
    pinned              INTEGER NOT NULL,
    version             INTEGER NOT NULL,
    content_hash        TEXT NOT NULL,
    embedding_model     TEXT,
    embedding_text_hash TEXT,
    created_at          TEXT NOT NULL,
    updated_at          TEXT NOT NULL,
    UNIQUE (project_key, id)
) STRICT;
CREATE INDEX memories_by_log ON memories (project_key, log_position);
CREATE INDEX memories_by_age ON memories (project_key, created_at, id);
CREATE INDEX memories_by_content ON memories (project_key, content_hash);
CREATE INDEX memories_by_session ON memories (project_key, session_id, position) WHERE session_id IS NOT NULL;
CREATE INDEX memories_by_status ON memories (project_key, status, created_at, id) WHERE status <> 'active';

-- What the RAM index is rebuilt from: float16 vectors, and the analysed terms as (uint32 hash, uint8 count) arrays.
CREATE TABLE search_rows (
    memory_key     INTEGER PRIMARY KEY REFERENCES memories (key) ON DELETE CASCADE,
    content_vector BLOB,
    context_vector BLOB,
    content_terms  BLOB NOT NULL,
    context_terms  BLOB
) STRICT;

CREATE TABLE accesses (
    memory_key       INTEGER PRIMARY KEY REFERENCES memories (key) ON DELETE CASCADE,
    access_count     INTEGER NOT NULL,
    last_accessed_at TEXT NOT NULL
) STRICT;

-- An erased record leaves its id and last version: an index that missed the erasure learns of it here.
CREATE TABLE tombstones (
    project_key  INTEGER NOT NULL REFERENCES projects (key),
    id           TEXT NOT NULL,
    version      INTEGER NOT NULL,
    memory_key   INTEGER NOT NULL,
    log_position INTEGER NOT NULL,
    PRIMARY KEY (project_key, id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_by_log ON tombstones (project_key, log_position);

CREATE TABLE versions (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    id          TEXT NOT NULL,
    version     INTEGER NOT NULL,
    verb        TEXT NOT NULL,
    changed_by  TEXT NOT NULL,
    changed_at  TEXT NOT NULL,
    reason      TEXT,
    record      TEXT NOT NULL,
    PRIMARY KEY (project_key, id, version)
) STRICT;

CREATE TABLE verdicts (
    id               TEXT PRIMARY KEY,
    project_key      INTEGER NOT NULL REFERENCES projects (key),
    memory_id        TEXT NOT NULL,
    result           TEXT NOT NULL,
    principal        TEXT NOT NULL,
    at               TEXT NOT NULL,
    session_id       TEXT,
    run_id           TEXT,
    recall_id        TEXT,
    note             TEXT,
    score_moved      INTEGER NOT NULL,
    confidence_moved INTEGER NOT NULL,
    replaced_by      TEXT
) STRICT;
CREATE INDEX verdicts_by_memory ON verdicts (project_key, memory_id, at);

CREATE TABLE quotas (
    tenant TEXT NOT NULL,
    key    TEXT NOT NULL,
    uses   TEXT NOT NULL,   -- JSON array of the instants inside the window
    PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status      INTEGER NOT NULL,
    body        TEXT NOT NULL,
    expires_at  TEXT NOT NULL,
    PRIMARY KEY (project_key, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_expiry ON answers (expires_at);

CREATE TABLE receipts (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    recall_id   TEXT NOT NULL,
    principal   TEXT NOT NULL,
    refs        TEXT NOT NULL,
    at          TEXT NOT NULL,
    PRIMARY KEY (project_key, recall_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipts_by_age ON receipts (at);

CREATE TABLE operations (
    id        TEXT PRIMARY KEY,
    tenant    TEXT NOT NULL,
    principal TEXT NOT NULL,
    kind      TEXT NOT NULL,
    status    TEXT NOT NULL,
    done      INTEGER NOT NULL,
    total     INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    result    TEXT,
    problem   TEXT
) STRICT;
