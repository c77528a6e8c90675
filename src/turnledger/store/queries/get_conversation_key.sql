SELECT cid
FROM conversations
WHERE id = :conversation
