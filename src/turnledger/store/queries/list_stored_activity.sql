SELECT cid, aid, last_ms, turns, open_turns, failed_turns, messages, tokens_in, tokens_out
FROM conversation_activity
WHERE cid = :cid
