SELECT cid, id
FROM conversations
WHERE cid > :after_cid
ORDER BY cid
LIMIT :limit
