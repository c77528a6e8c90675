-- only: postgres  update_conversation that fails where another writer has moved it meanwhile
WITH moved AS (
    UPDATE conversations
    SET next_position = :next_position
    WHERE cid = :cid AND next_position = :old_position
    RETURNING cid
)
SELECT 1 / count(*) FROM moved
