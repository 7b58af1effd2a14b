-- Up to when disuse has been counted in outcome_score.
ALTER TABLE memories ADD COLUMN drifted_at TEXT;

-- When a sweep next has something to do with the record (domain.due.due_from), written with every change of it.
ALTER TABLE memories ADD COLUMN due_at TEXT;
UPDATE memories SET due_at = nullif(min(
    CASE
        WHEN status IN ('active', 'stale') AND (confidence < 200 OR outcome_score < -500) THEN created_at
        ELSE '~'
    END,
    coalesce(expires_at, '~'),
    CASE
        WHEN outcome_score <> 0 OR unseconded <> 0
        THEN strftime('%Y-%m-%dT%H:%M:%S', substr(coalesce(last_used_at, created_at), 1, 19), '+31 days')
            || substr(coalesce(last_used_at, created_at), 20)
        ELSE '~'
    END
), '~') WHERE status NOT IN ('archived', 'superseded', 'rejected');
CREATE INDEX memories_by_due ON memories (due_at, key) WHERE due_at IS NOT NULL;

-- Of all tenants: who runs a sweep, where it goes on, what it last did (domain.sweeping.SweepState, as JSON).
CREATE TABLE sweep_states (
    name    TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state   TEXT NOT NULL,
    digest  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
