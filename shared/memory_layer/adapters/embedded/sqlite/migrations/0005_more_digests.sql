-- As 0004 says, of all that a project keeps beside its records.
ALTER TABLE projects ADD COLUMN digest BLOB;     -- of its key and names; the position is compared with the log
ALTER TABLE tombstones ADD COLUMN digest BLOB;
ALTER TABLE accesses ADD COLUMN digest BLOB;
ALTER TABLE verdicts ADD COLUMN digest BLOB;
ALTER TABLE sessions ADD COLUMN digest BLOB;
ALTER TABLE answers ADD COLUMN digest BLOB;
ALTER TABLE receipts ADD COLUMN digest BLOB;
ALTER TABLE runs ADD COLUMN digest BLOB;
ALTER TABLE staged ADD COLUMN digest BLOB;
ALTER TABLE operations ADD COLUMN digest BLOB;
ALTER TABLE quotas ADD COLUMN digest BLOB;
