SELECT *
FROM conversation_rows
WHERE cid = (SELECT c.cid FROM conversations AS c WHERE c.id = :conversation)
