SELECT cid, id, aid, opened_ms, connector, shape, place, next_position
FROM conversations
WHERE cid > :after
ORDER BY cid
LIMIT :limit
