INSERT INTO memory (aid, entry, revision, op, jid, seq, created_ms)
VALUES (:aid, :entry, :revision, :op, :jid, :seq, :created_ms)
