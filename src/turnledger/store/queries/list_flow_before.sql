SELECT *
FROM event_rows
WHERE
    cid = (SELECT c.cid FROM conversations AS c WHERE c.id = :conversation)
    AND position > :after
    AND position < :before
ORDER BY position DESC
LIMIT :limit
