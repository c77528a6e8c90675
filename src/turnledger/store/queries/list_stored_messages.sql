SELECT cid, seq, direction, actor, chars, created_ms, reply_to, verdict, turn, into_seq, shed, delivery
FROM messages
WHERE cid = :cid
