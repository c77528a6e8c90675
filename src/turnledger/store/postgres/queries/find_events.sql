-- only: postgres  ids come as one array
SELECT event_id, jid, seq, type, tokens, payload_hash, hash, created_ms, position
FROM events
WHERE event_id = ANY(:ids)
