SELECT jid, seq, aid, cid, kind, name, failed, ms, tokens_in, tokens_out, cache_read, cache_write, reasoning, created_ms, turn
FROM calls
WHERE jid IN (SELECT j.jid FROM journals AS j WHERE j.cid = :cid)
