-- Counts of a project's records by persona ('': everyone's) and status, which follow every change of them, so that a list of
-- projects counts nothing. A count that comes to 0 goes, with the name of its persona.
CREATE TABLE record_counts (
    project_key INTEGER NOT NULL REFERENCES projects (key),
    persona     TEXT NOT NULL,
    status      TEXT NOT NULL,
    records     INTEGER NOT NULL,
    PRIMARY KEY (project_key, persona, status)
) STRICT, WITHOUT ROWID;
INSERT INTO record_counts
    SELECT project_key, ifnull(persona, ''), status, count(*) FROM memories GROUP BY 1, 2, 3;

CREATE TRIGGER record_counts_added AFTER INSERT ON memories BEGIN
    INSERT INTO record_counts VALUES (NEW.project_key, ifnull(NEW.persona, ''), NEW.status, 1)
        ON CONFLICT (project_key, persona, status) DO UPDATE SET records = records + 1;
END;
CREATE TRIGGER record_counts_removed AFTER DELETE ON memories BEGIN
    UPDATE record_counts SET records = records - 1
        WHERE project_key = OLD.project_key AND persona = ifnull(OLD.persona, '') AND status = OLD.status;
    DELETE FROM record_counts
        WHERE project_key = OLD.project_key AND persona = ifnull(OLD.persona, '') AND status = OLD.status AND records < 1;
END;
CREATE TRIGGER record_counts_moved AFTER UPDATE ON memories
    WHEN OLD.status IS NOT NEW.status OR OLD.persona IS NOT NEW.persona OR OLD.project_key IS NOT NEW.project_key BEGIN
    UPDATE record_counts SET records = records - 1
        WHERE project_key = OLD.project_key AND persona = ifnull(OLD.persona, '') AND status = OLD.status;
    DELETE FROM record_counts
        WHERE project_key = OLD.project_key AND persona = ifnull(OLD.persona, '') AND status = OLD.status AND records < 1;
    INSERT INTO record_counts VALUES (NEW.project_key, ifnull(NEW.persona, ''), NEW.status, 1)
        ON CONFLICT (project_key, persona, status) DO UPDATE SET records = records + 1;
END;
