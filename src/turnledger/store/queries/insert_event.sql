INSERT INTO events (jid, seq, cid, position, event_id, type, payload_hash, tokens, detail, hash, created_ms)
VALUES (:jid, :seq, :cid, :position, :event_id, :type, :payload_hash, :tokens, :detail, :hash, :created_ms)
