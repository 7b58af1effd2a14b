-- How often anything of a project was written that an assembled context may depend on: kept ones go by it.
ALTER TABLE projects ADD COLUMN writes INTEGER NOT NULL DEFAULT 0;

-- How the project's contexts are assembled, as feedback has tuned it (JSON with a digest of itself).
ALTER TABLE projects ADD COLUMN assembly TEXT;
