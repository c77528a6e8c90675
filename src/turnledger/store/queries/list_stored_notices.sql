SELECT cid, seq, aid, type, word, message, created_ms
FROM notices
WHERE cid = :cid
