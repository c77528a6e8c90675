-- only: postgres  the cursor is made of the transaction's id and the place in it (see the table)
INSERT INTO events (eid, jid, seq, cid, position, event_id, type, payload_hash, tokens, detail, hash, created_ms)
SELECT
    (l.xid_base + pg_current_xact_id()::text::bigint) << 20 | :place,
    :jid, :seq, :cid, :position, :event_id, :type, :payload_hash, :tokens, :detail, :hash, :created_ms
FROM ledger AS l
