DELETE FROM live_calls
WHERE jid = :jid AND seq = :seq
