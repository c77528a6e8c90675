SELECT *
FROM event_rows
WHERE cursor > :cursor AND cursor <= :head AND (agent = :agent OR :agent = :any)
ORDER BY cursor
LIMIT :limit
