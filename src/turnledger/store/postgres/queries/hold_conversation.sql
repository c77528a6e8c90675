-- only: postgres  locks the row, and fails where another writer has moved it meanwhile
SELECT 1 / count(*)
FROM (
    SELECT FROM conversations
    WHERE cid = :cid AND next_position = :next_position
    FOR NO KEY UPDATE
) AS unmoved
