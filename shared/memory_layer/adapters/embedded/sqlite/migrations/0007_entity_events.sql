-- One column per field of domain.entity_events.EntityEvent (a test holds them together); the detail as JSON.
CREATE TABLE entity_events (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    id          TEXT NOT NULL,
    urn         TEXT NOT NULL,
    event       TEXT NOT NULL,
    target      TEXT,
    detail      TEXT NOT NULL,
    occurred_at TEXT NOT NULL,
    received_at TEXT NOT NULL,
    created_by  TEXT NOT NULL,
    applied_at  TEXT,
    marked      INTEGER NOT NULL,
    is_known    INTEGER,
    version     INTEGER NOT NULL,
    digest      BLOB NOT NULL,
    PRIMARY KEY (project_key, id)
) STRICT;
CREATE INDEX entity_events_by_urn ON entity_events (project_key, urn, occurred_at, id);
CREATE INDEX entity_events_by_target ON entity_events (project_key, target, occurred_at, id)
    WHERE target IS NOT NULL;
CREATE INDEX entity_events_open ON entity_events (project_key, received_at, id) WHERE applied_at IS NULL;
-- So that counts need not touch the rows.
CREATE INDEX entity_events_by_kind ON entity_events (project_key, event, is_known);

-- Of projects that somebody watches: when somebody was last at work in them.
CREATE TABLE activity (
    project_key      INTEGER PRIMARY KEY REFERENCES projects (key),
    last_activity_at TEXT NOT NULL,
    digest           BLOB NOT NULL
) STRICT;
