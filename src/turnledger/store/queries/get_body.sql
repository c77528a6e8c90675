SELECT b.size, b.salt, b.recipe
FROM events AS e
INNER JOIN bodies AS b ON b.jid = e.jid AND b.seq = e.seq
WHERE e.event_id = :event AND b.slot = :slot
