SELECT seq, type, payload_hash, tokens, detail, hash, created_ms, event_id, position
FROM events
WHERE jid = (SELECT j.jid FROM journals AS j WHERE j.id = :journal)
ORDER BY seq
