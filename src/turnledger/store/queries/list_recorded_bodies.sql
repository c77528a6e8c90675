SELECT seq, slot, size, salt, recipe
FROM bodies
WHERE jid = (SELECT j.jid FROM journals AS j WHERE j.id = :journal)
ORDER BY seq, slot
LIMIT :limit
