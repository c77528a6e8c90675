SELECT key, pid, data
FROM parts
WHERE key = :key AND aid = :aid
