-- only: postgres  the cursor is made of the transaction's id, which SQLite has no need of
INSERT INTO events (eid, jid, seq, cid, position, event_id, type, payload_hash, tokens, detail, hash, created_ms)
VALUES (:eid, :jid, :seq, :cid, :position, :event_id, :type, :payload_hash, :tokens, :detail, :hash, :created_ms)
