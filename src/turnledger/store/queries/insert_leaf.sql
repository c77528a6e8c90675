INSERT INTO seal_outbox (kind, jid, events, head, status, created_ms)
VALUES (:kind, :jid, :events, :head, :status, :created_ms)
