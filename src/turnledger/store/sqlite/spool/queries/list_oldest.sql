SELECT id, tried, kept, data, size FROM queue ORDER BY id LIMIT :limit;
