SELECT *
FROM event_rows
WHERE cursor < :cursor
ORDER BY cursor DESC
LIMIT :limit
