UPDATE conversations
SET next_position = :next_position
WHERE cid = :cid
