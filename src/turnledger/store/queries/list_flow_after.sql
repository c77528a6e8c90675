SELECT *
FROM event_rows
WHERE cid = (SELECT c.cid FROM conversations AS c WHERE c.id = :conversation) AND position > :after
ORDER BY position
LIMIT :limit
