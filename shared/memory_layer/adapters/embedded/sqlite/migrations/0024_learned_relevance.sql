-- relevance_score as it was set, where results have moved it since; NULL: they have not.
ALTER TABLE memories ADD COLUMN relevance_set INTEGER;
