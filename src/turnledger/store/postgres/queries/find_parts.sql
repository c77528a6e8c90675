-- only: postgres  keys come as one array
SELECT key, pid, data
FROM parts
WHERE key = ANY(:keys) AND aid = :aid
