DELETE FROM arrivals
WHERE jid = :jid AND seq = :seq
