-- Findings on lines of agents, by author; NULL where nobody was judged.
ALTER TABLE projects ADD COLUMN authors TEXT;
