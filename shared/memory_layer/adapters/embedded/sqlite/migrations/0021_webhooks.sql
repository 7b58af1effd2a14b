-- Webhooks: what each wants, how far it has been told, and its last deliveries, as JSON. Their secrets are not here.
CREATE TABLE webhooks (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    id          TEXT NOT NULL PRIMARY KEY,
    state       TEXT NOT NULL,
    digest      BLOB NOT NULL
) STRICT;
