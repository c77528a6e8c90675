SELECT x.seq, x.start, x.data
FROM journals AS j
INNER JOIN arrivals AS x ON x.jid = j.jid
WHERE j.id = :journal
ORDER BY x.seq, x.start
