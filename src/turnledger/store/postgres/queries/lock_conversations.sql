-- only: postgres  ids come as one array; rows stay locked to the end of the transaction
SELECT cid, id, aid, opened_ms, connector, shape, place, next_position
FROM conversations
WHERE id = ANY(:ids)
ORDER BY id
FOR NO KEY UPDATE
