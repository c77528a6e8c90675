SELECT jid, seq, type, tokens, detail, created_ms
FROM events
WHERE jid = :jid AND seq = :seq
