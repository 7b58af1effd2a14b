-- Which records have no vectors of the model in use, without a look at the others.
CREATE INDEX memories_by_model ON memories (project_key, embedding_model, id);

-- Which record has lost its search row, without a look at the rows, which are a hundred times as long.
CREATE INDEX search_rows_by_key ON search_rows (memory_key);
