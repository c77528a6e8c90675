SELECT *
FROM event_rows
WHERE jid = (SELECT j.jid FROM journals AS j WHERE j.id = :journal) AND seq >= :start_seq
ORDER BY seq
LIMIT :limit
