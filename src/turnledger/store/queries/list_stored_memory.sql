SELECT aid, entry, revision, op, jid, seq, created_ms
FROM memory
WHERE jid IN (SELECT j.jid FROM journals AS j WHERE j.cid = :cid)
