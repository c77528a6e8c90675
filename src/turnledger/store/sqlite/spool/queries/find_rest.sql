SELECT EXISTS (SELECT 1 FROM queue WHERE journal = :turn AND id > :row);
