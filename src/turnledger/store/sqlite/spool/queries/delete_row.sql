DELETE FROM queue WHERE id = :id;
