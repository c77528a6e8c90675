-- only: postgres  leases run by the database's clock
SELECT c.id, a.id, e.seq, e.event_id
FROM live_calls AS l
INNER JOIN journals AS j ON j.jid = l.jid
INNER JOIN agents AS a ON a.aid = j.aid
INNER JOIN conversations AS c ON c.cid = j.cid
INNER JOIN events AS e ON e.jid = l.jid AND e.seq = l.seq
WHERE l.until_ms < clock_ms()
ORDER BY l.jid, l.seq
LIMIT :limit
