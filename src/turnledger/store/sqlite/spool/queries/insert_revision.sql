INSERT OR REPLACE INTO revisions (event, row, revision) VALUES (:event, :row, :revision);
